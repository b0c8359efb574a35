"""A Ray cluster of three nodes on the loopback, run by the Python that has Ray.

Reads one JSON command a line: `{"kill": NAME}` kills a node's raylet, `{"start": NAME}` starts a node,
`{"raylet": NAME}` and `{"control": ""}` ask for the process of a raylet and of the control service, and the
end of the input stops everything. Writes one JSON answer a line.
"""

import json
import os
import sys
from collections.abc import Callable
from typing import Any

import psutil

os.environ.update(
    RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="0",
    RAY_USAGE_STATS_ENABLED="0",
    RAY_AUTH_MODE="token",
    RAY_worker_niceness="0",  # Ray gives its workers 15: other work on a busy machine would starve them
    # A dead raylet refuses each check at once; Ray waits for five refusals, by default 3 s apart. One that
    # lives and is slow still has five times 10 s.
    RAY_health_check_period_ms="500",
)

from ray.cluster_utils import Cluster

TRIES = 4
"""How often a node is started that is not up in time, on a busy machine."""
OBJECT_STORE = 78 * 1024 * 1024
PATH_OF_A = os.environ.get("PATH_OF_A")
"""Where node A finds agents that the others lack."""
FLEET = os.environ["SIDECAR_FLEET_DIR"]
"""The parent of the folders of the nodes, which have nothing in common."""


class Nodes:
    """The nodes by name."""

    def __init__(self) -> None:
        head = {"num_cpus": 0, "object_store_memory": OBJECT_STORE, "include_dashboard": False}
        self.cluster = _tried("head", lambda: Cluster(initialize_head=True, head_node_args=head))
        self.nodes: dict[str, Any] = {}

    def start(self, name: str) -> None:
        variables = {"SIDECAR_FLEET_DIR": f"{FLEET}/{name}"}
        if name == "A" and PATH_OF_A:
            variables["PATH"] = PATH_OF_A
        self.nodes[name] = _tried(
            name,
            lambda: self.cluster.add_node(
                wait=False,
                num_cpus=1,
                resources={"agent_slot": 2},
                labels={"fleet.name": name},
                object_store_memory=OBJECT_STORE,
                env_vars=variables,
            ),
        )

    def raylet(self, name: str) -> int:
        """Return the process of a node's raylet, whose children are its workers."""
        return _pid(self.nodes[name], "raylet")

    def control(self) -> int:
        """Return the process of the control service."""
        return _pid(self.cluster.head_node, "gcs_server")

    def kill(self, name: str) -> None:
        """Kill the raylet of a node and reap it, then what it would have left on a real machine."""
        node = self.nodes.pop(name)
        node.kill_raylet(check_alive=False)
        self.cluster.remove_node(node, allow_graceful=False)


def _tried(name: str, start: Callable[[], Any]) -> Any:
    """Start a node, again if it takes longer than Ray waits, which is 30 s."""
    for _ in range(TRIES):
        before = psutil.Process().children(recursive=True)
        try:
            return start()
        except Exception as error:  # Ray raises no other class
            sys.stderr.write(f"node {name} did not start: {error}\n")
            for process in set(psutil.Process().children(recursive=True)) - set(before):
                process.kill()
    raise TimeoutError(f"node {name} did not start {TRIES} times")


def _pid(node: Any, kind: str) -> int:
    pid: int = node.all_processes[kind][0].process.pid
    return pid


def answer(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def main() -> None:
    nodes = Nodes()
    for name in ("A", "B"):
        nodes.start(name)
    nodes.cluster.wait_for_nodes(120)
    answer({"address": nodes.cluster.address})
    for line in sys.stdin:
        command = json.loads(line)
        match command:
            case {"kill": name}:
                nodes.kill(name)
            case {"start": name}:
                nodes.start(name)
                nodes.cluster.wait_for_nodes(120)
            case {"raylet": name}:
                command["pid"] = nodes.raylet(name)
            case {"control": _}:
                command["pid"] = nodes.control()
        answer(command)
    nodes.cluster.shutdown()


if __name__ == "__main__":
    main()
