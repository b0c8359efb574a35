"""The model's tools, bound to one client's workspace and its Host."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from sidecar.api.errors import InvalidParams, NotTrusted, SidecarError
from sidecar.api.model import ToolCallError, ToolCallResult, ToolDeclaration, ToolKind
from sidecar.app.launching.gate import PendingLaunch
from sidecar.app.launching.workspace import Workspace
from sidecar.subagents.limits.terms import Term, unkept
from sidecar.subagents.runs.admission import Prepared
from sidecar.subagents.runs.driving import RunPlan
from sidecar.subagents.runs.orchestrator import RunLaunch
from sidecar.subagents.tasks.launching import Abort, LaunchRequest
from sidecar.subagents.tasks.model import QueuePlace
from sidecar.subagents.tasks.timeouts import TimeoutChoice
from sidecar.tools import CheckAsyncTasksTool, ListTasksTool, TaskTool
from sidecar.tools.arguments import BadArgument, refuse
from sidecar.tools.result import ToolError, ToolResult
from sidecar.tools.task_params import launch_request, parse

if TYPE_CHECKING:
    from sidecar.app.host import Host

_PARAMETERS: Mapping[Term, str] = {
    "expectedOutputs": "expected_outputs",
    "toolWhitelist": "tool_whitelist",
    "maxTurns": "max_turns",
}
"""What the tool calls the parameters of a launch that not every runner can keep to."""


UpdateOutput = Callable[[str], object]


class _Tool(Protocol):
    name: str
    description: str
    kind: ToolKind

    @property
    def parameter_schema(self) -> Mapping[str, Any]: ...

    async def execute(self, arguments: object) -> ToolResult: ...


class Toolbox:
    """Declare and call the tools for one client; `workspace` gives what that client sees now."""

    def __init__(self, host: "Host", workspace: Callable[[], Workspace]) -> None:
        self._host = host
        self._workspace = workspace

    def declarations(self) -> list[ToolDeclaration]:
        """Return what describes each tool to the model."""
        return [
            ToolDeclaration(
                name=tool.name,
                description=tool.description,
                kind=tool.kind,
                input_schema=dict(tool.parameter_schema),
            )
            for tool in self._tools({}).values()
        ]

    async def call(
        self, name: str, arguments: Mapping[str, Any], update_output: UpdateOutput | None = None
    ) -> ToolCallResult:
        """Call a tool; its faults are results. Raises InvalidParams for a tool that does not exist.

        `update_output` gets what `task` streams; the other tools only answer.
        """
        tools = self._tools(arguments)
        if name not in tools:
            raise InvalidParams(f"name: there is no tool {name!r}; there are {', '.join(tools)}")
        if name == "task":
            result = await self._call_task(arguments, update_output)
        else:
            result = await tools[name].execute(arguments)
        return ToolCallResult(
            llm_content=result.llm_content,
            return_display=result.return_display,
            metadata=result.metadata,
            error=_error(result.error),
        )

    async def _call_task(
        self, arguments: Mapping[str, Any], update_output: UpdateOutput | None
    ) -> ToolResult:
        with self._host.runs.launches.open() as gate:
            return await self._launch_task(arguments, gate, update_output)

    async def _launch_task(
        self, arguments: Mapping[str, Any], gate: PendingLaunch, update_output: UpdateOutput | None
    ) -> ToolResult:
        refusal = self._refusal()
        if refusal is not None:
            return refusal
        try:
            request = launch_request(parse(arguments), TimeoutChoice(None))
            plan = await self._host.planner.plan(request.name, self._workspace())
        except (BadArgument, SidecarError):
            return await self._task_tool(arguments, gate).execute(arguments)  # which says what is wrong
        found = unkept(request, plan.runner.lacks)
        if found is not None:
            term, reason = found
            return refuse(BadArgument(f"Parameter '{_PARAMETERS[term]}' cannot be kept to here: {reason}."))
        if arguments.get("async") is True and self._host.settings.async_tasks.over_limit == "reject":
            await self._host.runs.until_slot(lambda: self._has_slot(plan.runner.name))
        limit = plan.definition.timeout_seconds
        if arguments.get("timeout_seconds") is None and limit is not None:
            arguments = {**arguments, "timeout_seconds": limit}
        return await self._task_tool(arguments, gate).execute(arguments, update_output)

    def _has_slot(self, runner: str) -> bool:
        return self._host.manager.can_launch_async().allowed and self._host.runs.room.has(runner)

    def _tools(self, arguments: Mapping[str, Any]) -> dict[str, _Tool]:
        host = self._host
        check = CheckAsyncTasksTool(
            host.manager,
            queued=host.reminders.queued,
            cancel=lambda task_id: host.runs.cancel(task_id, by="model"),
            max_chars=host.settings.tools.max_chars,
        )
        tools = (
            ListTasksTool(host.history, host.settings.history.rules),
            self._task_tool(arguments, PendingLaunch()),
            check,
        )
        return {tool.name: tool for tool in tools}

    def _task_tool(self, arguments: Mapping[str, Any], gate: PendingLaunch) -> TaskTool:
        limits = self._host.settings.async_tasks
        queues = limits.over_limit == "queue"
        return TaskTool(
            lambda: _ToolOrchestrator(self._host, self._workspace(), arguments, gate),
            lambda: self._host.manager,
            limits.default_timeout_seconds,
            limits.max_timeout_seconds,
            enqueue=(lambda run: self._enqueue(run, arguments, gate)) if queues else None,
            background=self._host.runs.background,
        )

    async def _enqueue(self, run: RunPlan, arguments: Mapping[str, Any], gate: PendingLaunch) -> QueuePlace:
        planner, workspace = self._host.planner, self._workspace()
        plan = await planner.plan(run.request.name, workspace)
        record = planner.record(
            plan,
            run.request,
            workspace.working_directory(None),
            origin="model",
            context=arguments.get("context"),
            timeout_seconds=run.timeout.effective,
        )
        gate.check(run.request.name)
        gate.task_id = record.task.id
        position = await self._host.runs.enqueue(Prepared(record, plan, run))
        if gate.is_cancelled:
            self._host.runs.request_cancel(record.task.id, "user")
        return QueuePlace(record.task.id, position)

    def _refusal(self) -> ToolResult | None:
        try:
            self._host.require_ownership()
            if not self._workspace().trusted:
                raise NotTrusted("The workspace is not trusted; ask the user to trust it in the editor.")
        except SidecarError as error:
            return ToolResult(
                error.message, error.message, error=ToolError(error.message, "EXECUTION_FAILED")
            )
        return None


class _ToolOrchestrator:
    """Launch what the task tool asks for in one call, recorded as the model's own launch."""

    def __init__(
        self, host: "Host", workspace: Workspace, arguments: Mapping[str, Any], gate: PendingLaunch
    ) -> None:
        self._host = host
        self._workspace = workspace
        self._arguments = arguments
        self._gate = gate

    async def launch(self, request: LaunchRequest, abort: Abort) -> RunLaunch:
        launch = await self._launch(request, abort)
        if self._gate.is_cancelled:
            self._host.runs.request_cancel(launch.agent_id, "user")
        return launch

    async def _launch(self, request: LaunchRequest, abort: Abort) -> RunLaunch:
        runs, planner = self._host.runs, self._host.planner
        plan = await planner.plan(request.name, self._workspace)
        record = planner.record(
            plan,
            request,
            self._workspace.working_directory(None),
            origin="model",
            context=self._arguments.get("context"),
            timeout_seconds=_limit_seconds(request),
            sync=self._arguments.get("async") is not True,
        )
        self._gate.check(request.name)
        self._gate.task_id = record.task.id
        orchestrator = runs.orchestrator(plan, record)
        if record.sync:
            return await orchestrator.launch(request, abort)
        runs.room.check(record.task.runner)
        runs.room.take(record.task.runner, record.task.id)
        try:
            return await orchestrator.launch(request, abort)
        except BaseException:
            runs.room.release(record.task.id)
            raise


def _limit_seconds(request: LaunchRequest) -> float | None:
    """Return the limit of the request, which has it in minutes, without the dust of the division."""
    minutes = (request.run_config or {}).get("max_time_minutes", float("inf"))
    if minutes == float("inf"):
        return None
    seconds = round(minutes * 60, 6)
    return int(seconds) if seconds.is_integer() else seconds


def _error(error: ToolError | None) -> ToolCallError | None:
    if error is None:
        return None
    return ToolCallError(message=error.message, type=error.type)  # type: ignore[arg-type]  # one of the three
