"""Launch subagents for the tool `task` with an orchestrator, in the types of the tool's contract."""

import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from sidecar.api.errors import LimitReached
from sidecar.api.runs.launches import LaunchParams
from sidecar.subagents.runs.background import BackgroundRuns, ForegroundEnd
from sidecar.subagents.tasks.launching import Abort
from sidecar.subagents.tasks.manager import AsyncTaskManager
from sidecar.subagents.tasks.model import Output
from sidecar.subagents.tasks.timeouts import TimeoutChoice, resolve
from sidecar.tools import task_texts as texts
from sidecar.tools.launches import Refused, StartedTask
from sidecar.tools.orchestrator import Launch, LaunchRequest, Orchestrator, SpeakingScope

UpdateOutput = Callable[[str], object]


class OrchestratedLaunches:
    """Launch each run with an orchestrator from `create`, within the manager's limit."""

    def __init__(
        self,
        create: Callable[[], Orchestrator],
        get_manager: Callable[[], AsyncTaskManager | None],
        default_timeout_seconds: float,
        max_timeout_seconds: float,
        background: BackgroundRuns,
    ) -> None:
        resolve(None, default_timeout_seconds, max_timeout_seconds)
        self._create = create
        self._get_manager = get_manager
        self._default_timeout = default_timeout_seconds
        self._max_timeout = max_timeout_seconds
        self._background = background

    def timeout(self, requested: float | None) -> TimeoutChoice:
        """Return the time limit of a run for a requested limit in seconds."""
        return resolve(requested, self._default_timeout, self._max_timeout)

    async def prepare(
        self, params: LaunchParams, *, sync: bool, update_output: UpdateOutput | None
    ) -> "OrchestratedLaunch":
        """Return a launch for `run` or `start`, which may still refuse it."""
        timeout = self.timeout(params.timeout_seconds)
        return OrchestratedLaunch(
            params, timeout, update_output, self._create, self._get_manager, self._background
        )


@dataclass(frozen=True)
class OrchestratedLaunch:
    """One launch of the tool."""

    params: LaunchParams
    timeout: TimeoutChoice
    update_output: UpdateOutput | None
    create: Callable[[], Orchestrator]
    get_manager: Callable[[], AsyncTaskManager | None]
    background: BackgroundRuns

    @property
    def subagent_name(self) -> str:
        """The name of the subagent."""
        return self.params.subagent_name

    @property
    def goal_prompt(self) -> str:
        """The goal of the run."""
        return self.params.goal_prompt

    async def run(self) -> ForegroundEnd:
        """Launch and wait for the end. Raises Refused and any error of the launch."""
        orchestrator = self._orchestrator("Task tool could not initialize subagent orchestrator.")
        return await self.background.run(self, partial(self._launch, orchestrator))

    async def start(self) -> StartedTask:
        """Launch in the background. Raises Refused, LimitReached and any error of the launch."""
        manager = self.get_manager()
        if manager is None:
            raise Refused(texts.no_manager())
        slot = manager.reserve_slot()
        if slot is None:
            reason = manager.can_launch_async().reason or "Cannot launch async task."
            raise LimitReached(reason, running=manager.slots_taken, max=manager.max_async_tasks)
        try:
            orchestrator = self._orchestrator("Failed to create orchestrator for async task.")
        except Refused:
            slot.release()
            raise
        task = await self.background.launch(manager, self, partial(self._launch, orchestrator), slot)
        return StartedTask(task.id)

    def _orchestrator(self, fallback: str) -> Orchestrator:
        try:
            return self.create()
        except Exception as error:
            raise Refused(texts.raised(fallback, error)) from error

    async def _launch(self, orchestrator: Orchestrator, abort: Abort) -> "OrchestratedRun":
        launch = await orchestrator.launch(launch_request(self.params, self.timeout), abort)
        return OrchestratedRun(launch, run_context(self.params))


class OrchestratedRun:
    """A run that an orchestrator launched."""

    def __init__(self, launch: Launch, context: dict[str, Any]) -> None:
        self.agent_id = launch.agent_id
        self._launch = launch
        self._context = context
        self._on_message: UpdateOutput | None = None

    @property
    def output(self) -> Output | None:
        """The output so far."""
        return self._launch.scope.output

    @property
    def on_message(self) -> UpdateOutput | None:
        """Called with each piece of the agent's text, if the scope provides it."""
        return self._on_message

    @on_message.setter
    def on_message(self, update: UpdateOutput | None) -> None:
        self._on_message = update
        scope = self._launch.scope
        if isinstance(scope, SpeakingScope):
            scope.on_message = update

    async def run(self) -> object:
        """Run to the end."""
        return await self._launch.scope.run_non_interactive(dict(self._context))

    def dispose(self) -> Awaitable[object]:
        """Release the resources of the run."""
        return self._launch.dispose()


def launch_request(params: LaunchParams, timeout: TimeoutChoice) -> LaunchRequest:
    """Return the request for an orchestrator, with time in minutes, and limits and tools as mappings."""
    tools, outputs = params.tool_whitelist, params.expected_outputs
    return LaunchRequest(
        name=params.subagent_name,
        behaviour_prompts=[params.goal_prompt, *(params.behaviour_prompts or ())],
        run_config=_run_config(params, timeout),
        tool_config=None if tools is None else {"tools": tools},
        output_config=None if outputs is None else {"outputs": outputs},
    )


def run_context(params: LaunchParams) -> dict[str, Any]:
    """Return the context of a run, in which the caller may replace the goal and the name, not the prompts."""
    prompts = [params.goal_prompt, *(params.behaviour_prompts or ())]
    call = {"task_goal": params.goal_prompt, "task_name": params.subagent_name}
    return call | (params.context or {}) | {"task_behaviour_prompts": prompts}


def _run_config(params: LaunchParams, timeout: TimeoutChoice) -> dict[str, Any] | None:
    limits = {"grace_period_seconds": params.grace_period_seconds, "max_turns": params.max_turns}
    given = {name: value for name, value in limits.items() if value is not None}
    if timeout.effective is None and not given:
        return None
    minutes = math.inf if timeout.effective is None else timeout.effective / 60
    return {"max_time_minutes": minutes, **given}
