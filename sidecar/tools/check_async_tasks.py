"""The tool `check_async_tasks`: the state of background tasks, for the model."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from sidecar.api.model import ToolKind
from sidecar.subagents.tasks.manager import AsyncTaskManager
from sidecar.subagents.tasks.model import QueuedTask
from sidecar.tools import async_task_texts as texts
from sidecar.tools.arguments import BadArgument, check_names, refuse, text
from sidecar.tools.result import ToolResult

ACTIONS = ("list", "peek", "cancel")


class CheckAsyncTasksTool:
    """List tasks, show one, or cancel one. Reading never marks a result as delivered.

    `queued` returns the tasks that wait for a slot. `cancel` ends a task by its full ID and returns whether
    this call ended it; a Host also records that the model cancelled. `max_chars` limits each result.
    """

    name = "check_async_tasks"
    display_name = "Check Async Tasks"
    kind: ToolKind = "think"
    description = (
        "Check the status of background async tasks. Call with no arguments to list all tasks, "
        "or provide a task_id (or prefix) to get detailed info about a specific task."
    )
    parameter_schema: Mapping[str, Any] = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "task_id": {
                "type": "string",
                "description": "Optional task ID or unique prefix to get details for a specific task.",
            },
            "action": {
                "type": "string",
                "enum": list(ACTIONS),
                "description": "What to do: list all tasks, peek at one, or cancel one. "
                "Default: peek with a task_id, list without.",
            },
        },
    }

    def __init__(
        self,
        manager: AsyncTaskManager,
        *,
        queued: Callable[[], Sequence[QueuedTask]] = tuple,
        cancel: Callable[[str], bool | Awaitable[bool]] | None = None,
        max_chars: int = 20_000,
    ) -> None:
        self._manager = manager
        self._queued = queued
        self._cancel = cancel or manager.cancel_task
        self._max_chars = max_chars

    def describe(self, arguments: object) -> str:
        """Describe a call with these arguments in one line; return the tool's name if they are invalid."""
        try:
            action, task_id = _choose(self._checked(arguments))
        except BadArgument:
            return self.display_name
        if action == "list":
            return "List all async tasks"
        verb = "Cancel" if action == "cancel" else "Check status of"
        return f"{verb} async task '{task_id}'"

    async def execute(self, arguments: object) -> ToolResult:
        """Return the result of a call, also for invalid arguments."""
        try:
            action, task_id = _choose(self._checked(arguments))
        except BadArgument as error:
            return refuse(error)
        if action == "list":
            tasks, queued = self._manager.get_all_tasks(), self._queued()
            return texts.render_list(tasks, queued, self._manager.now(), self._max_chars)
        if action == "cancel" and not task_id:
            return texts.render_cancel_without_id()
        found = self._find(task_id)
        if isinstance(found, ToolResult):
            return found
        if action == "cancel":
            done = self._cancel(found.id)
            return texts.render_cancelled(found.id, done if isinstance(done, bool) else await done)
        return texts.render_details(found, self._manager.now(), self._max_chars)

    def _checked(self, arguments: object) -> Mapping[str, Any]:
        return check_names(arguments, tuple(self.parameter_schema["properties"]))

    def _find(self, task_id: str) -> texts.Task | ToolResult:
        """Return the task with this ID, else with this prefix, or a result that reports the problem."""
        everything: list[texts.Task] = [*self._manager.get_all_tasks(), *self._queued()]
        matches = [task for task in everything if task.id == task_id]
        matches = matches or [task for task in everything if task.id.startswith(task_id)]
        if len(matches) == 1:
            return matches[0]
        return texts.render_ambiguous(task_id, matches) if matches else texts.render_not_found(task_id)


def _choose(arguments: Mapping[str, Any]) -> tuple[str, str]:
    """Return the action and the ID. The default action is `peek` with an ID, else `list`."""
    task_id = text(arguments, "task_id") or ""
    action = text(arguments, "action")
    if action is None:
        return ("peek" if task_id else "list"), task_id
    if action not in ACTIONS:
        raise BadArgument(f"Parameter 'action' must be one of {', '.join(ACTIONS)}, not '{action}'.")
    return action, task_id
