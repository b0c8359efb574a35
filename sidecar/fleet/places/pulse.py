"""Find the nodes that still answer while a run waits for its place: Ray lists a frozen node as alive."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from sidecar.fleet.cluster import Cluster
from sidecar.fleet.probe import NodeProbe

logger = logging.getLogger(__name__)

_SILENT = "it does not answer; check it with: ray status"
_ASK_SECONDS = 3600.0
"""A frozen node is asked once, and answers when it is back."""


def answers() -> bool:
    """Return True, which proves that the node is alive."""
    return True


class NodePulse:
    """Ask nodes whether they are alive, with one open call for each."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._asking: dict[str, asyncio.Task[None]] = {}
        self._heard: dict[str, float] = {}
        self._silent: set[str] = set()

    def ask(self, node_ids: Sequence[str]) -> None:
        """Ask the nodes again, except those that have not answered the last call yet."""
        for each in node_ids:
            if each not in self._asking:
                self._asking[each] = asyncio.create_task(self._ask(each), name=f"pulse of {each}")

    def silent(self, node_ids: Sequence[str], since: float, limit: float) -> list[str]:
        """Return the nodes that have not answered for `limit` seconds, counted from `since` at the earliest.

        They count as silent until they answer.
        """
        now = asyncio.get_running_loop().time()
        found = [each for each in node_ids if max(since, self._heard.get(each, since)) + limit <= now]
        self._silent.update(found)
        return found

    def marked(self, nodes: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return the descriptions of nodes, with the silence of a node as its problem."""
        problem = NodeProbe(problem=_SILENT)
        return [{**node, "probe": problem} if node["nodeId"] in self._silent else {**node} for node in nodes]

    async def _ask(self, node_id: str) -> None:
        try:
            await self._cluster.run_on(node_id, answers, limit=_ASK_SECONDS)
            self._heard[node_id] = asyncio.get_running_loop().time()
            self._silent.discard(node_id)
        except Exception as error:  # a node that is gone
            logger.info("node %s: %s", node_id, error)
        finally:
            del self._asking[node_id]
