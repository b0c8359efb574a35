"""The transport between an agent's pipes and the protocol's SDK. It validates messages and keeps their order.

Session updates do not reach the SDK, which would start a task for each. The wire turns them into events, in
order and with back-pressure, so the SDK sees a reply only after all earlier updates are recorded.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import orjson

from sidecar.subagents.runners.acp.elicitations import CANCEL_REQUEST, CAPABILITY, CREATE, Elicitations
from sidecar.subagents.runners.acp.lines import Message, MessageLines, OmittedLine, UnreadLine
from sidecar.subagents.runners.acp.updates.elicitation import Asked
from sidecar.subagents.runners.acp.updates.events import SessionEvents
from sidecar.subagents.runners.acp.updates.messages import Event, joined
from sidecar.subagents.runners.acp.updates.notices import CLAUDE_MESSAGE
from sidecar.subagents.runners.acp.updates.question import known_options
from sidecar.subagents.runners.contract import Emit, RunObserver
from sidecar.subagents.runners.output.fair_scheduler import FairScheduler
from sidecar.subagents.runners.process.child import ChildProcess

PERMISSION = "session/request_permission"
REQUEST_ID = "sidecarRequestId"
"""The member of `_meta` that keeps the ID of a permission request, which the SDK does not pass on."""
PROMPT = "session/prompt"
INITIALIZE = "initialize"
_SESSION_CAPABILITIES: Mapping[str, Any] = {"notices": {}, "compaction": {}}
"""Client capabilities that the SDK does not support yet.

