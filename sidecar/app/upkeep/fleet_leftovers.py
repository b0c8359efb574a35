"""Remove from clusters what ended runs left there, such as runs on nodes that could not be reached."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.runs.registry.registry import RunRegistry

if TYPE_CHECKING:
    from sidecar.subagents.runners.remote.link import FleetLink

_STATUS_SECONDS = 30.0
KEEP_SECONDS = 24 * 3600.0
"""How long a node keeps the changes of a run."""
_AGAIN_SECONDS, _MOST_SECONDS = 15.0, 30.0
"""The first and the longest pause between two tries, even while a node has not described itself yet."""
_CONNECT_SECONDS = 120.0
"""The longest pause between two tries to connect to a cluster of which something is expected."""
_LINGER_SECONDS = 300.0
"""How long a Host that nobody uses waits for the changes of ended runs. The next one asks again."""

logger = logging.getLogger(__name__)


class FleetLeftovers:
    """Bring back the changes of ended runs that are still on a cluster, and remove them there."""

    def __init__(self, registry: RunRegistry) -> None:
        self._registry = registry
        self._cleaning: dict[FleetLink, asyncio.Task[None]] = {}
        self._is_due: dict[FleetLink, asyncio.Event] = {}
        self._incomplete: set[FleetLink] = set()
        self._until = 0.0
        self.changed: Callable[[], None] = lambda: None
        """Called when `awaits_until` may have changed."""

    @property
    def awaits_until(self) -> float:
        """Until when, on the clock of the event loop, the Host should wait for changes of ended runs."""
        return self._until if any(link.expected for link in self._is_due) else 0.0

    def clean(self, link: "FleetLink") -> None:
        """Clean a cluster in the background, again and again until nothing is left."""
        self._is_due.setdefault(link, asyncio.Event()).set()
        self._until = asyncio.get_running_loop().time() + _LINGER_SECONDS
        self.changed()
        cleaning = self._cleaning.get(link)
        if cleaning is None or cleaning.done():
            self._cleaning[link] = asyncio.create_task(self._clean(link), name="leftovers on a cluster")

    async def aclose(self) -> None:
        """Stop cleaning."""
        for cleaning in self._cleaning.values():
            cleaning.cancel()
        await asyncio.gather(*self._cleaning.values(), return_exceptions=True)

    async def _clean(self, link: "FleetLink") -> None:
        is_due, loop = self._is_due[link], asyncio.get_running_loop()
        pause, end = 0.0, 0.0
        while link.is_connected or link.expected:  # else the next connection cleans again
            if is_due.is_set():
                is_due.clear()
                pause, end = _AGAIN_SECONDS, loop.time() + KEEP_SECONDS
            if await self._is_clean(link) or loop.time() > end:
                link.expected.clear()
                self.changed()
                return
            self.changed()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await is_due.wait()
            most = _MOST_SECONDS if link.is_connected else _CONNECT_SECONDS
            pause = _AGAIN_SECONDS if link in self._incomplete else min(2 * pause, most)

    async def _is_clean(self, link: "FleetLink") -> bool:
        """Connect if necessary, and collect what is left; return whether nothing is left or can follow."""
        try:
            status = await link.status(_STATUS_SECONDS)
            names = self._named(link, status)
            collected = [await self._is_collected(each, link) for each in await self._ended(names)]
            nodes = {node["nodeId"] for node in status["nodes"]}
            missing = {run: on for run, on in link.expected.items() if run not in names and on in nodes}
            await asyncio.gather(*(self._forget_if_gone(run, on, link) for run, on in missing.items()))
            return all(collected) and not link.expected and link not in self._incomplete
        except Exception as error:
            logger.warning("cannot look for leftovers of runs on a cluster; trying again later: %s", error)
            return False

    def _named(self, link: "FleetLink", status: Mapping[str, Any]) -> list[str]:
        """Return the runs that the cluster still has."""
        probes = [node["probe"] for node in status["nodes"] if node["probe"] is not None]
        # A node that has just joined may have a run, and takes a while to report it.
        is_complete = all(node["probe"] is not None for node in status["nodes"] if node["slots"])
        (self._incomplete.discard if is_complete else self._incomplete.add)(link)
        return list(dict.fromkeys([*status["runs"], *(run for probe in probes for run in probe["runs"])]))

    async def _ended(self, names: Sequence[str]) -> list[RunRecord]:
        """Return those of the named runs that are this Host's and have ended."""
        records: list[RunRecord] = []
        for name in names:
            record = None if self._registry.live(name) is not None else await self._registry.find(name)
            if record is not None and record.task.completed_at is not None:
                records.append(record)
        return records

    async def _forget_if_gone(self, run: str, node_id: str, link: "FleetLink") -> None:
        """Expect nothing more of a lost run if its node has answered and has nothing of it."""
        from sidecar.subagents.runners.remote.leftovers import is_gone

        try:
            if await is_gone(link, run, node_id):
                link.expected.pop(run, None)
                for record in await self._ended([run]):
                    await self._registry.add_from_cluster(record, has_left=True)
        except Exception as error:
            logger.info("run %s is still expected: %s", run, error)

    async def _is_collected(self, record: RunRecord, link: "FleetLink") -> bool:
        """Bring the changes of an ended run back and remove it from its node, if the node can be reached.

        Changes come once: those that a node offers later are not the ones that were shown.
        """
        from sidecar.subagents.runners.remote.leftovers import collect

        brought_back = None if record.has_changes else partial(self._registry.add_from_cluster, record)
        try:
            await collect(link, record.task.id, record.remote, brought_back)
            await self._registry.add_from_cluster(record, has_left=True)
        except Exception as error:
            logger.warning(
                "run %s cannot be removed from its cluster; trying again later: %s", record.task.id, error
            )
            return False
        return True
