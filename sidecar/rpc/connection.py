"""JSON-RPC 2.0 served over a pair of pipes: the one module that knows pygls.

pygls gives the registry, the dispatch of requests to asyncio tasks and the slots by which they are
cancelled. Reading, writing, validation and every answer are ours, because stock pygls leaves several
kinds of faulty request unanswered and blocks on a peer that does not read.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable, Mapping
from typing import Any

from cattrs import Converter
from pygls.protocol import JsonRPCProtocol
from pygls.server import JsonRPCServer

from sidecar.rpc.answers import Answer, request_id
from sidecar.rpc.calls import CANCEL_METHOD
from sidecar.rpc.errors import (
    INVALID_REQUEST,
    OVERLOADED,
    FramingError,
    RpcError,
)
from sidecar.rpc.failures import MapError, describe_failure
from sidecar.rpc.messages import (
    Message,
    MessageId,
    Notification,
    Rejected,
    Request,
    Response,
    is_message_id,
    parse_message,
)
from sidecar.rpc.outgoing import Outgoing
from sidecar.rpc.router import Admit, Method, Router
from sidecar.rpc.transport.encoding import encode_result
from sidecar.rpc.transport.framing import Frame
from sidecar.rpc.transport.stdio import PipeTransport

__all__ = ["MAX_IN_FLIGHT", "Connection", "Method"]

MAX_IN_FLIGHT = 1000

# Requests received just before the end are still answered, if that is quick.
_SETTLE_SECONDS = 0.25
_CANCEL_SECONDS = 0.5
_DRAIN_SECONDS = 0.5

_log = logging.getLogger(__name__)
# At INFO pygls writes every outgoing body into the log.
logging.getLogger("pygls").setLevel(logging.WARNING)


class _Engine(JsonRPCProtocol):
    """pygls' dispatch, with slots that are kept until a request is answered and free at that moment."""

    on_failure: Callable[[MessageId, BaseException], None]

    @property
    def in_flight(self) -> dict[MessageId, asyncio.Future[Any]]:
        """The running requests by id: asyncio's futures, because all our handlers are coroutines."""
        return self._request_futures  # type: ignore[return-value]  # declared for pygls' thread handlers

    def start(self, request: Request) -> None:
        """Run the handler of a known method in a task of its own."""
        self._handle_request(request.id, request.method, request)

    def cancel(self, message_id: MessageId) -> None:
        """Cancel a running request; its slot stays taken until it has ended."""
        if task := self.in_flight.get(message_id):
            task.cancel()

    def _send_handler_result(self, future: Any, *, msg_id: MessageId) -> None:
        """Report a handler that failed; one that succeeded has answered and freed its slot itself."""
        if self.in_flight.get(msg_id) is future:
            del self.in_flight[msg_id]
        if future.cancelled():
            self.on_failure(msg_id, asyncio.CancelledError())
        elif (error := future.exception()) is not None:
            self.on_failure(msg_id, error)


