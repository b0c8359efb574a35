"""The texts of `check_async_tasks` about waiting, messages and repeated questions."""

from collections.abc import Sequence

from sidecar.subagents.tasks.model import AsyncTaskInfo
from sidecar.tools.arguments import PARAMETER_VALIDATION
from sidecar.tools.async_task_texts import Task, status_line, status_of
from sidecar.tools.result import ToolError, ToolResult

EXECUTION_FAILED = "EXECUTION_FAILED"


def render_waited(tasks: Sequence[Task], timed_out: bool, seconds: float, now: int) -> ToolResult:
    """Report which of the awaited tasks have ended."""
    if not tasks:
        text = "No async tasks are running."
        return ToolResult(text, text, {"ended": [], "pending": [], "timedOut": False})
    pending = [task.id for task in tasks if is_live(task)]
    ended = [task.id for task in tasks if not is_live(task)]
    head = f"{len(ended)} of {len(tasks)} task(s) ended."
    if timed_out:
        head = f"Stopped waiting after {seconds:g}s: {head}"
    lines = [head, "", *(status_line(task, now) for task in tasks)]
    metadata = {"ended": ended, "pending": pending, "timedOut": timed_out}
    return ToolResult("\n".join(lines), head, metadata)


def render_sent(task_id: str) -> ToolResult:
    """Report that a message was sent."""
    text = f"Message sent to task {task_id}. The subagent gets it when its current turn ends."
    return ToolResult(text, f"Message sent to **{task_id}**.", {"id": task_id, "delivery": "nextTurn"})


def render_not_sent(reason: str) -> ToolResult:
    """Report why a message was not sent."""
    return ToolResult(reason, reason, error=ToolError(reason, EXECUTION_FAILED))


def render_incomplete_send() -> ToolResult:
    """Report that a message needs a task and a text."""
    text = "Cannot send: provide a task_id and a message that is not blank."
    error = ToolError("task_id and message are required for send action", PARAMETER_VALIDATION)
    return ToolResult(text, text, error=error)


def next_change_of_list(live: int) -> str:
    """Describe when the list of all tasks changes next; `live` of them run or wait for a slot."""
    if live:
        return 'It changes next when a task ends or starts; to wait for an end, use action "wait".'
    return "It changes next when a task is launched."


def next_change_of(task: Task) -> str:
    """Describe when the details of one task change next."""
    if is_live(task):
        return 'It changes next when the task makes progress or ends; to wait for its end, use action "wait".'
    return "The task has ended, so this is final."


def render_unchanged(whole: ToolResult, milliseconds: int, following: str) -> ToolResult:
    """Answer a question again in one line: nothing has changed since the whole answer was given.

    `following` says when it changes next.
    """
    text = f"Unchanged since the same question {milliseconds // 1_000}s ago. {following}"
    return ToolResult(text, text, {**(whole.metadata or {}), "unchanged": True}, whole.error)


def is_live(task: Task) -> bool:
    """Return whether a task runs or waits for a slot."""
    return status_of(task) in ("running", "queued") if isinstance(task, AsyncTaskInfo) else True
