"""Clients with a model: how each kind gets its reminders, acknowledges them, and fails to."""

import asyncio
import re
from collections.abc import Mapping
from contextvars import copy_context
from pathlib import Path
from random import Random
from typing import Any, Protocol, cast

from sidecar.api.lifecycle import ClientInfo, InitializeParams
from sidecar.api.model import DeliveredParams, NextReminderParams, ToolCallParams
from sidecar.app.clients.model_client import NAME as MODEL_NAME
from sidecar.app.clients.model_client import ModelClient
from sidecar.app.clients.session import Session
from sidecar.app.handlers import model as handlers
from sidecar.app.host import Host
from sidecar.app.launching.workspace import Workspace
from sidecar.app.outbound.report_stream import ReportStream
from sidecar.host.shared import SharedHost
from sidecar.mcp.server import McpServer
from sidecar.rpc.answers import Answer, request_id
from sidecar.rpc.connection import Connection
from sidecar.rpc.errors import METHOD_NOT_FOUND, ConnectionClosed, RpcError
from sidecar.rpc.messages import Request
from sidecar.subagents.runners.process.marker import MARKER
from tests.simulation.ledger import Broken, Ledger, is_cut

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")
_MESSAGE_BYTES = 100
NO_TURN: Any = object()


class Life(Protocol):
    """One Host from its start to its end, as its clients see it."""

    host: Host
    is_alive: bool
    ledger: Ledger

    def held_by_others(self, client: "SimulatedClient") -> set[str]:
        """Return the ends that other models hold."""


class SimulatedClient:
    """One model and its client; `folder` is its workspace, None for a client without one."""

    takes_turns = False
    is_subagent = False

    def __init__(self, name: str, life: Life, folder: Path | None, random: Random) -> None:
        self.name = name
        self.folder = folder
        self.life = life
        self.random = random
        self.is_here = True
        self.is_busy = False
        self.held: set[str] = set()
        """The ends that were reported to the model and it has not acknowledged."""
        self.flying: set[str] = set()
        """The ends in a request for a turn that has no answer yet."""
        self.is_acting = False
        self.has_refused = False
        """Whether a turn was refused since the model became idle."""

    @property
    def owner_name(self) -> str:
        """The name of the client as the owner of runs."""
        return self.name

    @property
    def client_id(self) -> str:
        """The ID of the connection."""
        raise NotImplementedError

    def concerns(self, place: str) -> bool:
        """Return whether a run in a workspace concerns the model."""
        return self.folder is None or place == self.folder.name

    def expected(self) -> set[str]:
        """Return the ends to report to the model now."""
        ledger = self.life.ledger
        waiting = ledger.waiting(self.concerns, self.client_id)
        return waiting - ledger.unconfirmed - self.life.held_by_others(self)

    def hear(self, text: str, task_ids: list[str]) -> None:
        """Receive a reminder."""
        if self.life.is_alive and self.is_here:
            self.life.ledger.counts[f"{type(self).__name__}.reported"] += len(task_ids)
            facts = self.life.ledger.facts
            own = [id for id in task_ids if id in facts and facts[id].cancelled_by == self.client_id]
            if own:
                raise Broken(f"{self.name} got {own}, which it cancelled itself")
            self.life.ledger.reported(self.name, text, task_ids, self.concerns)

    def check_complete(self, expected: set[str], text: str, task_ids: list[str]) -> None:
        """Check a reminder that nothing else could change meanwhile."""
        if self.life.is_alive and (set(task_ids) - expected or (expected and not task_ids)):
            raise Broken(f"{self.name} got {task_ids} instead of {expected}")
        if self.life.is_alive and set(task_ids) != expected and not is_cut(text):
            raise Broken(f"{self.name} got only {task_ids} of {expected}")

    def check_listed(self, text: str) -> None:
        """Check that a text for the model shows no run of another workspace."""
        for task_id in _UUID.findall(text):
            fact = self.life.ledger.facts.get(task_id)
            if fact is not None and self.is_here and not self.concerns(fact.place):
                raise Broken(f"{self.name} sees {task_id} of {fact.place}: {text[:500]}")

    async def act(self, alone: bool) -> None:
        """Do one random thing; `alone` if nothing else happens meanwhile."""
        raise NotImplementedError

    async def act_alone(self, alone: bool) -> None:
        """Do one random thing, unless the client does another."""
        if not self.is_acting:
            self.is_acting = True
            try:
                await self.act(alone)
            finally:
                self.is_acting = False

    def check_idle(self) -> None:
        """Check, when everything has settled, that an idle model got what starts a turn."""

    async def leave(self) -> None:
        """Die: requests in flight are lost."""
        raise NotImplementedError

    def acknowledged(self, task_ids: list[str]) -> None:
        """Note that an acknowledgement was answered."""
        if self.life.is_alive and self.is_here:
            self.life.ledger.acknowledged(task_ids)


