"""Renders the reminder that a model reads about its async tasks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sidecar.javascript.printing import json_stringify
from sidecar.subagents.reminders.bounded_json import cut_value, fit, remedy, summarize, text_within
from sidecar.subagents.reminders.summary import render_status_summary
from sidecar.subagents.tasks.manager import AsyncTaskManager
from sidecar.subagents.tasks.model import AsyncTaskInfo

Detail = Literal["full", "summary", "pointer"]

SUMMARY_CHARS = 200
"""Characters of each value that a reminder shows under `detail = "summary"`."""
SEPARATOR = "\n\n"
GOAL_CHARS = 500
PARTIAL_CHARS = 2_000
FRAME_CHARS = 200
"""Characters of a bounded reminder set aside for the frame and the counts."""
SMALLEST_BLOCK = 300
"""Least characters for one task, including the remedy."""
SHARING_ROUNDS = 4
"""How often the space that short blocks leave is redistributed before the long ones are cut."""

_NEVER_CUT = frozenset({"agent_id", "status", "terminate_reason"})


@dataclass(frozen=True)
class Reminder:
    """A text for the model and the IDs of the ended tasks it reports; empty if there are none."""

    text: str
    task_ids: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return self.text


def render_reminder(
    ended: Sequence[AsyncTaskInfo],
    running_count: int,
    enrich: bool = False,
    max_chars: int | None = None,
    detail: Detail = "full",
) -> Reminder:
    """Render the note for the model's next turn.

    Within `max_chars` every ended task gets its whole block. Beyond it, values are cut; if that is not
    enough, the first tasks are reported and the rest wait for the next reminder. The work is proportional
    to what is reported.
    """
    if not ended and not running_count:
        return Reminder("")
    if max_chars is None or not ended:
        blocks = [render_block(task, enrich, detail) for task in ended]
        return Reminder(_frame(blocks, 0, running_count), [task.id for task in ended])
    whole = _whole_blocks(ended, enrich, detail, max_chars)
    if whole is not None and len(text := _frame(whole, 0, running_count)) <= max_chars:
        return Reminder(text, [task.id for task in ended])
    room = max_chars - FRAME_CHARS
    carried = ended[: max(1, room // SMALLEST_BLOCK)]
    blocks = _fit_blocks(carried, enrich, detail, room)
    text = _frame(blocks, len(ended) - len(blocks), running_count)
    return Reminder(text, [task.id for task in carried])


def render_block(task: AsyncTaskInfo, enrich: bool = False, detail: Detail = "full") -> str:
    """Render one ended task as JSON; empty for a running one or one completed without output."""
    payload = _detailed(task, enrich, detail)
    return json_stringify(payload) if payload else ""


class AsyncTaskReminderService:
    """Renders the tasks of a manager; `enrich` adds name, goal and partial result to each block."""

    def __init__(self, manager: AsyncTaskManager, enrich: bool = False) -> None:
        self._manager = manager
        self._enrich = enrich

    def generate_status_summary(self) -> str:
        """Return the state of every task for the system instruction; empty if there are none."""
        return render_status_summary(self._manager.get_all_tasks())

    def generate_reminder(self) -> Reminder:
        """Return the pending ends and the number of running tasks; this changes nothing."""
        running = len(self._manager.get_running_tasks())
        return render_reminder(self._manager.get_pending_notifications(), running, self._enrich)

    def format_completion_notification(self, task: AsyncTaskInfo) -> str:
        """Return the JSON block of one ended task; empty for a running one."""
        return render_block(task, self._enrich)

    def has_pending_notifications(self) -> bool:
        """Return whether a result is waiting to be reported."""
        return bool(self._manager.get_pending_notifications())

    def mark_notified(self, task_ids: Iterable[str]) -> None:
        """Mark exactly these as delivered. Call it only after the delivery."""
        for task_id in task_ids:
            self._manager.mark_notified(task_id)

    def mark_all_notified(self) -> None:
        """Mark all pending tasks as delivered, including those that ended after the last reminder."""
        self.mark_notified([task.id for task in self._manager.get_pending_notifications()])


def completed_payload(task_id: str, output: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON object of a finished run, the same for sync and async ones."""
    payload = {"agent_id": task_id, "terminate_reason": output.get("terminate_reason")}
    payload["emitted_vars"] = _or_empty(output.get("emitted_vars"))
    payload["final_message"] = output.get("final_message")
    return {key: value for key, value in payload.items() if value is not None}


