"""Renders the state of all async tasks for the system instruction."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from sidecar.javascript.printing import json_stringify, utf16_cut
from sidecar.subagents.reminders.bounded_json import cut_value
from sidecar.subagents.tasks.model import ID_PREFIX, AsyncTaskInfo, QueuedTask

LABELS: Final = {
    "running": "[RUNNING]",
    "completed": "[DONE]",
    "failed": "[FAILED]",
    "cancelled": "[CANCELLED]",
}
GOAL_CHARS: Final = 200
"""Characters of a goal in an enriched summary."""


class _Row(NamedTuple):
    name: str
    label: str
    task_id: str
    goal: str


def render_status_summary(
    tasks: Sequence[AsyncTaskInfo],
    queued: Sequence[QueuedTask] = (),
    max_chars: int | None = None,
    enrich: bool = False,
) -> str:
    """Render one line per task under a count; queued ones come last. Empty if there are none.

    `enrich` adds a line of JSON with the whole ID and the goal to each task. Beyond `max_chars` reported ends
    are left out first, then unreported ones, the oldest first, and then the newest running or queued tasks;
    the last line gives their number.
    """
    rows = [_Row(task.subagent_name, LABELS[task.status], task.id, task.goal_prompt) for task in tasks]
    rows += [_Row(task.subagent_name, "[QUEUED]", task.id, task.goal_prompt) for task in queued]
    if not rows:
        return ""
    head = f"[ASYNC TASKS: {len(rows)} total]"
    if max_chars is None:
        return "\n".join([head, *(_entry(place, row, enrich) for place, row in enumerate(rows))])
    lines, room = {}, max_chars - len(head) - len(_more_lines(len(rows)))
    for place in _by_importance(tasks, len(rows)):
        line = _entry(place, rows[place], enrich)
        room -= len(line) + 1
        if room < 0:
            break
        lines[place] = line
    left = len(rows) - len(lines)
    return "\n".join(
        [head, *(lines[place] for place in sorted(lines)), *([_more_lines(left)] if left else [])]
    )


def _by_importance(tasks: Sequence[AsyncTaskInfo], count: int) -> Iterator[int]:
    """Yield the places of running and queued tasks, of unreported ends, and of reported ones."""
    running = [place for place, task in enumerate(tasks) if task.status == "running"]
    ended = [place for place, task in enumerate(tasks) if task.status != "running"]
    yield from running
    yield from range(len(tasks), count)
    yield from (place for place in reversed(ended) if tasks[place].notified_at is None)
    yield from (place for place in reversed(ended) if tasks[place].notified_at is not None)


def _entry(place: int, row: _Row, enrich: bool) -> str:
    line = f"[{place + 1}] {row.name} - {row.label} ({utf16_cut(row.task_id, ID_PREFIX)}...)"
    if not enrich:
        return line
    facts = {"agent_id": row.task_id, "goal": cut_value(row.goal, GOAL_CHARS)}
    return f"{line}\n{json_stringify(facts, indent=0)}"


def _more_lines(left: int) -> str:
    return f"({left} more; call check_async_tasks to list them)"
