"""The texts of `check_async_tasks`."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from sidecar.api.runs.async_tasks import Progress
from sidecar.javascript.printing import js_entries, js_string, json_stringify, utf16_cut, utf16_length
from sidecar.status_words import ERROR_WORDS, node_needs
from sidecar.subagents.reminders.bounded_json import fit
from sidecar.subagents.tasks.model import ID_PREFIX, AsyncTaskInfo, QueuedTask
from sidecar.tools.arguments import PARAMETER_VALIDATION, quoted, shortened
from sidecar.tools.result import ToolError, ToolResult

Task = AsyncTaskInfo | QueuedTask

ICONS = {"completed": "[OK]", "failed": "[ERROR]"}
GOAL_UNITS = 100
VARIABLE_UNITS = 50
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EARLIEST = -62_135_596_800_000
_LATEST = 253_402_300_799_999
"""The years 1 to 9999 in ms since the epoch; times outside are invalid."""
_NEVER_CUT = frozenset({"id", "subagentName", "status", "launchedAt", "queuedAt", "duration", "completedAt"})


def render_list(
    tasks: Sequence[AsyncTaskInfo], queued: Sequence[QueuedTask], now: int, max_chars: int
) -> ToolResult:
    """Render the counts and one line for each task, queued ones last."""
    if not tasks and not queued:
        nothing = "No async tasks are currently running or completed."
        return ToolResult("No async tasks.", nothing, {"count": 0})
    found = Counter(task.status for task in tasks)
    counts = {"running": found["running"]} | ({"queued": len(queued)} if queued else {})
    counts |= {status: found[status] for status in ("completed", "failed", "cancelled")}
    everything: list[Task] = [*tasks, *queued]
    lines = ["Async Tasks Summary:"]
    lines += [f"- {status.capitalize()}: {count}" for status, count in counts.items()]
    lines += ["", "Details:", *(status_line(task, now) for task in everything)]
    display = [_display_line(task) for task in everything]
    metadata = {"count": len(everything), **counts}
    return ToolResult(_join(lines, max_chars), _join(display, max_chars), metadata)


def render_details(task: Task, now: int, max_chars: int, progress: Progress | None = None) -> ToolResult:
    """Render one task as JSON for the model, and as a short text for people."""
    remedy = f"Values are cut to stay within tools.maxChars = {max_chars}; raise it to see them whole."
    details = fit(_details(task, now) | _progress(progress), remedy, max_chars, _NEVER_CUT)
    lines = [*_display(task, now), *_progress_line(progress)]
    return ToolResult(json_stringify(details), "\n".join(lines), details)


def render_ambiguous(prefix: str, candidates: Sequence[Task]) -> ToolResult:
    """List the tasks whose IDs start with the prefix."""
    rows = "\n".join(f"- {_short(task)}... ({task.subagent_name})" for task in candidates)
    return ToolResult(
        f"Ambiguous task ID prefix {quoted(prefix)}. Candidates:\n{rows}",
        f"Ambiguous prefix. Did you mean:\n{rows}",
        error=ToolError("Ambiguous task ID", PARAMETER_VALIDATION),
    )


def render_not_found(prefix: str) -> ToolResult:
    """Report that no task has this ID or prefix."""
    return ToolResult(
        f"No async task found with ID or prefix {quoted(prefix)}.",
        f"Task not found: {shortened(prefix)}",
        error=ToolError("Task not found", PARAMETER_VALIDATION),
    )


def render_cancelled(task_id: str, cancelled: bool) -> ToolResult:
    """Report whether this call ended the task."""
    if cancelled:
        return ToolResult(f"Task {task_id} cancelled successfully.", f"**{task_id}** cancelled.")
    ended = f"Task {task_id} was already terminal (not running)."
    return ToolResult(ended, ended)


def render_cancel_without_id() -> ToolResult:
    """Report that a cancel requires an ID."""
    text = "Cannot cancel: no task_id provided."
    return ToolResult(
        text, text, error=ToolError("task_id is required for cancel action", PARAMETER_VALIDATION)
    )


def format_duration(start: int, end: int) -> str:
    """Render a duration in ms as seconds, as minutes and seconds, or as hours and minutes."""
    seconds = (end - start) // 1_000
    if seconds < 60:
        return f"{seconds}s"
    minutes, seconds = divmod(seconds, 60)
    if minutes < 60:
        return f"{minutes}m {seconds}s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h {minutes}m"


def iso_time(ms: int) -> str:
    """Render ms since the epoch like `Date.toISOString`; an invalid time becomes the nearest valid one."""
    at = _EPOCH + timedelta(milliseconds=max(_EARLIEST, min(ms, _LATEST)))
    return f"{at.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def status_of(task: Task) -> str:
    """Return the status of a task, `queued` for one that waits for a slot."""
    return task.status if isinstance(task, AsyncTaskInfo) else "queued"


def _duration(task: Task, now: int) -> str:
    if isinstance(task, QueuedTask):
        return format_duration(task.queued_at, max(now, task.queued_at))
    end = now if task.completed_at is None else task.completed_at
    return format_duration(task.launched_at, max(end, task.launched_at))  # the clock may be set back


def _short(task: Task) -> str:
    return utf16_cut(task.id, ID_PREFIX)


def status_line(task: Task, now: int) -> str:
    """Return the line of a list that shows one task."""
    status = status_of(task)
    row = f"[{_short(task)}] {task.subagent_name} - {status} ({_duration(task, now)})"
    why = _why_waiting(task, now)
    return f"{ICONS.get(status, '')} {row}{f': {why}' if why else ''}"


def _why_waiting(task: Task, now: int) -> str | None:
    """Describe why a queued task waits; None if it only waits for a slot."""
    if not isinstance(task, QueuedTask) or task.waiting is None:
        return None
    waiting, placement = task.waiting, task.placement
    why = ERROR_WORDS[waiting.reason]
    if waiting.reason == "clusterSlots":
        needs = None if placement is None else node_needs(placement)
        return f"{why}, needs a node with {needs}" if needs else why
    if waiting.until is None:
        return f"{why}, another task of its runner tries first"
    return f"{why}, starts in {format_duration(now, max(now, waiting.until))} at the earliest"


def _display_line(task: Task) -> str:
    status = status_of(task)
    return f"{ICONS.get(status, '')} **{task.subagent_name}** (`{_short(task)}`) - {status}"


def _join(lines: list[str], max_chars: int) -> str:
    """Join lines; replace those beyond the limit with their number."""
    text = "\n".join(lines)
    while len(text) > max_chars and len(lines) > 1:
        kept = len(lines) // 2
        text = "\n".join([*lines[:kept], f"({len(lines) - kept} more lines; give a task_id to see one task)"])
        lines = lines[:kept]
    return text


def _details(task: Task, now: int) -> dict[str, Any]:
    details: dict[str, Any] = {"id": task.id, "subagentName": task.subagent_name}
    details |= {"goalPrompt": task.goal_prompt, "status": status_of(task)}
    if isinstance(task, QueuedTask):
        why = _why_waiting(task, now)
        details |= {"queuedAt": iso_time(task.queued_at), "duration": _duration(task, now)}
        return details if why is None else details | {"waiting": why}
    details |= {"launchedAt": iso_time(task.launched_at), "duration": _duration(task, now)}
    if task.completed_at is not None:
        details["completedAt"] = iso_time(task.completed_at)
    if task.output is not None:
        details["output"] = task.output
    if task.error:
        details["error"] = task.error
    return details


def _progress(progress: Progress | None) -> dict[str, Any]:
    """Return what a task has done so far as the model gets it, with a readable time."""
    if progress is None:
        return {}
    values = msgspec.to_builtins(progress)
    return {"progress": values | {"lastActivityAt": iso_time(progress.last_activity_at)}}


def _progress_line(progress: Progress | None) -> list[str]:
    if progress is None:
        return []
    tool = _preview(progress.current_tool or "", VARIABLE_UNITS)
    counts = f"Progress: turns {progress.turns}, tool calls {progress.tool_calls}"
    return [f"{counts}, now {tool}" if tool else counts]


def _display(task: Task, now: int) -> list[str]:
    status = status_of(task)
    lines = [f"{ICONS.get(status, '')} **{task.subagent_name}**", f"ID: `{task.id}`", f"Status: {status}"]
    lines.append(f"Goal: {_preview(task.goal_prompt, GOAL_UNITS)}")
    lines.append(f"Duration: {_duration(task, now)}")
    if why := _why_waiting(task, now):
        lines.append(f"Waiting: {why}")
    if isinstance(task, AsyncTaskInfo):
        emitted = task.output.get("emitted_vars") if task.output is not None else None
        if isinstance(emitted, Mapping) and emitted:
            lines.append("Emitted variables:")
            lines += [
                f"  - {key}: {_preview(js_string(item), VARIABLE_UNITS)}" for key, item in js_entries(emitted)
            ]
        if task.error:
            lines.append(f"Error: {task.error}")
    return lines


def _preview(text: str, units: int) -> str:
    return text if utf16_length(text) <= units else f"{utf16_cut(text, units)}..."