Without them, codex and claude send their notices as the model's text, and compactions as calls of a tool.
"""
_SIGN_IN: Mapping[str, Any] = {"auth": {"terminal": True}, "_meta": {"terminal-auth": True}}
"""Capabilities of a client to which agents name the commands that sign in: the protocol's, and opencode's."""
_METHOD_NOT_FOUND = -32601
_INVALID_PARAMS = -32602
_INTERNAL_ERROR = -32603


class AgentWire:
    """The transport that the SDK's connection reads and writes; see `acp.connect_to_agent`."""

    def __init__(
        self,
        process: ChildProcess,
        events: SessionEvents,
        emit: Emit,
        observer: RunObserver,
        scheduler: FairScheduler,
    ) -> None:
        self.error: Exception | None = None
        """The error that ended reading; None at the normal end of the stream."""
        self.on_update: Callable[[Mapping[str, Any]], None] = lambda _: None
        """Called with the parameters of every `session/update`, before its events are logged."""
        self.question_in: Callable[[Mapping[str, Any]], Asked | None] = lambda _: None
        """Returns the question in the parameters of a permission request; None if it asks for permission."""
        self.on_withdrawn: Callable[[int | str], None] = lambda _: None
        """Called with the ID of a permission request that the agent withdraws."""
        self.elicitations = Elicitations(events, observer, self.send)
        """The questions that the agent puts to a person."""
        self._process = process
        self._events = events
        self._emit = emit
        self._observer = observer
        self._scheduler = scheduler
        self._lines = MessageLines()
        self._inbox: deque[Message] = deque()
        self._permissions: set[int | str] = set()
        """The IDs of the permission requests that the SDK got."""
        self._ended = False
        self._received = asyncio.Event()
        self._is_delivering = False

    @property
    def has_ended(self) -> bool:
        """Whether the agent's output has ended."""
        return self._ended

    async def receive(self) -> Message | None:
        """Return the next message for the SDK, or None at the end of the stream."""
        while not self._inbox:
            if self._ended:
                self._events.children.clear()
                return None
            try:
                await self._read()
            except Exception as error:
                self.error = error
                self._ended = True
                self._received.set()
        return self._inbox.popleft()

    async def wait_until_idle(self, seconds: float, limit: float) -> None:
        """Wait until the agent has sent nothing for `seconds` or its output ends, at most `limit` seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit):
                while not self._ended and await self._receives_within(seconds):
                    pass

    async def _receives_within(self, seconds: float) -> bool:
        self._received.clear()
        try:
            async with asyncio.timeout(seconds):
                await self._received.wait()
        except TimeoutError:
            return self._is_delivering
        return True

    async def send(self, message: Message) -> None:
        """Write one message. Raises ConnectionError if the agent closed its input."""
        if message.get("method") == PROMPT:
            self._events.session_id = message["params"]["sessionId"]
        if message.get("method") == INITIALIZE:
            message = _with_capabilities(message)
        await self._process.send(orjson.dumps(message) + b"\n")

    def kill(self) -> None:
        """Kill the agent; its output ends soon after."""
        self._process.kill()

    async def close(self) -> None:
        """Do nothing: the process owns the pipes."""

    async def _read(self) -> None:
        self._is_delivering = False
        data = await self._process.stdout.read()
        self._is_delivering = True
        self._received.set()
        await self._scheduler.next()
        self._ended = not data
        messages = list(self._lines.feed(data) if data else self._lines.finish())
        await self._scheduler.deliver(joined(self._events_of(messages)), self._emit)
        if self._events.retrying is None:
            self._observer.active()
        for message in messages:
            await self._pass_on(message)
        self._received.set()

    def _events_of(self, messages: list[Message | str]) -> Iterator[Event]:
        for message in messages:
            if isinstance(message, str):
                self._events.is_idle = self._events.is_idle and not isinstance(message, OmittedLine)
                yield {"type": "log", "stream": "stdout", "text": message}
                continue
            self._note_session(message)
            params = message.get("params")
            if not isinstance(params, dict):
                continue
            method, session_id = message.get("method"), params.get("sessionId")
            if method == "session/update":
                self.on_update(params)
            if method == "session/update" and isinstance(params.get("update"), dict):
                yield from self._events.take(params["update"], session_id)
            elif method == PERMISSION and isinstance(params.get("toolCall"), dict):
                yield from self._events.tool(params["toolCall"], session_id)
            elif method == CLAUDE_MESSAGE:
                yield from self._events.claude_message(params.get("message"))

    def _note_session(self, message: Message) -> None:
        """Take the run's own session from the reply that opens it."""
        result = message.get("result")
        if self._events.session_id is None and "method" not in message and isinstance(result, dict):
            session_id = result.get("sessionId")
            self._events.session_id = session_id if isinstance(session_id, str) else None

    async def _pass_on(self, message: Message | str) -> None:
        """Pass replies and permission requests to the SDK, and questions on. Refuse other requests."""
        if isinstance(message, UnreadLine):
            await self._refuse(message.head, message.problem)
        if isinstance(message, str):
            return
        params = message.get("params")
        call_id, method = message.get("id"), message.get("method")
        if method is None:
            self._inbox.extend(_valid_reply(message))
        elif method == CREATE and call_id is not None and _is_id(call_id) and isinstance(params, dict):
            await self.elicitations.take(call_id, params)
        elif method == PERMISSION and call_id is not None and _is_id(call_id) and isinstance(params, dict):
            if (asked := self.question_in(params)) is not None:
                await self.elicitations.put(call_id, asked)
                return
            self._permissions.add(call_id)
            options, meta = known_options(params.get("options")), {REQUEST_ID: call_id}
            self._inbox.append({**message, "params": {**params, "options": options, "_meta": meta}})
        elif "id" in message:
            error = {"code": _METHOD_NOT_FOUND, "message": f"this client does not support {method}"}
            await self.send({"jsonrpc": "2.0", "id": call_id, "error": error})
        elif isinstance(params, dict):
            self._notice(method, params)

    def _notice(self, method: object, params: Mapping[str, Any]) -> None:
        request_id = params.get("requestId")
        if method == CANCEL_REQUEST and _is_id(request_id) and request_id in self._permissions:
            self.on_withdrawn(request_id)
        else:
            self.elicitations.notice(method, params)

    async def _refuse(self, head: Message, problem: str) -> None:
        """Answer a request that was not parsed, and make such a reply an error."""
        if "method" not in head:
            self._inbox.extend(_valid_reply({"id": head.get("id"), "error": problem}))
        elif _is_id(head.get("id")):
            error = {"code": _INVALID_PARAMS, "message": f"params: {problem}"}
            await self.send({"jsonrpc": "2.0", "id": head["id"], "error": error})


def _with_capabilities(message: Message) -> Message:
    params = message["params"]
    capabilities = params.get("clientCapabilities") or {}
    session = {**(capabilities.get("session") or {}), **_SESSION_CAPABILITIES}
    offered = {**capabilities, **_SIGN_IN, "session": session, "elicitation": CAPABILITY}
    return {**message, "params": {**params, "clientCapabilities": offered}}


def _is_id(value: Any) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _valid_reply(message: Message) -> Iterator[Message]:
    """Yield a reply in the form that the SDK accepts; nothing if it does not answer one of our requests."""
    if not isinstance(message.get("id"), int):
        return
    if "result" in message or isinstance(message.get("error"), dict):
        yield message
    else:
        error = {"code": _INTERNAL_ERROR, "message": str(message.get("error", "an answer without a result"))}
        yield {"id": message["id"], "error": error}
