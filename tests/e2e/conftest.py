"""A real sidecar process for each test, and the proof afterwards that it left no process behind."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sidecar.rpc.client import RpcClient
from sidecar.subagents.runners.process.marker import find, sweep
from tests.forked.client import ForkedClient
from tests.forked.server import ForkServer
from tests.model_server.server import ModelServer

REPO = Path(__file__).parents[2]
SERVE = (sys.executable, "-m", "sidecar", "serve", "--in-process")

Json = dict[str, Any]

RUNNERS: Json = {
    "cat": {"type": "command", "command": ["cat"]},
    "fail": {"type": "command", "command": ["sh", "-c", "echo half; echo why >&2; exit 3"]},
    # Says one line, then waits for ever: what a test can watch, cancel and lose.
    "wait": {"type": "command", "command": ["sh", "-c", "echo ready; exec sleep 600"]},
    # Everything that tries to outlive a cancel at once.
    "stubborn": {
        "type": "command",
        "command": [
            "sh",
            "-c",
            "trap '' TERM; setsid sleep 600 & (setsid sleep 600 >/dev/null 2>&1 &) ; echo ready; "
            "while :; do sleep 600; done",
        ],
    },
    # Nothing of what it starts carries its marker, its session or its parent.
    "vanish": {
        "type": "command",
        "command": [
            "sh",
            "-c",
            "env -i setsid sh -c 'echo ready; while :; do sleep 60; done' {taskId} & exec sleep 600",
        ],
    },
    "events": {"type": "command", "format": "events", "command": ["sh", "-c", "{prompt}"]},
}


def define(home: Path, names: Iterable[str]) -> Path:
    """Write a definition for each runner, under its name, and return their folder."""
    agents = home / "config" / "subagent-sidecar" / "agents"
    for name in names:
        (agents / f"{name}.md").write_text(f"---\nname: {name}\ndescription: x.\nrunner: {name}\n---\n")
    return agents


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests of agents that only `scripts/agents --all` installs, unless they are asked for."""
    from tests.e2e.real.real_agents import AGENTS, MODELS  # here, since it needs this module

    absent = [
        each
        for each in items
        if isinstance(each, pytest.Function)
        and hasattr(each, "callspec")
        and each.callspec.params.get("agent") in MODELS.keys() - set(AGENTS)
    ]
    if absent:
        config.hook.pytest_deselected(items=absent)
        items[:] = [each for each in items if each not in absent]


