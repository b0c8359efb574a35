"""The tool `task`: runs a subagent, waiting for its end or in the background."""

from collections.abc import Awaitable, Callable

from sidecar.api.model import ToolKind
from sidecar.subagents.runs.background import BackgroundRuns
from sidecar.subagents.runs.driving import LaunchAborted, LaunchTimedOut, RunPlan
from sidecar.subagents.tasks.launching import Orchestrator
from sidecar.subagents.tasks.manager import AsyncTaskManager
from sidecar.subagents.tasks.model import QueuePlace
from sidecar.subagents.tasks.slots import Slot
from sidecar.subagents.tasks.timeouts import resolve
from sidecar.tools import task_texts as texts
from sidecar.tools.arguments import BadArgument, refuse, shown_text
from sidecar.tools.result import ToolResult
from sidecar.tools.task_params import SCHEMA, launch_request, parse, run_context


class TaskTool:
    """Launches subagents for the model.

    Time limits are seconds, -1 for none; ValueError names one that is neither. `enqueue` takes a launch
    over the limit instead of its being refused. `create_sync_orchestrator` makes those of synchronous runs,
    where they differ. `background` owns the runs; without one the tool has its
    own, ended by `aclose`.
    A synchronous run ends with the cancelling of `execute`, which then raises CancelledError.
    """

    name = "task"
    display_name = "Task"
    kind: ToolKind = "execute"
    description = (
        "Run a subagent on a goal. By default this waits for the result; with async it returns at once "
        "and the result is reported when the run ends."
    )
    parameter_schema = SCHEMA

    def __init__(
        self,
        create_orchestrator: Callable[[], Orchestrator],
        get_async_task_manager: Callable[[], AsyncTaskManager | None] | None = None,
        default_timeout_seconds: int | float = 900,
        max_timeout_seconds: int | float = 1800,
        *,
        create_sync_orchestrator: Callable[[], Orchestrator] | None = None,
        enqueue: Callable[[RunPlan], Awaitable[QueuePlace]] | None = None,
        background: BackgroundRuns | None = None,
    ) -> None:
        resolve(None, default_timeout_seconds, max_timeout_seconds)
        self._create_orchestrator = create_orchestrator
        self._create_sync_orchestrator = create_sync_orchestrator or create_orchestrator
        self._get_manager = get_async_task_manager or (lambda: None)
        self._default_timeout = default_timeout_seconds
        self._max_timeout = max_timeout_seconds
        self._enqueue = enqueue
        self._runs = background or BackgroundRuns()

    def describe(self, arguments: object) -> str:
        """Say in a line what a call with these arguments does; a bad one has no name or no goal."""
        name, goal = shown_text(arguments, "subagent_name"), shown_text(arguments, "goal_prompt")
        return f"Run subagent '{name}' to accomplish: {goal}"

    async def execute(
        self, arguments: object, update_output: Callable[[str], object] | None = None
    ) -> ToolResult:
        """Answer a call; refusals and failures are answers too.

        `update_output` gets the run's id at once and what the run says as it says it; that of a background
        run goes on after the answer.
        """
        try:
            params = parse(arguments)
        except BadArgument as error:
            return refuse(error)
        timeout = resolve(params.timeout_seconds, self._default_timeout, self._max_timeout)
        plan = RunPlan(
            request=launch_request(params, timeout),
            goal_prompt=params.goal_prompt,
            context=run_context(params),
            timeout=timeout,
            update_output=update_output,
        )
        if params.run_async:
            return await self._execute_async(plan)
        return texts.with_timeout(await self._execute_sync(plan), timeout)

    async def aclose(self, limit: float = 5.0) -> None:
        """End every run this tool started, in about `limit` seconds."""
        await self._runs.aclose(limit)

    async def _execute_sync(self, plan: RunPlan) -> ToolResult:
        name = plan.request.name
        try:
            orchestrator = self._create_sync_orchestrator()
        except Exception as error:
            return texts.raised("Task tool could not initialize subagent orchestrator.", error)
        try:
            done = await self._runs.run(orchestrator, plan)
        except LaunchTimedOut:
            return texts.timed_out(plan.timeout)
        except LaunchAborted:
            return texts.cancelled("Task aborted during launch.")
        except Exception as error:
            return texts.raised(f"Unable to launch subagent '{name}'.", error)
        return texts.finished(name, done.agent_id, done.end, plan.timeout)

    async def _execute_async(self, plan: RunPlan) -> ToolResult:
        manager = self._get_manager()
        if manager is None:
            return texts.no_manager()
        slot = manager.reserve_slot()
        if slot is None:
            return await self._over_limit(manager, plan)
        try:
            orchestrator = self._create_orchestrator()
        except Exception as error:
            slot.release()
            return texts.raised("Failed to create orchestrator for async task.", error)
        return await self._launch(manager, orchestrator, plan, slot)

    async def _launch(
        self, manager: AsyncTaskManager, orchestrator: Orchestrator, plan: RunPlan, slot: Slot
    ) -> ToolResult:
        name = plan.request.name
        try:
            task = await self._runs.launch(manager, orchestrator, plan, slot)
        except LaunchTimedOut:
            return texts.with_timeout(texts.timed_out(plan.timeout), plan.timeout)
        except LaunchAborted:
            return texts.cancelled("Task aborted during launch.")
        except Exception as error:
            return texts.raised(f"Failed to launch async subagent '{name}'.", error)
        return texts.with_timeout(texts.launched(name, task.id), plan.timeout)

    async def _over_limit(self, manager: AsyncTaskManager, plan: RunPlan) -> ToolResult:
        if self._enqueue is None:
            return texts.over_limit(manager.can_launch_async().reason or "Cannot launch async task.")
        name = plan.request.name
        try:
            place = await self._enqueue(plan)
        except Exception as error:
            return texts.raised(f"Failed to launch async subagent '{name}'.", error)
        return texts.with_timeout(texts.queued(name, place), plan.timeout)