class Editor(SimulatedClient):
    """Speaks JSON-RPC, takes most of the turns that it is asked to, and asks before turns of its own."""

    takes_turns = True
    piggyback = False

    @property
    def client_id(self) -> str:
        return self.session.context.id

    async def enter(self) -> None:
        """Connect."""
        self.session = Session(SharedHost(self.life.host), None, {}, 0)
        self.session.connection = cast(Connection, self)
        self._position = self._requests = 0
        folders = None if self.folder is None else [str(self.folder)]
        params = InitializeParams(
            protocol_version=1,
            client_info=ClientInfo(name=self.name),
            workspace_folders=folders,
            workspace_trusted=True,
            piggyback=self.piggyback,
        )
        await self.session.open(params, self.life.host.root.path)

    async def leave(self) -> None:
        self.is_here = False
        self.held = self.flying = set()
        await self.session.aclose()

    async def act(self, alone: bool) -> None:
        choice = self.random.random()
        if self.is_busy and choice < 0.6:
            self.end_turn()
        elif choice < 0.7:
            await self.begin_turn(alone)
        elif choice < 0.8:
            await self.acknowledge("00000000-0000-4000-8000-000000000000", [])
        elif choice < 0.9:
            await self.check_texts()
        else:
            self.set_busy(not self.is_busy)

    def set_busy(self, is_busy: bool) -> None:
        """Send `agent/setBusy`."""
        self.life.ledger.trace.append(f"{self.name} is {'busy' if is_busy else 'idle'}")
        self._message()
        self.is_busy = is_busy
        if not is_busy:
            self.has_refused = False
        self.session.set_busy(is_busy)

    def end_turn(self) -> None:
        """Become idle."""
        self.set_busy(False)

    async def begin_turn(self, alone: bool) -> None:
        """Begin a turn for a person: get the reminder, and acknowledge it unless something fails."""
        self.set_busy(True)
        expected = self.expected()
        room = self.random.choice([None, None, 1_000, 1])
        reminder = await handlers.next_reminder(self.session, NextReminderParams(max_chars=room))
        task_ids = list(reminder.task_ids)
        self.hear(reminder.text, task_ids)
        if alone:
            self.check_complete(expected - self.flying, reminder.text, task_ids)
        self.held = set(task_ids)
        if reminder.delivery_id is not None and self.random.random() < 0.8:
            await self.acknowledge(reminder.delivery_id, task_ids)

    async def acknowledge(self, delivery_id: str, task_ids: list[str]) -> None:
        """Send `reminders/delivered`. A kill may take away the answer, but not the mark."""
        self._message()
        if self.life.is_alive and self.is_here:
            self.life.ledger.acknowledging(task_ids)
        await handlers.delivered(self.session, DeliveredParams(delivery_id=delivery_id))
        self.acknowledged(task_ids)
        self.held -= set(task_ids)

    async def check_texts(self) -> None:
        """Check the summary and the outbox."""
        self.check_listed(self.session.reminders.status())
        self.check_listed(" ".join(item.task_id for item in await self.session.reminders.items()))

    def check_idle(self) -> None:
        if not self.is_here or self.is_busy or not self.takes_turns or self.has_refused or self.flying:
            return
        facts = self.life.ledger.facts
        due = {task_id for task_id in self.expected() if facts[task_id].triggers}
        if due:
            raise Broken(f"{self.name} is idle and did not get {due}")

    def _message(self, cancels: int | None = None) -> None:
        """Send a message."""
        start, self._position = self._position, self._position + _MESSAGE_BYTES
        self.session.heard(start, cancels)

    # What the session uses of its connection.

    def notify(self, method: str, message: Any, coalesce: object = None) -> None:
        """Receive a notification."""

    async def notify_paced(self, method: str, message: Any) -> None:
        """Receive a notification."""

    def request_exit(self, code: int) -> None:
        """Ignore it: the client leaves by itself."""

    async def request(self, method: str, params: Any, *, timeout: float) -> Any:
        """Answer `agent/triggerTurn`."""
        assert method == "agent/triggerTurn"
        if not self.takes_turns:
            raise RpcError(METHOD_NOT_FOUND, "unknown method")
        self.life.ledger.trace.append(f"{self.name} is asked for a turn with {params.task_ids}")
        self.flying = set(params.task_ids)
        self.has_refused = True
        try:
            answer = await self._answer(params, timeout)
            self.has_refused = not answer["accepted"]
            return answer
        except BaseException as error:
            self.life.ledger.trace.append(f"{self.name} fails: {error!r}")
            self.has_refused = True
            raise
        finally:
            self.flying = set()

    async def _answer(self, params: Any, timeout: float) -> Any:
        choice = self.random.random()
        if self.random.random() < 0.5:
            await asyncio.sleep(self.random.random())
        if choice < 0.06:
            await asyncio.sleep(timeout)
            raise TimeoutError
        if choice < 0.12:
            raise RpcError(-32603, "the agent failed")
        if choice < 0.16:
            raise ConnectionClosed("the pipe broke")
        if choice < 0.3 or self.is_busy:
            return {"accepted": False}
        if not (self.life.is_alive and self.is_here):
            raise ConnectionClosed("the client is gone")
        self.hear(params.message, list(params.task_ids))
        self.life.ledger.acknowledging(params.task_ids)
        self.set_busy(True)
        return {"accepted": True}


