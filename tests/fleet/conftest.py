"""A cluster for the tests of this folder, and a sidecar whose runs work there.

The Python with Ray is made by `scripts/fleet_env`. Without it, these tests fail.
"""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sidecar.rpc.client import RpcClient
from sidecar.subagents.runners.process.marker import find
from tests.e2e.agents.equipped import equipped
from tests.e2e.real.real_agents import BIN, OPENCODE_SWITCHES
from tests.fleet.fakes.world import World
from tests.fleet.local_cluster import cluster_process, read_answer

REPO = Path(__file__).parents[2]
PYTHON = REPO / ".cache" / "fleet" / "bin" / "python"
TOKEN = "5a" * 24
OF_RAY = "^(RAY_|OMP_NUM_THREADS=|PYTHONBREAKPOINT=)"
LIMIT = 90.0
"""Seconds that anything may take on a busy machine."""

Json = dict[str, Any]
MakeWorld = Callable[..., World]


class ClusterUnderTest:
    """A running cluster; its nodes are A and B, with two slots each."""

    def __init__(self, process: "subprocess.Popen[str]", home: Path) -> None:
        self._process = process
        self.pid = process.pid
        self.home = home
        self.address = read_answer(process)["address"]

    def command(self, **command: str) -> Json:
        """Let the cluster do something, wait until it is done, and return its answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        return read_answer(self._process)

    def folders(self) -> list[str]:
        """Return the runs that have a folder on a node."""
        return sorted(each.name for each in (self.home / "fleet").glob("*/runs/*"))


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeWorld:
    """Make a cluster without Ray, processes and time, inside of a virtual loop."""
    return partial(World, tmp_path, monkeypatch)


@contextmanager
def started_cluster(home: Path, **variables: str) -> Iterator[ClusterUnderTest]:
    """Start a cluster with this home, and end it. Its processes have these variables besides others."""
    assert PYTHON.exists(), "run scripts/fleet_env first: it installs Ray for these tests"
    equipment = {
        "FROM_THE_NODE": "a secret of the node",
        "PATH_OF_A": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "OPENCODE_CONFIG": str(home / "opencode.json"),
        **{f"OPENCODE_DISABLE_{switch}": "1" for switch in OPENCODE_SWITCHES},
    }
    with (
        (home / "log").open("wb") as log,
        cluster_process(PYTHON, home, TOKEN, log, **(equipment | variables)) as process,
    ):
        yield ClusterUnderTest(process, home)


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClusterUnderTest]:
    with started_cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@dataclass
class Fleet:
    """A sidecar with a workspace whose runners work on the cluster."""

    cluster: ClusterUnderTest
    home: Path
    labels: dict[str, str] = field(default_factory=dict)
    runners: Json = field(default_factory=dict)
    client: RpcClient = field(init=False)
    launched: list[str] = field(default_factory=list)
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def workspace(self) -> Path:
        return self.home / "workspace"

    async def open(self, **fleet: Any) -> None:
        """Start a sidecar, again after it was killed."""
        environment = {
            **os.environ,
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
            **self.variables,
        }
        root = str(self.home / "root")
        self.client = await RpcClient.spawn(
            [sys.executable, "-m", "sidecar", "serve", "--in-process", "--storage-root", root],
            env=environment,
            stderr="collect",
        )
        settings = {
            "asyncTasks": {"max": 10},
            "runners": self.runners,
            "fleet": {
                "gateway": [str(PYTHON), "-m", "sidecar.fleet.gateway"],
                "address": self.cluster.address,
                "tokenPath": str(self.home / "token"),
                "labels": self.labels,
                "heartbeatSeconds": 1,
                **fleet,
            },
        }
        await self.request(
            "initialize",
            protocolVersion=1,
            workspaceFolders=[str(self.workspace)],
            workspaceTrusted=True,
            settings=settings,
        )

    async def connected(self, **fleet: Any) -> None:
        """Start a sidecar, and wait for its gateway, which takes long to start on a busy machine."""
        await self.open(**fleet)
        status = partial(self.request, "fleet/status")
        await self.until(status, lambda answer: answer.get("problem") is None)

    async def request(self, method: str, **params: Any) -> Any:
        return await self.client.request(method, params, timeout=LIMIT)

    async def launch(self, name: str, goal: str = "go", **params: Any) -> str:
        given = {"subagentName": name, "goalPrompt": goal, "placement": "ray", **params}
        task = (await self.request("asyncTasks/launch", **given))["task"]
        self.launched.append(task["id"])
        return str(task["id"])

    async def task(self, run: str) -> Json:
        task: Json = (await self.request("asyncTasks/get", taskId=run))["task"]
        return task

    async def ended(self, run: str) -> Json:
        waited = await self.request("asyncTasks/wait", taskIds=[run], timeoutSeconds=LIMIT)
        assert not waited["timedOut"], waited
        task: Json = waited["tasks"][0]
        return task

    async def events(self, run: str) -> list[Json]:
        events: list[Json] = []
        page: Json = {"more": True, "lastSeq": 0}
        while page["more"]:
            page = await self.request("asyncTasks/events", taskId=run, afterSeq=page["lastSeq"])
            events += page["events"]
        return events

    async def until_event(self, run: str, matches: Callable[[Json], bool]) -> None:
        await self.until(lambda: self.events(run), lambda events: any(map(matches, events)))

    async def until(self, read: Callable[[], Any], matches: Callable[[Any], bool]) -> Any:
        """Ask until the answer matches."""
        deadline = time.monotonic() + LIMIT
        while not matches(value := await read()):
            assert time.monotonic() < deadline, str(value)
            await asyncio.sleep(0.1)
        return value

    async def nothing_left(self, run: str | None = None) -> None:
        """Wait until no process and no folder of a run is left, by default of all runs."""
        runs = self.launched if run is None else [run]

        async def left() -> list[Any]:
            folders = set(self.cluster.folders()) & set(runs)
            return [*await asyncio.to_thread(find, runs), *folders]

        await self.until(left, lambda found: not found)


@pytest.fixture
async def fleet(cluster: ClusterUnderTest, tmp_path: Path) -> AsyncIterator[Fleet]:
    """A sidecar whose commands work on node B, and no process and tree of its runs afterwards."""
    fleet = prepared(cluster, tmp_path)
    await fleet.open()
    yield fleet
    await fleet.client.close()
    await fleet.nothing_left()


def prepared(cluster: ClusterUnderTest, home: Path, node: str = "B") -> Fleet:
    """Return a fleet with a workspace and definitions, whose sidecar is not started yet."""
    fleet = Fleet(cluster, home, {"fleet.name": node})
    fleet.workspace.mkdir(parents=True)
    (home / "token").write_text(TOKEN)
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    (fleet.workspace / "a.txt").write_text("one\n")
    for command in (["init", "-q"], ["add", "."], [*identity, "commit", "-q", "-m", "first"]):
        subprocess.run(["git", *command], cwd=fleet.workspace, check=True)
    agents = home / "config" / "subagent-sidecar" / "agents"
    agents.mkdir(parents=True)
    fleet.runners = {
        "script": {"type": "command", "format": "events", "command": ["sh", "-c", "{prompt}"]},
        "wait": {
            "type": "command",
            "command": ["sh", "-c", "setsid sleep 600 & setsid sh -c 'sleep 600 & wait' & echo ready; wait"],
        },
        "agent": {"type": "acp", "command": [sys.executable, str(REPO / "tests" / "agents" / "scripted.py")]},
        "equipped": equipped(
            capabilities={
                "promptCapabilities": {"image": True},
                "sessionCapabilities": {"additionalDirectories": {}},
            }
        ),
        "secret": {
            "type": "command",
            "command": [
                "sh",
                "-c",
                f"echo $KEY; env | grep -cE '{OF_RAY}' || true",
            ],
            "env": {"KEY": "${env:FROM_THE_NODE}"},
        },
        "literal": {"type": "command", "command": ["true"], "env": {"KEY": "value"}},
        "opencode": {"type": "acp"},
    }
    for name in fleet.runners:
        (agents / f"{name}.md").write_text(f"---\nname: {name}\ndescription: x.\nrunner: {name}\n---\n")
    return fleet
