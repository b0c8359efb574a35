"""Follow runs on a cluster that outlived the sidecar that launched them."""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from sidecar.api.settings import SettingsSource
from sidecar.app.launching.launch_record import from_record
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.runners.fleet_links import FleetLinks
from sidecar.subagents.runs.admission import Admission
from sidecar.subagents.runs.background import BackgroundRuns
from sidecar.subagents.runs.launch import follow_run
from sidecar.subagents.runs.prepared import PreparedLaunch
from sidecar.subagents.runs.scope import RunServices
from sidecar.subagents.tasks.manager import AsyncTaskManager
from sidecar.subagents.tasks.timeouts import TimeoutChoice

logger = logging.getLogger(__name__)


class FoundRuns:
    """Take over the runs of an earlier process, each from its last recorded event on."""

    def __init__(
        self,
        services: RunServices,
        background: BackgroundRuns,
        manager: AsyncTaskManager,
        admission: Admission,
        settings: SettingsSource,
        links: FleetLinks,
        environment: Callable[[], Mapping[str, str]],
    ) -> None:
        self._services = services
        self._background = background
        self._manager = manager
        self._admission = admission
        self._settings = settings
        self._links = links
        self._environment = environment

    async def follow(self, records: Sequence[RunRecord]) -> None:
        """Follow these runs. One that cannot be followed is logged, and ends as lost."""
        for record in records:
            try:
                await self._follow(record)
            except Exception:
                logger.exception("run %s on a cluster cannot be followed", record.task.id)

    async def _follow(self, record: RunRecord) -> None:
        prepared = self._prepared(record)
        slot = self._manager.reserve_slot(over_limit=True)
        assert slot is not None, "no limit applies"
        self._admission.adopt(prepared)
        start = partial(follow_run, self._services, prepared)
        await self._background.launch(self._manager, prepared, start, slot)

    def _prepared(self, record: RunRecord) -> PreparedLaunch:
        """Return the launch of a run as its record describes it."""
        from sidecar.subagents.definitions.model import Definition
        from sidecar.subagents.runners.remote.runner import FoundRunner, kept, settings_of
        from sidecar.subagents.runs.targets.target import Target

        assert record.remote is not None, "only runs on a cluster are found again"
        task, known = record.task, kept(record.remote)
        link = self._links.link(settings_of(known), self._environment())
        definition = Definition(
            name=task.subagent_name, description="", system_prompt="", permissions=known.policy
        )
        target = Target(
            definition,
            FoundRunner(task.runner, known, link),
            brought_by=record.remote.get("definition"),
            place=task.placement,
        )
        return PreparedLaunch(
            params=from_record(record),
            record=record,
            target=target,
            constraints=known.constraints,
            timeout=TimeoutChoice(task.timeout_seconds),
            settings=self._settings,
        )
