"""What a launch is checked for, and the record that it begins with; nothing is started or written here."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from sidecar.api.async_tasks import AsyncTask, LaunchParams, Progress
from sidecar.api.errors import AmbiguousTaskId, InvalidParams, LaunchFailed, TaskNotFound
from sidecar.api.settings import Settings
from sidecar.app.launching import params as launch_params
from sidecar.app.launching.workspace import Workspace
from sidecar.storage.layout import new_task_id
from sidecar.subagents.journal.records import Origin, RunRecord
from sidecar.subagents.limits.budget import DaySpending
from sidecar.subagents.runners.contract import Runner
from sidecar.subagents.runs.admission import Prepared
from sidecar.subagents.runs.driving import RunPlan
from sidecar.subagents.runs.registry import RunRegistry
from sidecar.subagents.tasks.launching import LaunchRequest
from sidecar.subagents.tasks.timeouts import TimeoutChoice, resolve

if TYPE_CHECKING:
    from sidecar.subagents.runs.catalogue import Catalogue, Plan


@dataclass(frozen=True)
class Planner:
    """Plans the launches of one Host."""

    settings: Callable[[], Settings]
    runners: Callable[[], Mapping[str, Runner]]
    catalogue: "Callable[[], Catalogue]"
    spending: DaySpending
    registry: RunRegistry
    now: Callable[[], int]

    async def prepare(self, params: LaunchParams, workspace: Workspace) -> Prepared:
        """Check everything a launch can be refused for, and make its record; nothing is written yet."""
        launch_params.check(params)
        directory = workspace.working_directory(params.workspace_dir)
        plan = await self.plan(params.subagent_name, workspace)
        await self._check_depth(params.parent_task_id)
        requested = params.timeout_seconds
        timeout = self._timeout(plan.definition.timeout_seconds if requested is None else requested)
        request = launch_params.request_of(params, timeout)
        launch_params.check_runner(request, plan.runner)
        run = RunPlan(
            request=request, goal_prompt=params.goal_prompt, context=params.context or {}, timeout=timeout
        )
        record = self.record(
            plan,
            request,
            directory,
            origin="client",
            context=params.context,
            timeout_seconds=timeout.effective,
            parent_task_id=params.parent_task_id,
            notify_model=params.notify_model,
        )
        return Prepared(record, plan, run)

    async def with_parent(self, params: LaunchParams) -> LaunchParams:
        """Return the parameters with the whole id of the parent. Raises TaskNotFound and AmbiguousTaskId."""
        if params.parent_task_id is None:
            return params
        try:
            parent = await self.registry.resolve(params.parent_task_id)
        except (TaskNotFound, AmbiguousTaskId) as error:
            raise type(error)(f"parentTaskId: {error.message}", **error.data) from None
        return msgspec.structs.replace(params, parent_task_id=parent.task.id)

    async def plan(self, name: str, workspace: Workspace) -> "Plan":
        """Choose what a launch of `name` executes; LaunchFailed also when the day's budget is used up."""
        used_up = self.spending.used_up(self.settings().budget)
        if used_up is not None:
            raise LaunchFailed(
                f"subagent {name!r} cannot be launched: {used_up}", subagentName=name, reason=used_up
            )
        return await asyncio.to_thread(
            lambda: self.catalogue().plan(
                self.settings(), self.runners(), name, workspace.folders, trusted=workspace.trusted
            )
        )

    def record(
        self,
        plan: "Plan",
        request: LaunchRequest,
        directory: Path,
        *,
        origin: Origin,
        context: Mapping[str, Any] | None = None,
        timeout_seconds: float | None = None,
        parent_task_id: str | None = None,
        sync: bool = False,
        notify_model: bool = False,
    ) -> RunRecord:
        """Make the record of a run that starts now."""
        now = self.now()
        task = AsyncTask(
            id=new_task_id(),
            subagent_name=plan.definition.name,
            goal_prompt=request.behaviour_prompts[0],
            status="running",
            launched_at=now,
            progress=Progress(last_activity_at=now),
            runner=plan.runner.name,
            workspace_dir=str(directory),
            timeout_seconds=timeout_seconds,
            parent_task_id=parent_task_id,
        )
        kept = launch_params.journalled(request, context)
        return RunRecord(task=task, origin=origin, sync=sync, notify_model=notify_model, request=kept)

    async def _check_depth(self, parent_task_id: str | None) -> None:
        """Raise InvalidParams for a run too far below one that none of ours launched, which has depth 1."""
        maximum, depth = self.settings().async_tasks.max_depth, 1
        while parent_task_id is not None and (record := await self.registry.find(parent_task_id)) is not None:
            parent_task_id, depth = record.task.parent_task_id, depth + 1
            if depth > maximum:
                raise InvalidParams(
                    f"parentTaskId: the run would be nested deeper than asyncTasks.maxDepth ({maximum}) "
                    "allows; launch it from above, or raise the setting"
                )

    def _timeout(self, requested: float | None) -> TimeoutChoice:
        limits = self.settings().async_tasks
        try:
            return resolve(requested, limits.default_timeout_seconds, limits.max_timeout_seconds)
        except ValueError:
            raise InvalidParams(
                f"timeoutSeconds: {requested} is neither a number of seconds above 0 "
                "nor -1, which asks for as long as the settings allow"
            ) from None
