"""Start an admitted launch in the background."""

from functools import partial

from sidecar.subagents.runs.background import BackgroundRuns
from sidecar.subagents.runs.launch import launch_run
from sidecar.subagents.runs.prepared import PreparedLaunch
from sidecar.subagents.runs.scope import RunServices
from sidecar.subagents.tasks.manager import AsyncTaskManager
from sidecar.subagents.tasks.slots import Slot


class RunStarter:
    """Starts the runs of one Host that take a slot."""

    def __init__(self, manager: AsyncTaskManager, background: BackgroundRuns, services: RunServices) -> None:
        self._manager = manager
        self._background = background
        self._services = services

    async def start(self, prepared: PreparedLaunch, slot: Slot) -> None:
        """Start a run, and log it if its time limit was reduced. Raises what the launch raises."""
        launch = partial(launch_run, self._services, prepared)
        await self._background.launch(self._manager, prepared, launch, slot)
        registry, reduction = self._services.registry, prepared.timeout.sentence
        run = registry.live(prepared.task_id)
        if reduction is not None and run is not None:
            await registry.emit(run, {"type": "log", "stream": "stderr", "text": f"{reduction}\n"})
