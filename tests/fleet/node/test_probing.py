"""A node that does not describe itself in time disturbs no description of the others."""

import asyncio
from typing import Any

from sidecar.fleet.cluster import Cluster
from sidecar.fleet.probe import NodeProbe


class TwoNodes(Cluster):
    """A cluster with a node that is frozen and one that answers."""

    asked = 0

    def nodes(self) -> list[dict[str, Any]]:
        return [{"nodeId": name, "slots": 2} for name in ("frozen", "good")]

    async def run_on(self, node_id: str, function: Any, *args: Any, limit: float) -> Any:
        if node_id == "frozen":
            raise TimeoutError
        self.asked += 1
        return NodeProbe(version="1")


async def test_a_frozen_node_stays_undescribed_and_fails_nothing() -> None:
    failures: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: failures.append(context))
    cluster = TwoNodes()
    described = {node["nodeId"]: node["probe"] for node in await cluster.described(within=5)}
    assert described == {"frozen": None, "good": NodeProbe(version="1")}
    assert cluster._probing is not None and cluster._probing.exception() is None
    assert (cluster.asked, failures) == (1, [])