class Connection:
    """One peer, served from the start of `serve` to its return, on one event loop.

    `admit(method, is_request)` may raise to refuse a message before anything else is checked; a refused
    notification is dropped. `map_error` gives a domain exception its RpcError, or None. `on_end` is
    called once, whatever ended the connection: after the last messages were served and before what still
    runs is cancelled, so that it can be ended for the true reason. It may call `request_exit`.
    `on_message` is called with the offset of each message and the request that it cancels, before it is
    served. `before_answer` is awaited between each handler and its answer.
    """

    def __init__(
        self,
        methods: Mapping[str, Method],
        *,
        admit: Admit | None = None,
        map_error: MapError | None = None,
        on_end: Callable[[], None] | None = None,
        transport: PipeTransport | None = None,
        max_in_flight: int = MAX_IN_FLIGHT,
        on_message: Callable[[int, MessageId | None], None] | None = None,
        before_answer: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._router = Router(methods, admit)
        self._before_answer = before_answer
        self._map_error = map_error
        self._on_end = on_end
        self._on_message = on_message
        self._max_in_flight = max_in_flight
        self._transport = transport if transport is not None else PipeTransport.stdio()
        self._outgoing = Outgoing(self._transport.writer)
        self._engine = self._build_engine()
        self._notifications: asyncio.Queue[Notification] = asyncio.Queue(max_in_flight)
        self._waiting: set[MessageId] = set()
        self._exit_code: int | None = None
        self._framing_error: FramingError | None = None
        self._over = asyncio.Event()

    @property
    def outbound_depth(self) -> int:
        """Frames that wait for the peer to read."""
        return self._transport.writer.depth

    @property
    def framing_error(self) -> FramingError | None:
        """The error that ended the connection, if the peer did not send messages."""
        return self._framing_error

    async def serve(self) -> int:
        """Serve until an exit is requested, or the input ends or loses its framing; return the exit code.

        The code is 1 after a framing error, else that of `request_exit`, else 1. At the end handlers
        are cancelled and answered, and what is queued is sent: 1.5 seconds at most.
        """
        self._transport.open(self._receive, self._input_ended)
        worker = asyncio.create_task(self._serve_notifications())
        try:
            await self._over.wait()
            await self._settle()
            if self._on_end is not None:
                self._on_end()
        finally:
            await self._close(worker)
        if self._framing_error is not None:
            return 1
        return 1 if self._exit_code is None else self._exit_code

    def request_exit(self, code: int) -> None:
        """Make `serve` return with this code; the first call counts."""
        if self._exit_code is None:
            self._exit_code = code
        self._over.set()

    def notify(self, method: str, params: Any, *, coalesce: Hashable | None = None) -> None:
        """Send a notification without waiting; it may be lost if the peer does not read.

        When the queue is full, one with `coalesce` takes the place of the last of its method and key;
        one without is dropped, which is logged. Raises EncodingError.
        """
        self._outgoing.notify(method, params, coalesce)

    async def notify_paced(self, method: str, params: Any) -> None:
        """Send a notification that must not be lost, as soon as there is room.

        Raises ConnectionClosed when the peer is gone, and EncodingError.
        """
        await self._outgoing.notify_paced(method, params)

    async def request(self, method: str, params: Any, *, timeout: float) -> Any:  # noqa: ASYNC109
        """Ask the peer and return its result; `timeout` in seconds counts from the call.

        Raises RpcError (the peer's answer), TimeoutError or ConnectionClosed. A request that is given
        up, by timeout or cancellation, is cancelled with `$/cancelRequest`.
        """
        return await self._outgoing.request(method, params, timeout)

    async def drain(self, timeout: float) -> None:  # noqa: ASYNC109 # giving up is not an error here
        """Wait until everything is written, the peer is gone, or `timeout` seconds are over."""
        await self._outgoing.drain(timeout)

    def _build_engine(self) -> _Engine:
        server = JsonRPCServer(_Engine, Converter)
        engine = server.protocol
        assert isinstance(engine, _Engine)
        engine.on_failure = self._answer_failure
        for name, method in self._router.methods.items():
            if method.kind == "request":
                server.feature(name)(self._as_feature(method))
        return engine

    def _as_feature(self, method: Method) -> Callable[[Request], Awaitable[None]]:
        """Wrap a handler so that it sends its own answer, in order, within its cancellable task."""

        async def answer(call: Request) -> None:
            request_id.set(call.id)
            try:
                result = await method.handler(call.params)
            finally:
                if self._before_answer is not None:
                    await self._before_answer()
            answer = result if isinstance(result, Answer) else Answer(result)

            def encode() -> bytes:
                body = encode_result(call.id, answer.result)
                # Free before it is sent: the peer may use the ID again as soon as it reads the answer.
                del self._engine.in_flight[call.id]
                return body

            try:
                await self._outgoing.send_in_turn(encode, self._when_leaving(answer))
            except BaseException:
                if answer.on_dropped is not None:
                    answer.on_dropped()
                raise

        return answer

    def _when_leaving(self, answer: Answer) -> Callable[[], None] | None:
        on_flushed = answer.on_flushed
        return None if on_flushed is None else lambda: on_flushed(self._transport.position())

    def _receive(self, frames: list[Frame]) -> None:
        for frame in frames:
            message = parse_message(frame)
            if self._on_message is not None:
                self._on_message(frame.start, _cancelled(message))
            self._dispatch(message)

    def _dispatch(self, message: Message) -> None:
        match message:
            case Request():
                try:
                    self._start(message)
                except Exception as error:
                    self._answer_failure(message.id, error)
            case Notification():
                try:
                    self._accept(message)
                except Exception as error:
                    _log.warning("dropped the notification %s: %s", message.method, error)
            case Response():
                self._outgoing.resolve(message)
            case Rejected():
                self._outgoing.answer_error(message.id, message.error)

    def _start(self, request: Request) -> None:
        accepted = self._router.accept_request(request)
        if request.id in self._engine.in_flight:
            raise RpcError(INVALID_REQUEST, "a request with this ID is still running: use another ID")
        self._refuse_overload(waits=self._router.methods[request.method].waits)
        self._engine.start(accepted)
        if self._router.methods[request.method].waits:
            self._waiting.add(request.id)

    def _refuse_overload(self, *, waits: bool) -> None:
        """Raise OVERLOADED when too many requests of this kind run, so that waits never block a cancel."""
        if len(self._engine.in_flight) < self._max_in_flight:
            return
        self._waiting &= self._engine.in_flight.keys()
        waiting = len(self._waiting)
        if (waiting if waits else len(self._engine.in_flight) - waiting) >= self._max_in_flight:
            text = f"{self._max_in_flight} requests are running: wait for answers, then try again"
            raise RpcError(OVERLOADED, text)

    def _accept(self, notification: Notification) -> None:
        if notification.method == CANCEL_METHOD:
            if (message_id := _cancelled(notification)) is not None:
                self._engine.cancel(message_id)
        elif (accepted := self._router.accept_notification(notification)) is not None:
            if self._notifications.full():
                raise RpcError(OVERLOADED, "too many notifications wait for their handlers")
            self._notifications.put_nowait(accepted)

    async def _serve_notifications(self) -> None:
        worker = asyncio.current_task()
        while True:
            notification = await self._notifications.get()
            try:
                await self._router.methods[notification.method].handler(notification.params)
            except asyncio.CancelledError:
                if worker is not None and worker.cancelling():
                    raise
                _log.warning("the handler of the notification %s was cancelled", notification.method)
            except Exception:
                _log.exception("the handler of the notification %s failed", notification.method)
            finally:
                self._notifications.task_done()

    def _answer_failure(self, message_id: MessageId, error: BaseException) -> None:
        self._outgoing.answer_error(message_id, describe_failure(error, self._map_error))

    def _input_ended(self, error: FramingError | None) -> None:
        self._framing_error = self._framing_error or error
        self._over.set()

    async def _settle(self) -> None:
        served = asyncio.create_task(self._notifications.join())
        await asyncio.wait({served, *self._engine.in_flight.values()}, timeout=_SETTLE_SECONDS)
        served.cancel()

    async def _close(self, worker: asyncio.Task[None]) -> None:
        self._transport.stop_reading()
        self._outgoing.close()
        tasks = {worker, *self._engine.in_flight.values()}
        for task in tasks:
            task.cancel()
        _, stuck = await asyncio.wait(tasks, timeout=_CANCEL_SECONDS)
        if stuck:
            _log.warning("%d handlers ignore their cancellation", len(stuck))
        await self.drain(_DRAIN_SECONDS)
        self._transport.close()


def _cancelled(message: Message) -> MessageId | None:
    """Return the ID of the request that a message cancels."""
    if not isinstance(message, Notification) or message.method != CANCEL_METHOD:
        return None
    message_id = message.params.get("id") if isinstance(message.params, dict) else None
    return message_id if is_message_id(message_id) else None
