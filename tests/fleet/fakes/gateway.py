"""The real gateway in this process, connected by pipes that a test cuts where it wants to."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sidecar import __version__
from sidecar.fleet import probe as node_probe
from sidecar.fleet.gateway import Gateway
from sidecar.fleet.probe import NodeProbe
from sidecar.subagents.runners.remote.gateway_process import GatewayGone, GatewayProcess
from tests.fleet.fakes.ray import FakeNode, FakeRay

Json = dict[str, Any]


class FakeCluster:
    """What `sidecar.fleet.cluster.Cluster` is to a gateway."""

    namespace = "test"

    def __init__(self, ray: FakeRay, probes: Mapping[str, NodeProbe], connect_seconds: float) -> None:
        self.ray = ray
        self._probes = probes
        self._connect_seconds = connect_seconds

    async def connect(self, address: str, namespace: str, token_path: str | None) -> None:
        """Take as long as a busy machine."""
        await asyncio.sleep(self._connect_seconds)

    async def ask_control(self, within: float) -> None:
        async with asyncio.timeout(within):
            await self.ray.control.wait()

    def nodes(self) -> list[Json]:
        return [node.describe() for node in self.ray.nodes if not node.is_dead]

    async def described(self, within: float | None = None) -> list[Json]:
        return [{**node, "probe": self._probe(node["name"])} for node in self.nodes()]

    def _probe(self, name: str) -> NodeProbe | None:
        described = self._probes.get(name)
        return None if described is None else replace(described, runs=node_probe.probe().runs)

    async def run_on(self, node_id: str, function: Callable[..., Any], *args: Any, limit: float) -> Any:
        if self._node(node_id).is_dead:
            raise RuntimeError(f"node {node_id} is dead")
        async with asyncio.timeout(limit):
            await self._node(node_id).thawed.wait()
        return function(*args)

    def _node(self, node_id: str) -> FakeNode:
        return next(node for node in self.ray.nodes if node.id == node_id)


def connect(
    gateway: Gateway, ray: FakeRay, probes: Mapping[str, NodeProbe], connect_seconds: float = 0
) -> None:
    """Connect a gateway to a pretended cluster."""
    places = gateway._runs.places
    gateway._cluster = FakeCluster(ray, probes, connect_seconds)  # type: ignore[assignment]
    gateway._runs._cluster = places._cluster = places.pulse._cluster = gateway._cluster
    gateway._runs.control._cluster = gateway._cluster


@dataclass
class Cut:
    """The gateway dies at the `count`-th message of this kind, which it has not seen or not passed on.

    `asked` is a request that arrives, `answered` one whose answer leaves, and `lines` a batch that leaves.
    """

    kind: str
    op: str = ""
    count: int = 1

    def is_at(self, kind: str, op: str) -> bool:
        """Count a message; return whether the gateway dies at it."""
        if self.kind == kind and self.op == op:
            self.count -= 1
        return self.count == 0 and self.kind == kind and self.op == op


class FakeGateways:
    """Start gateways. `cuts` are those that are still to come."""

    def __init__(self, ray: FakeRay) -> None:
        self.ray = ray
        self.probes = {node.name: probe() for node in ray.nodes}
        self.cuts: list[Cut] = []
        self.loss = Cut("none")  # the message that gets lost
        self.processes: list[FakeProcess] = []
        self.requests: list[Json] = []
        self.version = __version__
        self.answer_seconds = self.connect_seconds = 0.0

    async def start(self, argv: Sequence[str], environment: Mapping[str, str]) -> GatewayProcess:
        """Replace `GatewayProcess.start`."""
        if self.dies_at("started"):
            raise GatewayGone("the gateway cannot be started")
        process = FakeProcess(self)
        self.processes.append(process)
        return GatewayProcess(process)  # type: ignore[arg-type]

    def kill(self) -> None:
        """Kill the gateway."""
        self.processes[-1].kill()

    def dies_at(self, kind: str, op: str = "") -> bool:
        """Count a message in every cut; return whether one of them is at it."""
        return True in [cut.is_at(kind, op) for cut in self.cuts]


class FakeProcess:
    """A process with pipes; see `asyncio.subprocess.Process`."""

    def __init__(self, gateways: FakeGateways) -> None:
        self._gateways = gateways
        self._asked: dict[int, str] = {}
        self._is_dead = False
        self.stdin = self
        self.stdout, self.stderr = asyncio.StreamReader(limit=1 << 26), asyncio.StreamReader()
        self._input = asyncio.StreamReader(limit=1 << 26)
        gateway = Gateway(self._input, Out(self))  # type: ignore[arg-type]
        connect(gateway, gateways.ray, gateways.probes, gateways.connect_seconds)
        self._gateway = gateway
        self._serving = asyncio.create_task(gateway.serve(), name="gateway")

    def write(self, line: bytes) -> None:
        """Pass a request on to the gateway."""
        if self._is_dead:
            return
        request = json.loads(line)
        self._gateways.requests.append(request)
        if self._gateways.dies_at("asked", request["op"]):
            self.kill()
            return
        self._asked[request.get("id", 0)] = request["op"]
        self._input.feed_data(line)

    async def drain(self) -> None:
        """Do nothing."""

    def passed_on(self, line: bytes) -> None:
        """Pass a message on to the sidecar."""
        if self._is_dead:
            return
        message = json.loads(line)
        is_line = "stream" in message
        op = "" if is_line else self._asked[message["id"]]
        if self._gateways.dies_at("lines" if is_line else "answered", op):
            self.kill()
        elif is_line and self._gateways.loss.is_at("lines", ""):
            return
        elif op == "version":
            answer = {"id": message["id"], "ok": {"version": self._gateways.version}}
            loop, data = asyncio.get_running_loop(), json.dumps(answer).encode() + b"\n"
            loop.call_later(self._gateways.answer_seconds, self.stdout.feed_data, data)
        else:
            self.stdout.feed_data(line)

    def kill(self) -> None:
        """Die. What runs on the cluster continues."""
        if self._is_dead:
            return
        self._is_dead = True
        self._serving.cancel()
        runs = self._gateway._runs
        watching = runs.control._watching
        for task in [
            *([] if watching is None else [watching]),
            *self._gateway._tasks,
            *runs._following.values(),
            *runs.places._placing.values(),
            *runs.places._creating.values(),
            *runs.places.pulse._asking.values(),
        ]:
            task.cancel()
        self.stdout.feed_eof()
        self.stderr.feed_eof()

    async def wait(self) -> int:
        return 0


class Out:
    """The gateway's stdout."""

    def __init__(self, process: FakeProcess) -> None:
        self._process = process

    def write(self, line: bytes) -> None:
        self._process.passed_on(line)

    async def drain(self) -> None:
        await asyncio.sleep(0)


def probe() -> NodeProbe:
    """Return what a node with everything says."""
    return NodeProbe(version=__version__, has_git=True, agents=["scripted"], token=True)
