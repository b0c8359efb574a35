"""Follow runs on a cluster that outlived the sidecar that launched them."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from sidecar.subagents.runners.remote.link import FleetLink

_STATUS_SECONDS = 30.0

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
        self._cleaned: set[FleetLink] = set()
        self._cleaning: asyncio.Task[None] | None = None

    async def follow(self, records: Sequence[RunRecord]) -> None:
        """Follow these runs. One that cannot be followed is logged, and ends as lost."""
        for record in records:
            try:
                await self._follow(record)
            except Exception:
                logger.exception("run %s on a cluster cannot be followed", record.task.id)

    def connected(self, link: "FleetLink") -> None:
        """Remove what ended runs of this Host left on a cluster, such as those that it could not reach."""
        if link not in self._cleaned:
            self._cleaned.add(link)
            self._cleaning = asyncio.create_task(self._clean(link), name="leftovers on a cluster")

    async def _clean(self, link: "FleetLink") -> None:
        try:
            names = (await link.status(_STATUS_SECONDS))["runs"]
            for name in names:
                if self._services.registry.live(name) is not None:
                    continue
                record = await self._services.registry.find(name)
                if record is not None and record.task.completed_at is not None:
                    await self._collect(record, link)
        except Exception as error:
            logger.warning("leftovers on a cluster were not removed: %s", error)

    async def _collect(self, record: RunRecord, link: "FleetLink") -> None:
        """Bring the changes of an ended run back, and remove it from its node."""
        from sidecar.subagents.runners.remote.leftovers import collect

        changes = await collect(link, record.task.id, record.remote)
        if changes is not None:
            await self._services.registry.add_changes(record, changes)

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
        from sidecar.subagents.runs.targets import Target

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
            placement="ray",
        )
        return PreparedLaunch(
            params=from_record(record),
            record=record,
            target=target,
            constraints=known.constraints,
            timeout=TimeoutChoice(task.timeout_seconds),
            settings=self._settings,
        )
