"""One client over a pair of pipes: its messages, the requests that run, and their answers."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final, Protocol

from sidecar.mcp.batches import Batch, split_batch
from sidecar.rpc.answers import Answer
from sidecar.rpc.errors import INVALID_REQUEST, OVERLOADED, ConnectionClosed, FramingError, RpcError
from sidecar.rpc.failures import MapError, describe_failure
from sidecar.rpc.messages import MessageId, Notification, Rejected, Request, parse_message
from sidecar.rpc.transport import encoding
from sidecar.rpc.transport.framing import Frame
from sidecar.rpc.transport.lines import encode_line
from sidecar.rpc.transport.stdio import PipeTransport

MAX_IN_FLIGHT: Final = 1000
_SETTLE_SECONDS: Final = 0.25
_CANCEL_SECONDS: Final = 0.5
_DRAIN_SECONDS: Final = 0.5
CANCEL: Final = "notifications/cancelled"

logger = logging.getLogger(__name__)


class Server(Protocol):
    """Answers the messages."""

    accepts_batches: bool

    async def handle(self, request: Request) -> Answer:
        """Return the answer of a request. Raises RpcError."""

    def notice(self, notification: Notification) -> None:
        """Take a notification."""

    def heard(self, start: int, cancels: MessageId | None) -> None:
        """Note a message that begins at this offset of the input, and the request that it cancels."""


class McpConnection:
    """Serve one client from the start of `serve` to its return, on one event loop."""

    def __init__(self, transport: PipeTransport, map_error: MapError | None = None) -> None:
        self.framing_error: FramingError | None = None
        self._transport = transport
        self._map_error = map_error
        self._running: dict[MessageId, asyncio.Task[None]] = {}
        self._exit_code = 0
        self._over = asyncio.Event()
        self._server: Server

    async def serve(self, server: Server) -> int:
        """Serve until the input ends or `request_exit`; return the exit code.

        The end of input gives 0, a line over the limit 1.
        """
        self._server = server
        self._transport.open(self._receive, self._input_ended)
        try:
            await self._over.wait()
            if self._running:
                await asyncio.wait(set(self._running.values()), timeout=_SETTLE_SECONDS)
        finally:
            await self._close()
        return 1 if self.framing_error is not None else self._exit_code

    def request_exit(self, code: int) -> None:
        """Make `serve` return with this code."""
        if not self._over.is_set():
            self._exit_code = code
        self._over.set()

    async def notify(self, method: str, params: Any) -> None:
        """Send a notification as soon as the client reads. Raises ConnectionClosed."""
        await self._transport.writer.room()
        self._send(encoding.encode_notification(method, params))

    def _receive(self, frames: list[Frame]) -> None:
        for frame in frames:
            batch = split_batch(frame) if self._server.accepts_batches else None
            if batch is None:
                self._take(frame, frame.start, None)
            else:
                for part in batch.parts:
                    self._take(part, frame.start, batch)
                self._end_batch(batch)

    def _take(self, body: bytes, start: int, batch: Batch | None) -> None:
        message = parse_message(body)
        cancels = _cancelled(message)
        self._server.heard(start, cancels)
        match message:
            case Request():
                self._start(message, batch)
            case Notification():
                if cancels is not None and (task := self._running.get(cancels)) is not None:
                    task.cancel()
                self._server.notice(message)
            case Rejected():
                self._answer(encoding.encode_error(message.id, message.error), batch)

    def _start(self, request: Request, batch: Batch | None) -> None:
        if request.id in self._running:
            error = RpcError(INVALID_REQUEST, "a request with this ID is still running: use another ID")
        elif len(self._running) >= MAX_IN_FLIGHT:
            error = RpcError(OVERLOADED, f"{MAX_IN_FLIGHT} requests are running: wait for answers")
        else:
            if batch is not None:
                batch.waiting += 1
            task = self._running[request.id] = asyncio.create_task(self._run(request, batch))
            task.add_done_callback(partial(self._release, request.id, batch))
            return
        self._answer(encoding.encode_error(request.id, error), batch)

    async def _run(self, request: Request, batch: Batch | None) -> None:
        """Answer a request; one that the client cancelled gets no answer."""
        answer = None
        try:
            answer = await self._server.handle(request)
            await self._transport.writer.room()
            body = encoding.encode_result(request.id, answer.result)
        except (asyncio.CancelledError, ConnectionClosed):
            self._forget(request.id, answer)
        except Exception as error:
            self._forget(request.id, answer)
            failure = describe_failure(error, self._map_error)
            self._answer(encoding.encode_error(request.id, failure), batch)
        else:
            del self._running[request.id]
            self._answer(body, batch, answer.on_flushed)
        self._end_request(batch)

    def _release(self, request_id: MessageId, batch: Batch | None, task: "asyncio.Task[None]") -> None:
        """Forget a request that was cancelled before it began, which `_run` did not see."""
        if self._running.get(request_id) is task:
            del self._running[request_id]
            self._end_request(batch)

    def _end_request(self, batch: Batch | None) -> None:
        if batch is not None:
            batch.waiting -= 1
            self._end_batch(batch)

    def _forget(self, request_id: MessageId, answer: Answer | None) -> None:
        del self._running[request_id]
        if answer is not None and answer.on_dropped is not None:
            answer.on_dropped()

    def _answer(
        self, body: bytes, batch: Batch | None, on_flushed: Callable[[int], None] | None = None
    ) -> None:
        if batch is None:
            self._send(body, on_flushed)
            return
        batch.answers.append(body)
        if on_flushed is not None:
            batch.on_flushed.append(on_flushed)

    def _end_batch(self, batch: Batch) -> None:
        if batch.waiting == 0 and batch.answers:
            self._send(batch.joined(), batch.flushed)
            batch.answers = []

    def _send(self, body: bytes, on_flushed: Callable[[int], None] | None = None) -> None:
        if on_flushed is None:
            self._transport.writer.send(encode_line(body))
            return
        self._transport.writer.send(encode_line(body), lambda: on_flushed(self._transport.position()))

    def _input_ended(self, error: FramingError | None) -> None:
        self.framing_error = self.framing_error or error
        self._over.set()

    async def _close(self) -> None:
        self._transport.stop_reading()
        tasks = set(self._running.values())
        for task in tasks:
            task.cancel()
        if tasks:
            _, stuck = await asyncio.wait(tasks, timeout=_CANCEL_SECONDS)
            if stuck:
                logger.warning("%d requests ignore their cancellation", len(stuck))
        await _within(self._transport.writer.drained(), _DRAIN_SECONDS)
        self._transport.close()


async def _within(work: Awaitable[None], seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await work
    except TimeoutError:
        logger.info("the client does not read")


def _cancelled(message: object) -> MessageId | None:
    if not isinstance(message, Notification) or message.method != CANCEL:
        return None
    request_id = message.params.get("requestId") if isinstance(message.params, dict) else None
    return request_id if isinstance(request_id, str | int) and not isinstance(request_id, bool) else None
