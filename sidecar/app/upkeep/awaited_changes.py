"""After a restart, bring back the changes of lost runs whose nodes may still have them."""

import asyncio
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sidecar.api.errors import StorageError
from sidecar.app.clock import wall_clock_ms
from sidecar.app.upkeep.fleet_leftovers import KEEP_SECONDS
from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.runners.fleet_links import FleetLinks

if TYPE_CHECKING:
    from sidecar.subagents.runners.remote.link import FleetLink

logger = logging.getLogger(__name__)


async def await_changes(journal: Journal, links: FleetLinks, environment: Mapping[str, str]) -> None:
    """Connect to the clusters of lost runs, and expect their changes; see `FleetLeftovers`.

    A cluster that cannot be reached is asked at its next connection.
    """
    try:
        failed = await journal.failed_since(wall_clock_ms() - round(KEEP_SECONDS * 1000))
    except StorageError as error:
        logger.error("cannot look for lost runs on clusters: %s", error.message)
        return
    awaited = {_expecting(record, links, environment) for record in failed if _may_have_changes(record)}
    for connected in await asyncio.gather(*(link.gateway() for link in awaited), return_exceptions=True):
        if isinstance(connected, Exception):
            logger.info("changes of lost runs cannot be brought back yet: %s", connected)


def _may_have_changes(record: RunRecord) -> bool:
    was_started = record.remote is not None and bool(record.remote.get("isGoing"))
    return was_started and record.task.end_reason == "lost" and record.task.changes is None


def _expecting(record: RunRecord, links: FleetLinks, environment: Mapping[str, str]) -> "FleetLink":
    """Expect the changes of a lost run; return the link to its cluster."""
    from sidecar.subagents.runners.remote.runner import kept, settings_of

    assert record.remote is not None, "it was started on a cluster"
    link = links.link(settings_of(kept(record.remote)), environment)
    link.expect(record.task.id, "")
    return link
