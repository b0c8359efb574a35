"""The tool `check_async_tasks`: the state of background tasks, for the model."""

from collections.abc import Awaitable, Callable, Hashable, Sequence

from sidecar.api.errors import SidecarError
from sidecar.api.model import ToolKind
from sidecar.api.runs.async_tasks import Progress
from sidecar.javascript.printing import json_stringify
from sidecar.subagents.tasks.manager import AsyncTaskManager
from sidecar.subagents.tasks.model import AsyncTaskInfo, QueuedTask
from sidecar.tools import async_task_texts as texts
from sidecar.tools import control_texts
from sidecar.tools.arguments import BadArgument, refuse
from sidecar.tools.check_params import SCHEMA, CheckCall, WaitMode, parse
from sidecar.tools.repeats import Repeats
from sidecar.tools.result import ToolResult

Wait = Callable[[Sequence[str], WaitMode, float], Awaitable[bool]]
_DESCRIPTIONS = {"list": "List all async tasks", "wait": "Wait for async tasks"}
_CHANGING = ("duration", "progress")
"""Members that change all the time; they do not make the answer to a repeated question a new one."""
_VERBS = {"peek": "Check status of", "cancel": "Cancel", "send": "Send a message to"}


class CheckAsyncTasksTool:
    """List tasks, show one, cancel one, wait for ends, or send a message. Reading never marks a result.

    `queued` returns the tasks that wait for a slot. `recorded(task_id)` returns an ended task by its
    whole ID, also one that the manager has dropped. `cancel` ends a task by its full ID and returns whether
    this call ended it; a Host also records that the model cancelled. `wait(task_ids, mode, seconds)` returns
    whether it timed out. `send(task_id, text)` may raise SidecarError. `sees` tells which tasks the default
    scope has, and `sees_all` whether the scope `all` has every task. `progress(task_id)` returns what a
    running task has done so far, None if that is unknown. `repeats` shortens answers to repeated
    questions. `max_chars` limits each result.
    """

    name = "check_async_tasks"
    display_name = "Check Async Tasks"
    kind: ToolKind = "think"
    description = (
        "Check the status of background async tasks. Call with no arguments to list all tasks, "
        "or provide a task_id (or prefix) to get detailed info about a specific task."
    )
    parameter_schema = SCHEMA

    def __init__(
        self,
        manager: AsyncTaskManager,
        *,
        queued: Callable[[], Sequence[QueuedTask]] = tuple,
        recorded: Callable[[str], Awaitable[AsyncTaskInfo | None]] | None = None,
        cancel: Callable[[str], bool | Awaitable[bool]] | None = None,
        wait: Wait | None = None,
        send: Callable[[str, str], Awaitable[None]] | None = None,
        sees: Callable[[str], bool] = lambda task_id: True,
        sees_all: bool = True,
        progress: Callable[[str], Progress | None] = lambda task_id: None,
        repeats: Repeats | None = None,
        max_chars: int = 20_000,
    ) -> None:
        self._manager = manager
        self._queued = queued
        self._recorded = recorded
        self._cancel = cancel or manager.cancel_task
        self._wait = wait
        self._send = send
        self._sees = sees
        self._sees_all = sees_all
        self._progress = progress
        self._repeats = repeats
        self._max_chars = max_chars

    def describe(self, arguments: object) -> str:
        """Describe a call with these arguments in one line; return the tool's name if they are invalid."""
        try:
            call = parse(arguments)
        except BadArgument:
            return self.display_name
        if call.action in _DESCRIPTIONS:
            return _DESCRIPTIONS[call.action]
        return f"{_VERBS[call.action]} async task '{call.task_id}'"

    async def execute(self, arguments: object) -> ToolResult:
        """Return the result of a call, even for invalid arguments."""
        try:
            call = parse(arguments)
        except BadArgument as error:
            return refuse(error)
        if call.action == "list":
            return self._list(call)
        if call.action == "wait":
            return await self._wait_for(call)
        if call.action == "cancel" and not call.task_id:
            return texts.render_cancel_without_id()
        if call.action == "send" and not (call.task_id and call.message.strip()):
            return control_texts.render_incomplete_send()
        found = self._find(call.task_id, call)
        if isinstance(found, ToolResult):
            found = await self._recorded_end(call) or found
        if isinstance(found, ToolResult):
            return found
        if call.action == "cancel":
            done = self._cancel(found.id)
            return texts.render_cancelled(found.id, done if isinstance(done, bool) else await done)
        if call.action == "send":
            return await self._send_to(found, call.message)
        return self._peek(found, call)

    def _list(self, call: CheckCall) -> ToolResult:
        tasks = [task for task in self._manager.get_all_tasks() if self._is_seen(task, call)]
        queued = [task for task in self._queued() if self._is_seen(task, call)]
        result = texts.render_list(tasks, queued, self._manager.now(), self._max_chars)
        everything: list[texts.Task] = [*tasks, *queued]
        state = tuple((task.id, texts.status_of(task)) for task in everything)
        live = sum(control_texts.is_live(task) for task in everything)
        following = control_texts.next_change_of_list(live)
        return self._whole_or_repeated(("list", call.everywhere), state, result, following)

    def _peek(self, task: texts.Task, call: CheckCall) -> ToolResult:
        progress = self._progress(task.id) if texts.status_of(task) == "running" else None
        result = texts.render_details(task, self._manager.now(), self._max_chars, progress)
        details = {key: value for key, value in (result.metadata or {}).items() if key not in _CHANGING}
        following = control_texts.next_change_of(task)
        return self._whole_or_repeated(("peek", call.task_id), json_stringify(details), result, following)

    def _whole_or_repeated(
        self, question: Hashable, state: Hashable, result: ToolResult, following: str
    ) -> ToolResult:
        if self._repeats is None:
            return result
        since = self._repeats.since(question, state, self._manager.now())
        return result if since is None else control_texts.render_unchanged(result, since, following)

    async def _wait_for(self, call: CheckCall) -> ToolResult:
        chosen: list[texts.Task] = []
        for task_id in call.task_ids:
            found = self._find(task_id, call)
            if isinstance(found, ToolResult):
                return found
            chosen.append(found)
        if not call.task_ids:
            chosen = [task for task in self._everything(call) if control_texts.is_live(task)]
        ids = [task.id for task in chosen]
        timed_out = bool(ids) and await self._waited(ids, call)
        newest = {task.id: task for task in self._everything(call)}
        tasks = [newest.get(task.id, task) for task in chosen]
        return control_texts.render_waited(tasks, timed_out, call.timeout_seconds, self._manager.now())

    async def _waited(self, task_ids: Sequence[str], call: CheckCall) -> bool:
        if self._wait is not None:
            return await self._wait(task_ids, call.mode, call.timeout_seconds)
        from sidecar.tools.waiting import wait_for_ends  # here, since a Host brings its own

        return await wait_for_ends(self._manager, task_ids, call.mode, call.timeout_seconds)

    async def _send_to(self, task: texts.Task, message: str) -> ToolResult:
        if self._send is None:
            return control_texts.render_not_sent("Messages to subagents are not supported here.")
        try:
            await self._send(task.id, message)
        except SidecarError as error:
            return control_texts.render_not_sent(error.message)
        return control_texts.render_sent(task.id)

    def _everything(self, call: CheckCall) -> list[texts.Task]:
        everything: list[texts.Task] = [*self._manager.get_all_tasks(), *self._queued()]
        return [task for task in everything if self._is_seen(task, call)]

    def _is_seen(self, task: texts.Task, call: CheckCall) -> bool:
        return (call.everywhere and self._sees_all) or self._sees(task.id)

    async def _recorded_end(self, call: CheckCall) -> texts.Task | None:
        """Return a task that the manager has dropped, since a reminder may still name it."""
        if self._recorded is None or call.action != "peek":
            return None
        task = await self._recorded(call.task_id)
        return task if task is not None and self._is_seen(task, call) else None

    def _find(self, task_id: str, call: CheckCall) -> texts.Task | ToolResult:
        """Return the task with this ID, else with this prefix, or a result that reports the problem."""
        everything = self._everything(call)
        matches = [task for task in everything if task.id == task_id]
        matches = matches or [task for task in everything if task.id.startswith(task_id)]
        if len(matches) == 1:
            return matches[0]
        return texts.render_ambiguous(task_id, matches) if matches else texts.render_not_found(task_id)
