"""Check a launch and plan its definition, runner, limits and record, without starting or writing anything."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from sidecar.api.errors import AmbiguousTaskId, InvalidParams, LaunchFailed, TaskNotFound
from sidecar.api.mcp_servers import OWN_SERVER
from sidecar.api.runs.async_tasks import AsyncTask, Progress
from sidecar.api.runs.launches import LaunchParams
from sidecar.app.clients.context import Caller
from sidecar.app.launching.equipping import equip
from sidecar.app.launching.launch_record import attachment_names, to_record
from sidecar.storage.layout import new_task_id
from sidecar.subagents.agent_text import InvalidParameter
from sidecar.subagents.equipment.equipment import Equipment
from sidecar.subagents.journal.records import Origin, RunRecord
from sidecar.subagents.limits.budget import DaySpending
from sidecar.subagents.limits.constraints import constraints_of, first_unsupported
from sidecar.subagents.runners.contract import RunnerUnavailable
from sidecar.subagents.runs.launch_check import check_launch
from sidecar.subagents.runs.prepared import PreparedLaunch
from sidecar.subagents.runs.registry.registry import RunRegistry
from sidecar.subagents.tasks.timeouts import TimeoutChoice, resolve

if TYPE_CHECKING:
    from sidecar.app.delegation.delegations import Delegations
    from sidecar.subagents.runs.targets.target import Target


_CLUSTER_SECONDS = 4.0
"""How long after its beginning a launch waits for its cluster, so that it is answered within 5 s."""


@dataclass(frozen=True)
class Planner:
    """Plan the launches of one Host."""

    spending: DaySpending
    registry: RunRegistry
    now: Callable[[], int]
    delegations: "Delegations | None" = None

    async def prepare(
        self,
        params: LaunchParams,
        caller: Caller,
        *,
        origin: Origin,
        sync: bool = False,
        update_output: Callable[[str], object] | None = None,
    ) -> PreparedLaunch:
        """Check a launch and create its record.

        `sync` marks a run whose caller waits for its result. Raises InvalidParams, SubagentNotFound,
        LaunchFailed, TaskNotFound and AmbiguousTaskId.
        """
        until = asyncio.get_running_loop().time() + _CLUSTER_SECONDS
        check_launch(params)
        settings, rights = caller.settings.current, caller.parent
        params = params if rights is None else rights.bind(params)
        params = await self._with_parent(params)
        directory = caller.workspace.working_directory(params.workspace_dir)
        target = _configured(await self._target(params, caller), params)
        depth = await self._depth(params.parent_task_id, caller)
        if rights is not None:
            target = rights.narrow(target, settings.permissions.default)
        requested = params.timeout_seconds
        timeout = self.timeout(target.definition.timeout_seconds if requested is None else requested, caller)
        _check_runner(params, target)
        await _check_place(target, directory, until)
        constraints = constraints_of(params, target.definition, settings.async_tasks.grace_period_seconds)
        constraints = constraints if rights is None else rights.limit(constraints)
        equipment = await asyncio.to_thread(equip, params, target, caller, directory)
        record = self._record(params, target, timeout, str(directory), origin, caller, sync=sync)
        record.task.mcp_servers = _server_names(target, equipment)
        record.task.attachments = attachment_names(params.attachments)
        delegation = None
        if self.delegations is not None:
            delegation = self.delegations.prepare(target, record, constraints, caller, depth)
        return PreparedLaunch(
            params=params,
            record=record,
            target=target,
            constraints=constraints,
            timeout=timeout,
            settings=caller.settings,
            update_output=update_output,
            delegation=delegation,
            equipment=equipment,
        )

    def timeout(self, requested: float | None, caller: Caller) -> TimeoutChoice:
        """Return the time limit of a run for a requested limit in seconds; None requests the default."""
        limits = caller.settings.current.async_tasks
        return resolve(requested, limits.default_timeout_seconds, limits.max_timeout_seconds)

    async def _with_parent(self, params: LaunchParams) -> LaunchParams:
        """Return the parameters with the full ID of the parent."""
        if params.parent_task_id is None:
            return params
        try:
            parent = await self.registry.resolve(params.parent_task_id)
        except (TaskNotFound, AmbiguousTaskId) as error:
            raise type(error)(f"parentTaskId: {error.message}", **error.data) from None
        return msgspec.structs.replace(params, parent_task_id=parent.task.id)

    async def _target(self, params: LaunchParams, caller: Caller) -> "Target":
        name = params.subagent_name
        used_up = self.spending.used_up(caller.settings.current.budget)
        if used_up is not None:
            raise LaunchFailed(
                f"subagent {name!r} cannot be launched: {used_up}", subagentName=name, reason=used_up
            )
        return await caller.definitions.target(
            name, caller.workspace, params.placement, params.node_labels or {}
        )

    def _record(
        self,
        params: LaunchParams,
        target: "Target",
        timeout: TimeoutChoice,
        directory: str,
        origin: Origin,
        caller: Caller,
        *,
        sync: bool,
    ) -> RunRecord:
        now = self.now()
        task = AsyncTask(
            id=new_task_id(),
            subagent_name=target.definition.name,
            goal_prompt=params.goal_prompt,
            status="running",
            launched_at=now,
            progress=Progress(last_activity_at=now),
            runner=target.runner.name,
            workspace_dir=directory,
            timeout_seconds=timeout.effective,
            parent_task_id=params.parent_task_id,
            owner=caller.owner(directory),
            placement=target.place,
        )
        return RunRecord(
            task=task,
            origin=origin,
            sync=sync,
            notify_model=params.notify_model,
            request=to_record(params),
            client_id=caller.client_id,
            delegated=caller.parent is not None,
        )

    async def _depth(self, parent_task_id: str | None, caller: Caller) -> int:
        """Return how deeply a run is nested, 1 without a parent. Raises InvalidParams if that is too deep."""
        maximum, depth = caller.settings.current.async_tasks.max_depth, 1
        while parent_task_id is not None and (record := await self.registry.find(parent_task_id)) is not None:
            parent_task_id, depth = record.task.parent_task_id, depth + 1
            if depth > maximum:
                raise InvalidParams(
                    f"parentTaskId: the run would be nested deeper than asyncTasks.maxDepth ({maximum}) "
                    "allows; launch it from a parent nearer to the top, or raise the setting"
                )
        return depth


async def _check_place(target: "Target", directory: Path, until: float) -> None:
    """Raise LaunchFailed if it is known by then that no node of the cluster can execute the run."""
    if target.check_place is None:
        return
    try:
        await target.check_place(directory, until)
    except RunnerUnavailable as error:
        name = target.definition.name
        raise LaunchFailed(
            f"subagent {name!r} cannot be launched: {error.message}", subagentName=name, reason=error.message
        ) from None


def _server_names(target: "Target", equipment: Equipment) -> list[str] | None:
    """Return the names of a run's MCP servers, for clients; None if it has none."""
    listed = target.definition.mcp_servers
    own = [OWN_SERVER] if listed is not None and listed.has_own_tools else []
    return [*own, *(server.name for server in equipment.servers), *equipment.entries] or None


def _configured(target: "Target", params: LaunchParams) -> "Target":
    """Return the target with what the launch chooses in place of its definition."""
    given = {"model": params.model, "mode": params.mode, "effort": params.effort}
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    return replace(target, definition=replace(target.definition, **chosen)) if chosen else target


def _check_runner(params: LaunchParams, target: "Target") -> None:
    if params.node_labels and target.placement == "local":
        raise InvalidParameter(
            "nodeLabels", "this run is not placed on a cluster; omit it, or use placement: ray"
        )
    found = first_unsupported(params, target.runner.unsupported)
    if found is not None:
        option, reason = found
        raise InvalidParameter(option, f"runner {target.runner.name!r} does not support it: {reason}")
