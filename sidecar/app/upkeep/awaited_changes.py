"""After a restart, collect the ended runs that may still be on their clusters, with their changes."""

import asyncio
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sidecar.api.errors import StorageError
from sidecar.app.clock import wall_clock_ms
from sidecar.app.upkeep.fleet_leftovers import KEEP_SECONDS
from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.runners.fleet_links import FleetLinks

if TYPE_CHECKING:
    from sidecar.subagents.runners.remote.link import FleetLink

logger = logging.getLogger(__name__)


async def await_changes(journal: Journal, links: FleetLinks, environment: Mapping[str, str]) -> None:
    """Connect to the clusters that ended runs have not left, and expect their changes; see `FleetLeftovers`.

    A cluster that cannot be reached is asked again later.
    """
    try:
        ended = await journal.ended_on_clusters(wall_clock_ms() - round(KEEP_SECONDS * 1000))
    except StorageError as error:
        logger.error("cannot look for ended runs on clusters: %s", error.message)
        return
    awaited: set[FleetLink] = set()
    for record in ended:
        if record.remote is not None and not record.has_left:
            awaited |= _expect(record.task.id, record.remote, links, environment)
    for connected in await asyncio.gather(*(link.gateway() for link in awaited), return_exceptions=True):
        if isinstance(connected, Exception):
            logger.info("changes of ended runs cannot be brought back yet: %s", connected)


def _expect(
    run: str, remote: Mapping[str, Any], links: FleetLinks, environment: Mapping[str, str]
) -> "set[FleetLink]":
    """Expect an ended run if a node was asked to start it; return the link to its cluster."""
    from sidecar.subagents.runners.remote.runner import kept, settings_of

    known = kept(remote)
    if not known.is_going:
        return set()
    link = links.link(settings_of(known), environment)
    link.expect(run, known.node_id)
    return {link}
