"""Remove from clusters what ended runs left there, such as runs on nodes that could not be reached."""

import asyncio
import logging
from typing import TYPE_CHECKING

from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.runs.registry.registry import RunRegistry

if TYPE_CHECKING:
    from sidecar.subagents.runners.remote.link import FleetLink

_STATUS_SECONDS = 30.0
_AGAIN_SECONDS = 30.0
_TRIES = int(24 * 3600 / _AGAIN_SECONDS)
"""A node keeps the files of a run for a day."""

logger = logging.getLogger(__name__)


class FleetLeftovers:
    """Bring back the changes of ended runs that are still on a cluster, and remove them there."""

    def __init__(self, registry: RunRegistry) -> None:
        self._registry = registry
        self._cleaning: dict[FleetLink, asyncio.Task[None]] = {}

    def clean(self, link: "FleetLink") -> None:
        """Clean a cluster in the background, again and again until nothing is left."""
        cleaning = self._cleaning.get(link)
        if cleaning is None or cleaning.done():
            self._cleaning[link] = asyncio.create_task(self._clean(link), name="leftovers on a cluster")

    async def aclose(self) -> None:
        """Stop cleaning."""
        for cleaning in self._cleaning.values():
            cleaning.cancel()
        await asyncio.gather(*self._cleaning.values(), return_exceptions=True)

    async def _clean(self, link: "FleetLink") -> None:
        for _ in range(_TRIES):
            if not link.is_connected:
                return  # the next connection cleans again
            try:
                collected = [await self._is_collected(each, link) for each in await self._left(link)]
                if all(collected):
                    return
            except Exception as error:
                logger.warning("leftovers on a cluster were not found: %s", error)
            await asyncio.sleep(_AGAIN_SECONDS)

    async def _left(self, link: "FleetLink") -> list[RunRecord]:
        """Return the ended runs of this Host that the cluster still has."""
        records: list[RunRecord] = []
        for name in (await link.status(_STATUS_SECONDS))["runs"]:
            record = None if self._registry.live(name) is not None else await self._registry.find(name)
            if record is not None and record.task.completed_at is not None:
                records.append(record)
        return records

    async def _is_collected(self, record: RunRecord, link: "FleetLink") -> bool:
        """Bring the changes of an ended run back and remove it from its node, if the node can be reached."""
        from sidecar.subagents.runners.remote.leftovers import collect

        try:
            changes = await collect(link, record.task.id, record.remote)
        except Exception as error:
            logger.warning("run %s was not removed from its cluster: %s", record.task.id, error)
            return False
        if changes is not None:
            await self._registry.add_changes(record, changes)
        return True