class Sidecar:
    """A sidecar under test, driven as an editor drives it."""

    instance = ""

    def __init__(self, client: RpcClient, home: Path) -> None:
        self.client = client
        self.home = home
        self.root = home / "root"
        self.workspace = home / "workspace"
        self.events: dict[str, list[Json]] = {}
        self.changes: list[Json] = []
        self._changed = asyncio.Condition()
        client.on_notification("asyncTasks/didOutput", self._take_events)
        client.on_notification("asyncTasks/didChange", self._take_change)

    async def request(self, method: str, **params: Any) -> Any:
        return await self.client.request(method, params, timeout=50)

    async def initialize(self, **more: Any) -> Json:
        params: Json = {
            "protocolVersion": 1,
            "workspaceFolders": [str(self.workspace)],
            "workspaceTrusted": True,
            "settings": {"runners": RUNNERS},
            **more,
        }
        answer: Json = await self.client.request("initialize", params, timeout=120)
        return answer

    async def launch(self, name: str, goal: str = "do it", **more: Any) -> str:
        answer = await self.request("asyncTasks/launch", subagentName=name, goalPrompt=goal, **more)
        task_id: str = answer["task"]["id"]
        return task_id

    async def launch_ready(self, name: str, **more: Any) -> str:
        """Launch and wait for the run's first words."""
        task_id = await self.launch(name, **more)
        await self.request("asyncTasks/subscribe", taskId=task_id, afterSeq=0)
        await self.until(lambda: "ready" in self.text(task_id))
        return task_id

    async def ended(self, *task_ids: str) -> list[Json]:
        params = {"taskIds": list(task_ids), "timeoutSeconds": 240}  # the test's own limit is lower, mostly
        answer = await self.client.request("asyncTasks/wait", params, timeout=250)
        assert not answer["timedOut"]
        tasks: list[Json] = answer["tasks"]
        return tasks

    async def task(self, task_id: str) -> Json:
        answer: Json = (await self.request("asyncTasks/get", taskId=task_id))["task"]
        return answer

    async def until(self, condition: Callable[[], bool], seconds: float = 20) -> None:
        async with asyncio.timeout(seconds), self._changed:
            await self._changed.wait_for(condition)

    async def shut_down(self) -> int | None:
        await self.request("shutdown")
        await self.client.notify("exit")
        return await self.client.wait(5)

    def text(self, task_id: str) -> str:
        events = self.events.get(task_id, [])
        return "".join(event["text"] for event in events if event["type"] == "message")

    def _take_events(self, params: Any) -> None:
        self.events.setdefault(params["taskId"], []).extend(params["events"])
        self._wake()

    def _take_change(self, params: Any) -> None:
        self.changes.append(params["task"])
        self._wake()

    def _wake(self) -> None:
        async def wake() -> None:
            async with self._changed:
                self._changed.notify_all()

        task = asyncio.ensure_future(wake())
        self._waking = task


Start = Callable[..., Awaitable[Sidecar]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a definition for each runner, and nothing else."""
    (tmp_path / "workspace").mkdir()
    agents = tmp_path / "config" / "subagent-sidecar" / "agents"
    agents.mkdir(parents=True)
    for name in RUNNERS:
        (agents / f"{name}.md").write_text(
            f"---\nname: {name}\ndescription: Runs {name}.\nrunner: {name}\n---\n"
        )
    return tmp_path


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    return {
        **os.environ,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_DATA_HOME": str(home / "data"),
        "SIDECAR_CACHE_DIR": str(home / "cache"),
        "PYTHONPATH": str(REPO),
    }


async def serve(
    server: ForkServer, options: tuple[str, ...], environment: dict[str, str], home: Path
) -> RpcClient:
    """Fork a sidecar, or start one if the test has modules of its own, which a fork would not import."""
    if environment["PYTHONPATH"] == str(REPO):
        return await ForkedClient.fork(server, ["serve", "--in-process", *options], environment, home)
    return await RpcClient.spawn([*SERVE, *options], env=environment, cwd=home, stderr="collect")


@pytest.fixture
async def start(home: Path, environment: dict[str, str], fork_server: ForkServer) -> AsyncIterator[Start]:
    """Fork sidecars on one root; at the end each is closed and no process of a run may be left."""
    started: list[Sidecar] = []

    async def start(*, initialize: bool = True, root: Path | None = None, **more: Any) -> Sidecar:
        options = ("--storage-root", str(root or home / "root"))
        sidecar = Sidecar(await serve(fork_server, options, environment, home), home)
        started.append(sidecar)
        if initialize:
            await sidecar.initialize(**more)
        return sidecar

    yield start
    for sidecar in started:  # one that is killed on a busy machine leaves processes that are still dying
        await sidecar.client.close(patience=30)
    left = find(known_ids(home))
    if left:
        await asyncio.to_thread(sweep, known_ids(home), 5.0)
    assert not left, f"processes of runs are left: {left}"


@pytest.fixture
async def sidecar(start: Start) -> Sidecar:
    return await start()


def known_ids(home: Path) -> list[str]:
    return [path.name for path in home.glob("*/tasks/*")]


@pytest.fixture
def model() -> Iterator[ModelServer]:
    """A model server of our own, on loopback, in place of a provider's."""
    server = ModelServer()
    yield server
    server.close()
