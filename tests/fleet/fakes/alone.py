"""A gateway that is its own cluster: `python -m tests.fleet.fakes.alone NAME…`, a node for each name.

Runs work in real trees with real agents and watchers, but in this process: there is no Ray. Each node has
two slots and the labels `fleet.name` and `kind=fake`. While there is a pipe at `$STATUS_WAITS_FOR`, the
status waits until something is written to it, and fails with what was written.
"""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

from sidecar.fleet import gateway
from sidecar.fleet.cluster import ClusterError
from sidecar.fleet.gateway import Gateway
from sidecar.fleet.probe import NodeProbe, probe
from tests.fleet.fakes.gateway import connect
from tests.fleet.fakes.ray import FakeNode, FakeRay
from tests.fleet.fakes.virtual_time import in_line

SLOTS = 2


class GatewayAlone(Gateway):
    """A gateway whose nodes are this machine."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        super().__init__(reader, writer)
        names = sys.argv[1:]
        nodes = [FakeNode(name, SLOTS, {"fleet.name": name, "kind": "fake"}) for name in names]
        ray = FakeRay(nodes)
        sys.modules.update({"ray": ray, "ray.util": ray.util})  # type: ignore[dict-item]
        found: NodeProbe = probe()
        connect(self, ray, dict.fromkeys(names, found))

    async def _status(self, request: dict[str, Any]) -> dict[str, Any]:
        pipe = Path(os.environ.get("STATUS_WAITS_FOR", ""))
        if request.get("probe", True) and pipe.is_fifo():
            problem = await asyncio.get_running_loop().run_in_executor(None, pipe.read_text)
            if problem:
                raise ClusterError(problem)
        return await super()._status(request)


if __name__ == "__main__":
    gateway.Gateway = GatewayAlone  # type: ignore[misc]
    asyncio.to_thread = in_line  # actors are made on the loop
    asyncio.run(gateway.main())
    os._exit(0)
