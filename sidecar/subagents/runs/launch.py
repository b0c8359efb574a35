"""Start prepared runs: make the record durable and the folder visible, then run."""

import contextlib
from functools import partial

from sidecar.api.errors import SidecarError, StorageError
from sidecar.subagents.runs.background import BackgroundRuns
from sidecar.subagents.runs.lifecycle import LaunchAborted
from sidecar.subagents.runs.prepared import PreparedLaunch
from sidecar.subagents.runs.registry.registry import RunRegistry
from sidecar.subagents.runs.scope import RunScope, RunServices
from sidecar.subagents.tasks.launching import Abort
from sidecar.subagents.tasks.manager import AsyncTaskManager
from sidecar.subagents.tasks.outcome import failed
from sidecar.subagents.tasks.slots import Slot


class RunStarter:
    """Start the runs of one Host that take a slot."""

    def __init__(self, manager: AsyncTaskManager, background: BackgroundRuns, services: RunServices) -> None:
        self._manager = manager
        self._background = background
        self._services = services

    async def start(self, prepared: PreparedLaunch, slot: Slot) -> None:
        """Start a run. If its time limit was reduced, log that. Raises any error of the launch."""
        launch = partial(launch_run, self._services, prepared)
        await self._background.launch(self._manager, prepared, launch, slot)
        registry, reduction = self._services.registry, prepared.timeout.sentence
        run = registry.live(prepared.task_id)
        if reduction is not None and run is not None:
            await registry.emit(run, {"type": "log", "stream": "stderr", "text": f"{reduction}\n"})


async def follow_run(services: RunServices, prepared: PreparedLaunch, abort: Abort) -> RunScope:
    """Take over a run that an earlier process launched, with the events that are recorded."""
    run = services.registry.adopt(prepared.record)
    run.attach(abort)
    scope = RunScope(services, prepared, run)
    await scope.reopen()
    return scope


async def launch_run(services: RunServices, prepared: PreparedLaunch, abort: Abort) -> RunScope:
    """Make the record of a queued or a new run durable and its folder visible.

    Raises StorageError if the disk refuses either, which the record then shows, and LaunchAborted if the
    run was cancelled meanwhile. The end is recorded before that, so that no other run takes the slot while
    the journal shows this run as running.
    """
    registry, task_id = services.registry, prepared.task_id
    run = registry.live(task_id)
    if run is None:
        if prepared.record.task.status != "running":
            raise _cancelled(prepared)
        run = await registry.add(prepared.record)
    else:
        await registry.start(run)
    run.attach(abort)
    if run.outcome is not None:
        await _recorded(registry, task_id)
        raise _cancelled(prepared)
    scope = RunScope(services, prepared, run)
    try:
        await scope.open()
    except SidecarError as error:
        run.detach()
        registry.conclude(task_id, failed("error", error.message))
        await _recorded(registry, task_id)
        raise
    return scope


async def _recorded(registry: RunRegistry, task_id: str) -> None:
    with contextlib.suppress(StorageError):  # the registry tries again
        await registry.recorded(task_id)


def _cancelled(prepared: PreparedLaunch) -> LaunchAborted:
    return LaunchAborted("The task was cancelled before it started.", subagentName=prepared.subagent_name)