class Poller(Editor):
    """Speaks JSON-RPC and knows no requests: it asks before each turn."""

    takes_turns = False


class Passenger(Editor):
    """Speaks JSON-RPC and gets its reminders with the results of tools."""

    takes_turns = False
    piggyback = True

    async def act(self, alone: bool) -> None:
        if self.random.random() < 0.15:
            await self.check_texts()
        else:
            await ride(self, alone)

    def message(self, cancels: int | None = None) -> int:
        """Send a message; return where it begins."""
        self._message(cancels)
        return self._position

    async def call_tool(self, number: int) -> Answer:
        """Send `tools/call`."""
        params = ToolCallParams(name="check_async_tasks", arguments={})
        context = copy_context()
        context.run(request_id.set, number)
        handled = handlers.call_tool(self.session, params)
        result = await asyncio.get_running_loop().create_task(handled, context=context)
        return result if isinstance(result, Answer) else Answer(result)

    def read(self, answer: Any) -> tuple[str, str, list[str]]:
        """Return the text of a result, and its reminder."""
        if answer.reminder is None:
            return answer.llm_content, "", []
        return answer.llm_content, answer.reminder.text, answer.reminder.task_ids


class McpModel(SimulatedClient):
    """Speaks the Model Context Protocol."""

    environment: Mapping[str, str] = {}

    @property
    def owner_name(self) -> str:
        return MODEL_NAME

    @property
    def client_id(self) -> str:
        return self.client.caller.client_id

    async def enter(self) -> None:
        """Connect."""
        assert self.folder is not None
        workspace = Workspace((self.folder,), trusted=True)
        self.client = ModelClient(SharedHost(self.life.host), workspace, {}, self.environment)
        await self.client.open(self.life.host.root.path)
        self.server = McpServer(self.client, self.client.piggyback, self._drop, ReportStream)
        self._position = 0
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "m"}}
        await self.server.handle(Request(0, "initialize", params))

    async def leave(self) -> None:
        self.is_here = False
        self.held = self.flying = set()
        await self.client.aclose()

    async def act(self, alone: bool) -> None:
        await ride(self, alone)

    def message(self, cancels: int | None = None) -> int:
        """Send a message; return the end of what was sent."""
        start, self._position = self._position, self._position + _MESSAGE_BYTES
        self.server.heard(start, cancels)
        return self._position

    async def call_tool(self, number: int) -> Answer:
        """Send `tools/call`."""
        params = {"name": "check_async_tasks", "arguments": {}}
        return await self.server.handle(Request(number, "tools/call", params))

    def read(self, answer: Any) -> tuple[str, str, list[str]]:
        """Return the text of a result, and its reminder."""
        content = answer["content"]
        if len(content) == 1:
            return content[0]["text"], "", []
        return content[0]["text"], content[1]["text"], content[1]["_meta"]["taskIds"]

    async def _drop(self, method: str, params: Any) -> None:
        """Receive a notification."""


class Subagent(McpModel):
    """The model of a run, whose agent has the server by its own configuration: no end concerns it."""

    is_subagent = True

    def __init__(self, name: str, life: Life, folder: Path | None, random: Random, run: str) -> None:
        super().__init__(name, life, folder, random)
        self.run = run
        self.environment = {MARKER: run}

    def concerns(self, place: str) -> bool:
        return False


async def ride(client: "Passenger | McpModel", alone: bool) -> None:
    """Call a tool, whose result may be lost, and perhaps send a message that acknowledges it."""
    random, number = client.random, client.random.randrange(1, 1 << 30)
    trace = client.life.ledger.trace
    begins(client)
    expected = client.expected()
    answer = await client.call_tool(number)
    text, reminder, task_ids = client.read(answer.result)
    client.check_listed(text)
    trace.append(f"{client.name} called a tool, which carries {task_ids}")
    if not task_ids:
        if alone and expected - client.held:
            raise Broken(f"{client.name} did not get {expected - client.held}")
        return
    fate = random.random()
    trace.append(f"{fate}")
    if fate < 0.15:  # cancelled before the result was written
        client.message(cancels=number)
        assert answer.on_dropped is not None
        answer.on_dropped()
        client.held = set()
        return
    position = client.message() if fate < 0.3 else client.message(cancels=number - 1)
    assert answer.on_flushed is not None
    answer.on_flushed(position)
    client.hear(reminder, list(task_ids))
    if alone:
        client.check_complete(expected, reminder, list(task_ids))
    client.held = set(task_ids)
    if fate < 0.4:  # too late: the client ignores a result that it has got
        client.message(cancels=number)
    if fate < 0.8:
        begins(client)


def begins(client: "Passenger | McpModel") -> None:
    """Send a message, which acknowledges what the model holds."""
    client.message()
    if client.held and client.life.is_alive and client.is_here:
        client.life.ledger.acknowledging(client.held)
    client.held = set()
