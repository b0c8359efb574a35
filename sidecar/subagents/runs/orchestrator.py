"""Launch one planned run: its record durable, its folder visible, its scope ready to run."""

import contextlib
from typing import TYPE_CHECKING

from sidecar.api.errors import SidecarError, StorageError
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.runs.driving import LaunchAborted
from sidecar.subagents.runs.scope import RunScope, RunServices
from sidecar.subagents.tasks.launching import Abort, LaunchRequest
from sidecar.subagents.tasks.outcome import failed

if TYPE_CHECKING:
    from sidecar.subagents.runs.catalogue import Plan


class RunLaunch:
    """What a launch yields: the run's id, the run, and the call that leaves nothing of it."""

    def __init__(self, scope: RunScope) -> None:
        self.agent_id = scope.task_id
        self.scope = scope

    async def dispose(self) -> None:
        """End whatever is left of the run; called once, however it ended."""
        await self.scope.dispose()


class RunOrchestrator:
    """Launch one run; made for one launch, and not used again.

    A record that waits in the queue is started, any other is new.
    """

    def __init__(self, services: RunServices, plan: "Plan", record: RunRecord) -> None:
        self._services = services
        self._plan = plan
        self._record = record

    async def launch(self, request: LaunchRequest, abort: Abort) -> RunLaunch:
        """Make the record durable and the folder visible.

        Raises StorageError when the disk refuses either, and the record then says so; LaunchAborted for a
        run that was cancelled on the way here. The end of such a run is recorded before, so that its slot
        is not taken by another one while the journal still has it running.
        """
        registry, task_id = self._services.registry, self._record.task.id
        run = registry.live(task_id)
        if run is None:
            if self._record.task.status != "running":
                raise _cancelled(request)
            run = await registry.add(self._record)
        else:
            await registry.start(run)
        run.attach(abort)
        if run.outcome is not None:
            await self._recorded()
            raise _cancelled(request)
        scope = RunScope(self._services, self._plan, run, request)
        try:
            await scope.open()
        except SidecarError as error:
            run.detach()
            registry.conclude(task_id, failed("error", error.message))
            await self._recorded()
            raise
        return RunLaunch(scope)

    async def _recorded(self) -> None:
        with contextlib.suppress(StorageError):  # the registry tries again
            await self._services.registry.recorded(self._record.task.id)


def _cancelled(request: LaunchRequest) -> LaunchAborted:
    return LaunchAborted("The task was cancelled before it started.", subagentName=request.name)
