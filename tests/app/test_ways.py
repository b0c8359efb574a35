"""How many files a launch, a list and an event pass, and that the page on architecture draws them."""

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import fields, is_dataclass
from fnmatch import fnmatch
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sidecar.app.clients.hosting import PrivateHost
from sidecar.app.clients.serving import connect
from sidecar.app.clients.session import Session
from sidecar.history.stores.task_folders.store import TaskFolderStore
from sidecar.rpc.transport.stdio import PipeTransport
from sidecar.rpc.transport.writer import FrameWriter
from sidecar.subagents.journal.event_log import EventLog
from sidecar.subagents.runners.process.child import ChildProcess
from sidecar.subagents.runners.process.pipes import OutputPipe
from tests.app.ways import Way, Ways
from tests.rpc.wire import Peer, call

PAGE = Path(__file__).parents[2] / "docs" / "architecture.md"
GOAL, ANSWER = "find the cause", "the cause is found"
AGENT = f"import sys; sys.stdin.read(); print({ANSWER!r})"
SETTINGS = {"runners": {"agent": {"type": "command", "command": [sys.executable, "-c", AGENT]}}}


class Client:
    """A client that is connected to a session in this process."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._ids = count(1)

    async def ask(self, method: str, **params: Any) -> Any:
        message_id = next(self._ids)
        self._peer.send(call(message_id, method, **params))
        while (answer := await self._peer.read()).get("id") != message_id:
            continue
        return answer["result"]


@pytest.fixture
async def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Client]:
    agents = tmp_path / "config" / "subagent-sidecar" / "agents"
    agents.mkdir(parents=True)
    (agents / "scout.md").write_text("---\nname: scout\ndescription: x.\nrunner: agent\n---\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("SIDECAR_CACHE_DIR", str(tmp_path / "cache"))
    server_in, client_out = os.pipe()
    client_in, server_out = os.pipe()
    session = Session(PrivateHost(), tmp_path / "root", SETTINGS, 0)
    peer = Peer(connect(session, PipeTransport(server_in, server_out)), client_out, client_in)
    serving = asyncio.create_task(peer.connection.serve())
    client = Client(peer)
    await client.ask("initialize", protocolVersion=1, workspaceFolders=[str(tmp_path)], workspaceTrusted=True)
    yield client
    peer.hang_up()
    peer.stop_reading()
    await serving
    await session.aclose()


@pytest.fixture
async def ways(client: Client, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Ways]:
    ways = Ways(monkeypatch)
    yield ways
    ways.close()


def drawn(title: str) -> list[str]:
    """Return the numbered files of a drawing on the page, in their order."""
    drawing = PAGE.read_text(encoding="utf-8").split(f"**{title}**")[1].split("```")[1]
    numbered = re.findall(r"\[(\d+) ([\w/*.]+)\]", drawing)
    assert [int(number) for number, _ in numbered] == [*range(1, len(numbered) + 1)]
    return [name for _, name in numbered]


def assert_drawn(way: Way, title: str) -> None:
    named = drawn(title)
    assert len(named) == len(way), (named, way)
    for file, name in zip(way, named, strict=True):
        assert fnmatch(file, f"*{name}"), (named, way)


async def test_a_launch_takes_at_most_twelve_hops_to_a_process(client: Client, ways: Ways) -> None:
    started = ways.to(ChildProcess.spawn.__func__)  # type: ignore[attr-defined]
    await client.ask("asyncTasks/launch", subagentName="scout", goalPrompt=GOAL)
    way = await started
    assert len(way) <= 12, way
    assert_drawn(way, "A launch")


async def test_a_launch_is_written_into_at_most_six_records(client: Client, ways: Ways) -> None:
    records: set[str] = set()
    ways.see(lambda arguments: records.update(_records_with(GOAL, arguments)))
    started = ways.to(ChildProcess.spawn.__func__)  # type: ignore[attr-defined]
    await client.ask("asyncTasks/launch", subagentName="scout", goalPrompt=GOAL)
    await started
    assert {"LaunchParams", "RunSpec"} <= records, "no record was seen at either end"
    assert len(records) <= 6, records


async def test_a_list_takes_at_most_nine_hops_to_the_store(client: Client, ways: Ways) -> None:
    read = asyncio.get_running_loop().create_future()
    while not read.done():  # again if the thread that follows the root has read the new task first
        launched = await client.ask("asyncTasks/launch", subagentName="scout", goalPrompt=GOAL)
        await client.ask("asyncTasks/wait", taskIds=[launched["task"]["id"]])
        read = ways.to(TaskFolderStore.rows)
        await client.ask("tasks/list", rules="guide")
    way = read.result()
    assert len(way) <= 9, way
    assert_drawn(way, "A list")


async def test_an_event_takes_at_most_eleven_hops_to_a_notification(client: Client, ways: Ways) -> None:
    # An event waits twice, until it is read and until it is durable, so its way has three parts.
    received = ways.to(OutputPipe.received, lambda given: ANSWER.encode() in given["data"], stack_only=True)
    logged = ways.to(EventLog.append, lambda given: ANSWER in str(given["event"]), stack_only=True)
    sent = ways.to(FrameWriter.send, lambda given: _shows_output(given["frame"]), stack_only=True)
    launched = await client.ask("asyncTasks/launch", subagentName="scout", goalPrompt=GOAL)
    await client.ask("asyncTasks/subscribe", taskId=launched["task"]["id"], afterSeq=0)
    way = tuple(dict.fromkeys((*await received, *await logged, *await sent)))
    assert len(way) <= 11, way
    assert_drawn(way, "An event")


def _shows_output(frame: bytes) -> bool:
    return b"asyncTasks/didOutput" in frame and ANSWER.encode() in frame


def _records_with(text: str, arguments: dict[str, Any]) -> Iterator[str]:
    """Name the types of the records among some arguments that hold a text themselves."""
    for value in arguments.values():
        if isinstance(value, msgspec.Struct):
            names = value.__struct_fields__
        elif is_dataclass(value):
            names = tuple(field.name for field in fields(value))
        else:
            continue
        if any(isinstance(held := getattr(value, name, None), str) and text in held for name in names):
            yield type(value).__name__