def _detailed(task: AsyncTaskInfo, enrich: bool, detail: Detail) -> dict[str, Any]:
    payload = _payload(task, enrich)
    if detail == "pointer" and payload:
        return {"agent_id": task.id, "status": task.status, "remedy": remedy(task.id)}
    if detail == "summary":
        return summarize(payload, remedy(task.id), SUMMARY_CHARS, _NEVER_CUT)
    return payload


def _payload(task: AsyncTaskInfo, enrich: bool) -> dict[str, Any]:
    if task.status == "completed" and task.output is not None:
        return completed_payload(task.id, task.output) | (_extras(task) if enrich else {})
    if task.status not in ("failed", "cancelled"):
        return {}
    payload = {"agent_id": task.id, "status": task.status}
    if task.status == "failed" and task.error is not None:
        payload["error"] = task.error
    return payload | (_extras(task) if enrich else {})


def _extras(task: AsyncTaskInfo) -> dict[str, Any]:
    extras: dict[str, Any] = {
        "subagent_name": task.subagent_name,
        "goal": cut_value(task.goal_prompt, GOAL_CHARS),
    }
    if task.status != "completed" and task.output is not None:
        partial = completed_payload(task.id, task.output)
        kept = {key: partial[key] for key in ("final_message", "emitted_vars") if key in partial}
        extras["partial"] = cut_value(kept, PARTIAL_CHARS)
    return extras


def _or_empty(value: Any) -> Any:
    return {} if value is None else value


def _frame(blocks: Sequence[str], left: int, running_count: int) -> str:
    parts = [f"{len(blocks)} async task(s) completed:", *blocks] if blocks else []
    if left:
        parts.append(f"{left} more ended async task(s) will be reported next.")
    if running_count:
        parts.append(f"{running_count} async task(s) still running.")
    body = SEPARATOR.join(parts)
    return f"---\nSystem Note: Async Task Status\n\n{body}\n---"


def _block_within(task: AsyncTaskInfo, enrich: bool, detail: Detail, max_chars: int) -> str | None:
    payload = _detailed(task, enrich, detail)
    return text_within(payload, max_chars) if payload else ""


def _whole_blocks(
    ended: Sequence[AsyncTaskInfo], enrich: bool, detail: Detail, max_chars: int
) -> list[str] | None:
    """Return every block, or None as soon as they are too long."""
    blocks: list[str] = []
    for task in ended:
        block = _block_within(task, enrich, detail, max_chars)
        if block is None:
            return None
        blocks.append(block)
        max_chars -= len(block) + len(SEPARATOR)
    return blocks


def _fit_blocks(tasks: Sequence[AsyncTaskInfo], enrich: bool, detail: Detail, room: int) -> list[str]:
    """Distribute the space: what short blocks leave of their share goes to longer ones."""
    blocks: dict[int, str] = {}
    waiting = dict(enumerate(tasks))
    for _ in range(SHARING_ROUNDS):
        share = _share(room, len(waiting))
        short = {
            place: block
            for place, task in waiting.items()
            if (block := _block_within(task, enrich, detail, share)) is not None
        }
        blocks |= short
        waiting = {place: task for place, task in waiting.items() if place not in short}
        room -= sum(len(block) + len(SEPARATOR) for block in short.values())
        if not short or not waiting:
            break
    for cut, (place, task) in enumerate(waiting.items()):
        share = _share(room, len(waiting) - cut)
        blocks[place] = json_stringify(fit(_payload(task, enrich), remedy(task.id), share, _NEVER_CUT))
        room -= len(blocks[place]) + len(SEPARATOR)
    return [blocks[place] for place in range(len(tasks))]


def _share(room: int, sharers: int) -> int:
    return max(SMALLEST_BLOCK, room // sharers) - len(SEPARATOR)
