"""The cluster as a gateway sees it: connecting, nodes and actors. The only module that imports Ray early."""

import asyncio
import ipaddress
import logging
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from sidecar import __version__
from sidecar.fleet.probe import NodeProbe

logger = logging.getLogger(__name__)

SLOT = "agent_slot"
"""The resource by which Ray counts runs on a node."""
NAME_LABEL = "fleet.name"
NODE_LABEL = "ray.io/node-id"
"""The label that Ray itself gives every node."""
CONNECT_SECONDS = 4.0
_NO_KEYS = (b"fleet", b"fleet")
"""A request to the control service: keys that nobody has."""
_NO_CLUSTER = (
    "no cluster runs on the gateway's machine; start one with ray start --head, or set fleet.address"
)
_PROBE_SECONDS = 4.0
"""How long a launch waits for nodes to describe themselves; the first call on a node starts a process."""
_PROBE_LIMIT = 30.0
"""How long a node may take to describe itself before it is asked again."""


class ClusterError(Exception):
    """The cluster cannot be used; the text has the remedy."""


class Cluster:
    """A connection to a cluster. Call `connect` first."""

    def __init__(self) -> None:
        self.ray: Any = None
        self.namespace = ""
        self._probes: dict[str, NodeProbe] = {}
        self._probed_at = 0.0
        self._probing: asyncio.Task[None] | None = None
        self._control_thread = ThreadPoolExecutor(1, "control service")

    async def connect(self, address: str, namespace: str, token_path: str | None) -> None:
        """Connect once. Raises ClusterError with the remedy."""
        if self.ray is not None:
            return
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        _set_token(token_path)
        await asyncio.to_thread(_check_port, address)
        try:
            import ray
        except ImportError as error:
            raise ClusterError(
                f"{sys.executable}, the Python of the gateway, has no Ray ({error}); install it there: "
                f'pip install "subagent-sidecar[fleet]=={__version__}", or correct fleet.gateway'
            ) from None

        try:
            await asyncio.to_thread(_check_token, ray, address)
            await asyncio.to_thread(
                lambda: ray.init(
                    address=address,
                    namespace=namespace,
                    log_to_driver=False,
                    logging_level="ERROR",
                    configure_logging=False,
                )
            )
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise ClusterError(_explained(error)) from None
        self.ray, self.namespace = ray, namespace
        _check_authentication(ray)

    def nodes(self) -> list[dict[str, Any]]:
        """Return the living nodes with names, labels and slots. Blocking, a few ms."""
        from ray._private.state import available_resources_per_node

        free = available_resources_per_node()
        return [
            {
                "nodeId": node["NodeID"],
                "name": _name(node),
                "address": node["NodeManagerAddress"],
                "labels": node.get("Labels") or {},
                "slots": int(node["Resources"].get(SLOT, 0)),
                "free": int(free.get(node["NodeID"], {}).get(SLOT, 0)),
            }
            for node in self.ray.nodes()
            if node["Alive"]
        ]

    async def ask_control(self, within: float) -> None:
        """Return if the control service answers. Raises errors of Ray."""
        from ray._private.worker import global_worker

        ask = partial(global_worker.gcs_client.internal_kv_keys, *_NO_KEYS, timeout=within)
        # The usual threads may be waiting for the control service.
        await asyncio.get_running_loop().run_in_executor(self._control_thread, ask)

    async def described(self, within: float | None = None) -> list[dict[str, Any]]:
        """Return the nodes with what they report about themselves: versions, agents and leftovers of runs.

        With `within`, asks all nodes again and waits up to this many seconds.
        """
        fresh = within is not None
        nodes = await asyncio.to_thread(self.nodes)
        ids = [node["nodeId"] for node in nodes if node["slots"]]
        loop = asyncio.get_running_loop()
        if fresh or loop.time() - self._probed_at > 30 or any(each not in self._probes for each in ids):
            if self._probing is None or self._probing.done():
                self._probing = asyncio.create_task(self._probe(ids), name="probe of the nodes")
            await asyncio.wait({self._probing}, timeout=_PROBE_SECONDS if within is None else within)
        return [{**node, "probe": self._probes.get(node["nodeId"])} for node in nodes]

    async def run_on(self, node_id: str, function: Any, *args: Any, limit: float) -> Any:
        """Call a function on a node, without a slot. Raises TimeoutError and Ray's errors."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        strategy = NodeAffinitySchedulingStrategy(node_id, soft=False)
        remote = self.ray.remote(function).options(
            num_cpus=0, max_retries=0, scheduling_strategy=strategy, name="fleet"
        )
        async with asyncio.timeout(limit):
            return await remote.remote(*args)

    async def _probe(self, node_ids: Sequence[str]) -> None:
        from sidecar.fleet.probe import probe

        async def one(node_id: str) -> None:
            try:
                self._probes[node_id] = await self.run_on(node_id, probe, limit=_PROBE_LIMIT)
            except TimeoutError:  # keep what is known about a slow or frozen node
                logger.info("node %s did not describe itself within %g s", node_id, _PROBE_LIMIT)
            except Exception as error:
                self._probes[node_id] = NodeProbe(problem=str(error).strip().splitlines()[-1])

        await asyncio.gather(*(one(each) for each in node_ids))
        self._probed_at = asyncio.get_running_loop().time()


def is_loopback(address: str) -> bool:
    """Return whether an address, with or without a port, can be reached only from this machine."""
    host = address.rpartition(":")[0] or address
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _name(node: Mapping[str, Any]) -> str:
    labels = node.get("Labels") or {}
    return str(labels.get(NAME_LABEL) or node["NodeManagerHostname"])


def _set_token(path: str | None) -> None:
    """Turn authentication on if there is a token, for this process only."""
    if path is not None:
        try:
            token = Path(path).expanduser().read_text().strip()
        except (OSError, UnicodeError) as error:
            raise ClusterError(
                f"fleet.tokenPath {path!r} cannot be read on the gateway's machine ({_reason(error)}); "
                "create it there with: ray get-auth-token --generate"
            ) from None
        if len(token.split()) != 1:  # Ray would abort the program
            raise ClusterError(
                f"fleet.tokenPath {path!r} contains no token; write the cluster's token into it"
            )
        os.environ["RAY_AUTH_MODE"], os.environ["RAY_AUTH_TOKEN"] = "token", token
    elif "RAY_AUTH_TOKEN" in os.environ or Path("~/.ray/auth_token").expanduser().exists():
        os.environ.setdefault("RAY_AUTH_MODE", "token")


def _reason(error: OSError | UnicodeError) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else "it is not text"


def _check_port(address: str) -> None:
    """Fail at once for a dead address: Ray itself takes 40 s."""
    host, _, port = address.rpartition(":")
    if not port.isdecimal():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS).close()
    except OSError as error:
        raise ClusterError(
            f"no cluster answers at {address} ({error.strerror or error}); start it with: ray start --head, "
            "or correct fleet.address"
        ) from None


def _check_token(ray: Any, address: str) -> None:
    """Fail at once for a missing or wrong token: `ray.init` takes 20 s and does not report why."""
    from ray._private.services import canonicalize_bootstrap_address
    from ray._raylet import GcsClient

    found = canonicalize_bootstrap_address(address)
    if not found:
        raise ClusterError(_NO_CLUSTER)
    try:
        GcsClient(address=found).internal_kv_keys(*_NO_KEYS, timeout=CONNECT_SECONDS)
    except ray.exceptions.AuthenticationError:
        raise ClusterError(
            f"the cluster at {found} refuses the token; set fleet.tokenPath to a file on the gateway's "
            "machine with the token of the cluster"
        ) from None


def _check_authentication(ray: Any) -> None:
    address = str(ray.get_runtime_context().gcs_address)
    if os.environ.get("RAY_AUTH_MODE") == "token" or is_loopback(address):
        return
    ray.shutdown()
    raise ClusterError(
        f"the cluster at {address} runs without authentication, so anyone who reaches it can run programs on "
        "it; start every node with RAY_AUTH_MODE=token and one token, and set fleet.tokenPath"
    )


def _explained(error: Exception) -> str:
    text = str(error).strip()
    if "ersion mismatch" in text:
        words = " ".join(text.split())
        return (
            f"{words[:400]}; install the same versions of Python and Ray for the gateway and on all nodes "
            f"(this gateway: sidecar {__version__})"
        )
    if "Could not find any running Ray instance" in text:
        return (
            "no cluster runs on the gateway's machine; start it with: ray start --head, or set fleet.address"
        )
    return f"the cluster cannot be reached: {' '.join(text.split())[:400]}; check fleet.address"
