"""Answer the questions of agents in the order of the answers: `elicitation/create`, or as qwen asks.

The requests do not pass the SDK, which refuses forms that it cannot parse. Source: the Agent Client Protocol,
schema 1.19, and 2.4.0 of its TypeScript SDK.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from sidecar.subagents.questions.question import Reply
from sidecar.subagents.runners.acp.updates.elicitation import Asked, Unsupported, question_of
from sidecar.subagents.runners.acp.updates.events import SessionEvents
from sidecar.subagents.runners.contract import RunObserver

CREATE = "elicitation/create"
CANCEL_REQUEST = "$/cancel_request"
_COMPLETE = "elicitation/complete"
CAPABILITY: Mapping[str, Any] = {"form": {}, "url": {}}
"""The client capability that makes agents ask."""
MOST_OPEN = 20
"""How many questions of one run may be open. More than that is an agent that is out of order."""

_INVALID_PARAMS = -32602

Message = dict[str, Any]
Send = Callable[[Message], Awaitable[None]]


class Elicitations:
    """The open questions of one agent. `aclose` withdraws them."""

    def __init__(self, events: SessionEvents, observer: RunObserver, send: Send) -> None:
        self._events = events
        self._observer = observer
        self._send = send
        self._closed: Reply | None = None
        self._open: dict[int | str, asyncio.Task[Reply]] = {}
        self._answering: set[asyncio.Task[None]] = set()
        self._addresses: dict[int | str, object] = {}
        self.idle: Callable[[], object] = lambda: None
        """Called when no question is open anymore."""

    @property
    def are_open(self) -> bool:
        """Whether a question waits for its answer."""
        return bool(self._open)

    async def take(self, call_id: int | str, params: Mapping[str, Any]) -> None:
        """Put the question of an `elicitation/create` to a person; see `put`."""
        try:
            asked = question_of(params)
        except Unsupported as error:
            self._events.asked()
            await self._fail(call_id, str(error))
        else:
            await self.put(call_id, asked, params.get("elicitationId"))

    async def put(self, call_id: int | str, asked: Asked, address: object = None) -> None:
        """Put a question to a person. Return at once; the answer is sent when it is known.

        `address` is the agent's ID of an address that a person is asked to open.
        """
        self._events.asked()
        if self._closed is not None:
            await self._answer_with(call_id, result=asked.result(self._closed))
            return
        if call_id in self._open:
            await self._fail(call_id, "id: this request is open already")
            return
        question, refusal, result = asked
        if len(self._open) >= MOST_OPEN:
            refusal = f"{MOST_OPEN} questions are open already"
        if refusal is None:
            asking = asyncio.ensure_future(self._observer.ask_user(question))
        else:
            asking = asyncio.ensure_future(self._observer.decline(question, refusal))
        # Before anything is awaited, so that a notification that follows finds the question.
        self._open[call_id] = asking
        self._addresses[call_id] = address
        answering = asyncio.create_task(self._answer(call_id, result), name="question of an agent")
        self._answering.add(answering)
        answering.add_done_callback(self._answering.discard)

    def notice(self, method: object, params: Mapping[str, Any]) -> None:
        """Process a notification: the agent withdraws a request, or an address was dealt with."""
        if method == CANCEL_REQUEST:
            self._withdraw(params.get("requestId"))
        elif method == _COMPLETE and (address := params.get("elicitationId")) is not None:
            for call_id in [each for each, known in self._addresses.items() if known == address]:
                self._withdraw(call_id)

    def close(self, reason: str) -> None:
        """Withdraw all open questions, and decline later ones for `reason`."""
        self._end(Reply("decline", reason=f"Declined: {reason}."))

    def withdraw_all(self) -> None:
        """Withdraw all open and later questions."""
        self._end(Reply("cancel"))

    async def aclose(self) -> None:
        """Withdraw all questions and wait for the tasks."""
        self.withdraw_all()
        for task in self._answering:
            task.cancel()
        if self._answering:
            await asyncio.wait(set(self._answering), timeout=1)

    def _end(self, reply: Reply) -> None:
        self._closed = reply
        for asking in self._open.values():
            asking.cancel()

    def _withdraw(self, call_id: Any) -> None:
        asking = self._open.get(call_id) if isinstance(call_id, int | str) else None
        if asking is not None:
            asking.cancel()

    async def _answer(self, call_id: int | str, result: Callable[[Reply], Message]) -> None:
        asking = self._open[call_id]
        try:
            await asyncio.wait({asking})
        finally:
            asking.cancel()
            del self._open[call_id], self._addresses[call_id]
            if not self._open:
                self.idle()
        reply = (self._closed or Reply("cancel")) if asking.cancelled() else asking.result()
        await self._answer_with(call_id, result=result(reply))

    async def _fail(self, call_id: int | str, text: str) -> None:
        await self._answer_with(call_id, error={"code": _INVALID_PARAMS, "message": text})

    async def _answer_with(self, call_id: int | str, **members: Message) -> None:
        with contextlib.suppress(ConnectionError):
            await self._send({"jsonrpc": "2.0", "id": call_id, **members})
