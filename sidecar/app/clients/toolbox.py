"""The model's tools for one client, bound to its workspace and its Host."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from sidecar.api.errors import InvalidParams, SidecarError
from sidecar.api.model import ToolCallError, ToolCallResult, ToolDeclaration, ToolKind
from sidecar.api.runs.async_tasks import Progress
from sidecar.api.runs.launches import LaunchParams
from sidecar.app.clients.context import Caller
from sidecar.app.clients.tool_text import safe_result
from sidecar.app.delegation.delegation import RunDelegation
from sidecar.app.launching.gate import PendingLaunch
from sidecar.app.launching.launcher import Launcher
from sidecar.history import TaskHistory
from sidecar.subagents.reminders.bounded_json import fit, remedy
from sidecar.subagents.runs.background import ForegroundEnd
from sidecar.subagents.runs.prepared import PreparedLaunch
from sidecar.subagents.tasks.timeouts import TimeoutChoice
from sidecar.tools import CheckAsyncTasksTool, ListTasksTool
from sidecar.tools.check_params import WaitMode
from sidecar.tools.launches import StartedTask
from sidecar.tools.repeats import Repeats
from sidecar.tools.result import ToolError, ToolResult
from sidecar.tools.task import SubagentTool

if TYPE_CHECKING:
    from sidecar.app.host import Host

_WHOLE = frozenset({"terminate_reason"})
"""The variables of an output that are never cut."""
UpdateOutput = Callable[[str], object]


class _Tool(Protocol):
    name: str
    description: str
    kind: ToolKind

    @property
    def parameter_schema(self) -> Mapping[str, Any]: ...

    async def execute(self, arguments: object) -> ToolResult: ...


class Toolbox:
    """Declare and call the tools for one client; `caller` returns who launches now."""

    def __init__(
        self,
        host: "Host",
        caller: Callable[[], Caller],
        history: Callable[[], TaskHistory],
        *,
        require_trust: Callable[[], None],
        sees: Callable[[str], bool],
        may_see_all: Callable[[], bool] = lambda: True,
        delegation: RunDelegation | None = None,
    ) -> None:
        """`require_trust` raises NotTrusted if the model may not launch.

        `sees` returns whether the model sees a run, and `may_see_all` whether the scope `all` has the others.
        `delegation` is that of the run whose agent has the tools; its model sees no other runs.
        """
        self._host = host
        self._history = history
        self._caller = caller
        self._require_trust = require_trust
        self._sees = sees
        self._may_see_all = may_see_all
        self._delegation = delegation
        self._repeats = Repeats()

    def declarations(self) -> list[ToolDeclaration]:
        """Return the description of each tool for the model."""
        return [
            ToolDeclaration(
                name=tool.name,
                description=tool.description,
                kind=tool.kind,
                input_schema=dict(tool.parameter_schema),
            )
            for tool in self._tools().values()
        ]

    async def call(
        self, name: str, arguments: Mapping[str, Any], update_output: UpdateOutput | None = None
    ) -> ToolCallResult:
        """Return the result of a tool, even for its errors. Raises InvalidParams for an unknown tool.

        `update_output` is called with the text that `task` streams; other tools do not stream.
        """
        tools = self._tools()
        if name not in tools:
            raise InvalidParams(f"name: {name!r} is not a tool. Use one of: {', '.join(tools)}")
        if name == "task":
            result = await self._call_task(arguments, update_output)
        else:
            result = await tools[name].execute(arguments)
        result = safe_result(name, result, self._caller().settings.current.history.rules)
        return ToolCallResult(
            llm_content=result.llm_content,
            return_display=result.return_display,
            metadata=result.metadata,
            error=_error(result.error),
        )

    async def _call_task(
        self, arguments: Mapping[str, Any], update_output: UpdateOutput | None
    ) -> ToolResult:
        launcher, caller = self._host.launcher, self._caller()
        with launcher.gate.open(caller.client_id, caller.workspace_owner()) as pending:
            refusal = self._refusal()
            if refusal is not None:
                return refusal
            launches = HostLaunches(launcher, caller, pending)
            with nullcontext() if self._delegation is None else self._delegation.paused():
                return await SubagentTool(launches).execute(arguments, update_output)

    async def _wait(self, task_ids: Sequence[str], mode: WaitMode, seconds: float) -> bool:
        with nullcontext() if self._delegation is None else self._delegation.waiting():
            return await self._host.control.wait(task_ids, mode, seconds)

    def _tools(self) -> dict[str, _Tool]:
        host, settings = self._host, self._caller().settings.current
        check = CheckAsyncTasksTool(
            host.manager,
            queued=host.reminders.queued,
            recorded=host.reminders.recorded_end,
            cancel=self._cancel,
            wait=self._wait,
            send=self._send,
            sees=self._sees,
            sees_all=self._delegation is None and self._may_see_all(),
            progress=self._progress,
            repeats=self._repeats,
            max_chars=settings.tools.max_chars,
        )
        tools: list[_Tool] = [ListTasksTool(self._history(), settings.history.rules)]
        if self._delegation is None or self._delegation.may_launch:
            tools.append(SubagentTool(HostLaunches(host.launcher, self._caller(), PendingLaunch())))
        return {tool.name: tool for tool in [*tools, check]}

    def _progress(self, task_id: str) -> Progress | None:
        run = self._host.registry.live(task_id)
        return None if run is None else run.snapshot().progress

    async def _cancel(self, task_id: str) -> bool:
        return await self._host.control.cancel(task_id, by="model", client_id=self._caller().client_id)

    async def _send(self, task_id: str, text: str) -> None:
        self._require_trust()
        self._host.require_ownership()
        await self._host.control.send(await self._host.registry.resolve(task_id), text)

    def _refusal(self) -> ToolResult | None:
        try:
            self._host.require_ownership()
            self._require_trust()
        except SidecarError as error:
            return ToolResult(
                error.message, error.message, error=ToolError(error.message, "EXECUTION_FAILED")
            )
        return None


@dataclass(frozen=True)
class HostLaunches:
    """Launch the runs of one call of the tool `task` with the Host's launcher."""

    launcher: Launcher
    caller: Caller
    pending: PendingLaunch

    def timeout(self, requested: float | None) -> TimeoutChoice:
        """Return the time limit of a run for a requested limit in seconds."""
        return self.launcher.timeout(requested, self.caller)

    async def prepare(
        self, params: LaunchParams, *, sync: bool, update_output: UpdateOutput | None
    ) -> "HostLaunch":
        """Check and plan a launch."""
        prepared = await self.launcher.prepare(params, self.caller, sync=sync, update_output=update_output)
        return HostLaunch(self.launcher, prepared, self.pending, self.caller.settings.current.tools.max_chars)


@dataclass(frozen=True)
class HostLaunch:
    """One launch of the model; `max_chars` limits the output of a run that the model waits for."""

    launcher: Launcher
    prepared: PreparedLaunch
    pending: PendingLaunch
    max_chars: int

    @property
    def timeout(self) -> TimeoutChoice:
        """The time limit that applies."""
        return self.prepared.timeout

    async def run(self) -> ForegroundEnd:
        """Launch and wait for the end."""
        done = await self.launcher.run(self.prepared, self.pending)
        if done.end.output is None:
            return done
        output = fit(done.end.output, remedy(done.agent_id), self.max_chars, _WHOLE)
        return replace(done, end=replace(done.end, output=output))

    async def start(self) -> StartedTask:
        """Launch in the background, or queue the launch at the limit."""
        position = await self.launcher.start(self.prepared, self.pending)
        return StartedTask(self.prepared.task_id, position)


def _error(error: ToolError | None) -> ToolCallError | None:
    if error is None:
        return None
    return ToolCallError(message=error.message, type=error.type)  # type: ignore[arg-type]  # one of the three
