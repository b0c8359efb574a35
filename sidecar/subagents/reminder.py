"""What the model is told of its async tasks: the status summary and the reminder, as pure text."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sidecar.subagents.bounded import cut_value, fit, remedy, summarize
from sidecar.subagents.js_text import json_stringify, utf16_cut
from sidecar.subagents.manager import AsyncTaskManager
from sidecar.subagents.model import ID_PREFIX, AsyncTaskInfo, QueuedTask

Detail = Literal["full", "summary", "pointer"]

LABELS = {"running": "[RUNNING]", "completed": "[DONE]", "failed": "[FAILED]", "cancelled": "[CANCELLED]"}
SUMMARY_CHARS = 200
"""Characters of each value that a reminder shows under `detail = "summary"`."""
SEPARATOR = "\n\n"
GOAL_CHARS = 500
PARTIAL_CHARS = 2_000
FRAME_CHARS = 200
"""Characters of a bounded reminder set aside for the frame and the counts."""
SMALLEST_BLOCK = 300
"""Characters one task needs at least, with the remedy."""

_NEVER_CUT = frozenset({"agent_id", "status", "terminate_reason"})


@dataclass(frozen=True)
class Reminder:
    """A text for the model and the ids of the ended tasks it carries; empty when there is nothing."""

    text: str
    task_ids: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return self.text


def render_status_summary(tasks: Sequence[AsyncTaskInfo], queued: Sequence[QueuedTask] = ()) -> str:
    """Render one line a task under a count; queued ones come last. Empty when there are none."""
    rows = [(task.subagent_name, LABELS[task.status], task.id) for task in tasks]
    rows += [(task.subagent_name, "[QUEUED]", task.id) for task in queued]
    if not rows:
        return ""
    lines = [f"[ASYNC TASKS: {len(rows)} total]"]
    for number, (name, label, task_id) in enumerate(rows, 1):
        lines.append(f"[{number}] {name} - {label} ({utf16_cut(task_id, ID_PREFIX)}...)")
    return "\n".join(lines)


def render_reminder(
    ended: Sequence[AsyncTaskInfo],
    running_count: int,
    enrich: bool = False,
    max_chars: int | None = None,
    detail: Detail = "full",
) -> Reminder:
    """Render the note for the model's next turn.

    Within `max_chars` every ended task has its whole block. Beyond, values are cut; when even that does
    not fit, the first tasks are carried, and the rest stays for the next reminder.
    """
    if not ended and not running_count:
        return Reminder("")
    blocks = [render_block(task, enrich, detail) for task in ended]
    text = _frame(blocks, 0, running_count)
    if max_chars is not None and len(text) > max_chars:
        blocks = _fit_blocks(ended, blocks, enrich, max_chars - FRAME_CHARS)
        text = _frame(blocks, len(ended) - len(blocks), running_count)
    return Reminder(text, [task.id for task in ended[: len(blocks)]])


def render_block(task: AsyncTaskInfo, enrich: bool = False, detail: Detail = "full") -> str:
    """Render one ended task as JSON; a running one, or one completed without output, is empty."""
    payload = _payload(task, enrich)
    if not payload:
        return ""
    if detail == "pointer":
        return json_stringify({"agent_id": task.id, "status": task.status, "remedy": remedy(task.id)})
    if detail == "summary":
        payload = summarize(payload, remedy(task.id), SUMMARY_CHARS, _NEVER_CUT)
    return json_stringify(payload)


class AsyncTaskReminderService:
    """Renders what a manager knows; `enrich` adds name, goal and partial result to each block."""

    def __init__(self, manager: AsyncTaskManager, enrich: bool = False) -> None:
        self._manager = manager
        self._enrich = enrich

    def generate_status_summary(self) -> str:
        """Return the state of every task, for the system instruction; empty when there is none."""
        return render_status_summary(self._manager.get_all_tasks())

    def generate_reminder(self) -> Reminder:
        """Return what ended untold and how many still run; building it changes nothing."""
        running = len(self._manager.get_running_tasks())
        return render_reminder(self._manager.get_pending_notifications(), running, self._enrich)

    def format_completion_notification(self, task: AsyncTaskInfo) -> str:
        """Return the JSON block of one ended task; a running one gives an empty text."""
        return render_block(task, self._enrich)

    def has_pending_notifications(self) -> bool:
        """Tell whether a result waits to be told."""
        return bool(self._manager.get_pending_notifications())

    def mark_notified(self, task_ids: Iterable[str]) -> None:
        """Note that exactly these were delivered; to be called after the delivery only."""
        for task_id in task_ids:
            self._manager.mark_notified(task_id)

    def mark_all_notified(self) -> None:
        """Note that all that is pending now was delivered, even what ended after the last reminder."""
        self.mark_notified([task.id for task in self._manager.get_pending_notifications()])


def completed_payload(task_id: str, output: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON object of a finished run, the same for sync and async ones."""
    payload = {"agent_id": task_id, "terminate_reason": output.get("terminate_reason")}
    payload["emitted_vars"] = _or_empty(output.get("emitted_vars"))
    payload["final_message"] = output.get("final_message")
    return {key: value for key, value in payload.items() if value is not None}


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


def _fit_blocks(ended: Sequence[AsyncTaskInfo], blocks: list[str], enrich: bool, room: int) -> list[str]:
    """Share the room out, the shortest blocks first, so that what one leaves the longer ones get."""
    carried = blocks[: max(1, room // SMALLEST_BLOCK)]
    shortest_first = sorted(range(len(carried)), key=lambda place: len(carried[place]))
    for done, place in enumerate(shortest_first):
        share = max(SMALLEST_BLOCK, room // (len(carried) - done)) - len(SEPARATOR)
        if len(carried[place]) > share:
            task = ended[place]
            carried[place] = json_stringify(fit(_payload(task, enrich), remedy(task.id), share, _NEVER_CUT))
        room -= len(carried[place]) + len(SEPARATOR)
    return carried
