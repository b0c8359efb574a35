"""A client of a forked server: JSON-RPC over two pipe ends."""

import asyncio
import os
from collections.abc import Callable
from typing import Any

from sidecar.rpc.calls import PendingCalls
from sidecar.rpc.errors import METHOD_NOT_FOUND, ConnectionClosed, RpcError
from sidecar.rpc.messages import MessageId, Notification, Request, Response, parse_message
from sidecar.rpc.transport import encoding
from sidecar.rpc.transport.framing import FrameDecoder, encode_frame

Json = dict[str, Any]
REQUEST_SECONDS = 20.0


class Link(asyncio.Protocol):
    """Requests to a server and what it sends by itself; `closed` is set at the end of its output.

    `on_notification(method, params)` takes notifications; `on_request(method, params)` returns the answer
    to a request of the server, None to refuse it.
    """

    def __init__(
        self, on_notification: Callable[[str, Any], None], on_request: Callable[[str, Any], Json | None]
    ) -> None:
        self.closed = asyncio.Event()
        self._on_notification = on_notification
        self._on_request = on_request
        self._decoder = FrameDecoder()
        self._calls = PendingCalls()
        self._takers: dict[MessageId | None, Callable[[Any], None]] = {}
        self._write = -1

    async def open(self, read: int, write: int) -> None:
        """Take over both descriptors."""
        os.set_blocking(write, False)
        self._write = write
        pipe = os.fdopen(read, "rb", buffering=0)
        self._transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: self, pipe)

    async def request(self, method: str, take: Callable[[Any], None] | None = None, **params: Any) -> Any:
        """Ask the server; raises RpcError, TimeoutError, and ConnectionClosed when it has died.

        `take` is called with the result in the order in which answers and notifications arrive; whoever
        awaits this continues later than that.
        """

        async def send(message_id: MessageId) -> None:
            if take is not None:
                self._takers[message_id] = take
            self._send(encoding.encode_request(message_id, method, params))

        return await self._calls.call(send, lambda message_id: None, REQUEST_SECONDS)

    def notify(self, method: str) -> None:
        """Send a notification; raises ConnectionClosed."""
        self._send(encoding.encode_notification(method, {}))

    @property
    def is_open(self) -> bool:
        """Whether this end of the pipes is open."""
        return self._write >= 0

    def pause(self) -> None:
        """Read nothing more."""
        self._transport.pause_reading()

    def close(self) -> None:
        """Let go of the pipes; the server takes that as the end of its client."""
        self._transport.close()
        if self._write >= 0:
            os.close(self._write)
            self._write = -1

    def data_received(self, data: bytes) -> None:
        """Take output (asyncio)."""
        for frame in self._decoder.feed(data):
            match parse_message(frame):
                case Response() as response:
                    take = self._takers.pop(response.id, None)
                    if take is not None and response.error is None:
                        take(response.result)
                    self._calls.resolve(response)
                case Notification() as notification:
                    self._on_notification(notification.method, notification.params)
                case Request() as request:
                    self._answer(request)

    def connection_lost(self, exc: Exception | None) -> None:
        """Take the end of output (asyncio)."""
        self._calls.close()
        self.closed.set()

    def _answer(self, request: Request) -> None:
        answer = self._on_request(request.method, request.params)
        if answer is None:
            error = RpcError(METHOD_NOT_FOUND, f"unknown method {request.method}")
            body = encoding.encode_error(request.id, error)
        else:
            body = encoding.encode_result(request.id, answer)
        try:
            self._send(body)
        except ConnectionClosed:
            return

    def _send(self, body: bytes) -> None:
        frame = encode_frame(body)
        try:
            sent = os.write(self._write, frame)
        except OSError as error:  # dead, or frozen with its pipe full
            raise ConnectionClosed(f"the server takes no more input: {error}") from None
        assert sent == len(frame), "a frame is smaller than a pipe's atomic write"
