"""A JSON-RPC client for Python callers: starts a server as a child process and speaks over its pipes."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Self

from sidecar.rpc.calls import CANCEL_METHOD, PendingCalls
from sidecar.rpc.child import ChildProcess, StderrMode
from sidecar.rpc.errors import METHOD_NOT_FOUND, OVERLOADED, FramingError, RpcError
from sidecar.rpc.failures import describe_failure
from sidecar.rpc.messages import MessageId, Notification, Request, Response, parse_message
from sidecar.rpc.transport import encoding
from sidecar.rpc.transport.framing import FrameDecoder, encode_frame

MAX_NOTIFICATIONS = 10_000
MAX_REQUESTS_SERVED = 100

NotificationHandler = Callable[[Any], None]
RequestHandler = Callable[[Any], Awaitable[Any]]


class RpcClient:
    """A running server process and the requests to it; `async with await RpcClient.spawn(...)` closes it.

    Notifications go to the handler of their method, else to the queue `notifications`, which keeps the
    newest 10,000 and counts the others in `dropped_notifications`. `framing_error` is set if the server's
    output was not a message stream.
    """

    def __init__(self) -> None:
        self.notifications: asyncio.Queue[Notification] = asyncio.Queue(MAX_NOTIFICATIONS)
        self.dropped_notifications = 0
        self.framing_error: FramingError | None = None
        self._calls = PendingCalls()
        self._decoder = FrameDecoder()
        self._notification_handlers: dict[str, NotificationHandler] = {}
        self._request_handlers: dict[str, RequestHandler] = {}
        self._serving: set[asyncio.Task[None]] = set()
        self._child = ChildProcess(self._received, self._calls.close)

    @classmethod
    async def spawn(
        cls,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        stderr: StderrMode = "inherit",
        own_session: bool = False,
    ) -> Self:
        """Start `command`, program and arguments; `env` replaces the environment. Raises OSError.

        With `own_session`, signals of this terminal, such as Ctrl+C, do not reach it.
        """
        client = cls()
        await client._child.start(command, env, cwd, stderr, own_session)
        return client

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def pid(self) -> int:
        """The server's process ID."""
        return self._child.pid

    @property
    def stderr_text(self) -> str:
        """The end of what the server wrote to standard error, when spawned with `stderr="collect"`."""
        return self._child.stderr_text

    async def last_words(self, seconds: float) -> str:
        """Return `stderr_text` once the server has exited, or after this time."""
        return await self._child.last_words(seconds)

    def on_notification(self, method: str, handler: NotificationHandler) -> None:
        """Call `handler(params)` for each notification of this method, in order; it must not block."""
        self._notification_handlers[method] = handler

    def on_request(self, method: str, handler: RequestHandler) -> None:
        """Answer the server's requests of this method with what `await handler(params)` returns."""
        self._request_handlers[method] = handler

    async def request(self, method: str, params: Any = None, *, timeout: float = 30) -> Any:  # noqa: ASYNC109
        """Ask the server and return its result; `timeout` in seconds.

        Raises RpcError (the server's answer), TimeoutError, ConnectionClosed or EncodingError. A request
        that is given up, by timeout or cancellation, is cancelled with `$/cancelRequest`.
        """

        async def send(message_id: MessageId) -> None:
            body = encoding.encode_request(message_id, method, {} if params is None else params)
            await self._child.send(encode_frame(body))

        return await self._calls.call(send, self._cancel_remote, timeout)

    async def notify(self, method: str, params: Any = None) -> None:
        """Send a notification, as soon as the server reads. Raises ConnectionClosed or EncodingError."""
        body = encoding.encode_notification(method, {} if params is None else params)
        await self._child.send(encode_frame(body))

    def close_input(self) -> None:
        """Close the server's input, which asks it to exit, and keep reading its output."""
        self._child.close_input()

    async def wait(self, seconds: float) -> int | None:
        """Wait for the server to exit; return its exit status, or None if it still runs after that time."""
        return await self._child.wait(seconds)

    async def close(self, patience: float = 5) -> int | None:
        """End the server: end of input, TERM after `patience` seconds, KILL a second later.

        Returns the exit status, in `patience` plus two seconds at most, whoever else holds the pipes.
        """
        status = await self._child.stop(patience)
        self._calls.close()
        for task in self._serving:
            task.cancel()
        return status

    def _cancel_remote(self, message_id: MessageId) -> None:
        self._child.write(encode_frame(encoding.encode_notification(CANCEL_METHOD, {"id": message_id})))

    def _received(self, data: bytes) -> None:
        if self.framing_error is not None:
            return
        try:
            frames = self._decoder.feed(data)
        except FramingError as error:
            self.framing_error = error
            frames = error.frames
        for frame in frames:
            self._dispatch(frame)
        if self.framing_error is not None:
            self._calls.close()

    def _dispatch(self, frame: bytes) -> None:
        match parse_message(frame):
            case Response() as response:
                self._calls.resolve(response)
            case Notification() as notification:
                self._deliver(notification)
            case Request() as request:
                self._serve(request)
            case rejected:
                self._answer(encoding.encode_error(rejected.id, rejected.error))

    def _deliver(self, notification: Notification) -> None:
        if (handler := self._notification_handlers.get(notification.method)) is not None:
            handler(notification.params)
            return
        if self.notifications.full():
            self.notifications.get_nowait()
            self.dropped_notifications += 1
        self.notifications.put_nowait(notification)

    def _serve(self, request: Request) -> None:
        handler = self._request_handlers.get(request.method)
        if handler is None:
            self._refuse(request.id, RpcError(METHOD_NOT_FOUND, f"unknown method {request.method}"))
        elif len(self._serving) >= MAX_REQUESTS_SERVED:
            self._refuse(request.id, RpcError(OVERLOADED, "too many requests are running"))
        else:
            task = asyncio.create_task(self._run(request, handler))
            self._serving.add(task)
            task.add_done_callback(self._serving.discard)

    async def _run(self, request: Request, handler: RequestHandler) -> None:
        try:
            self._answer(encoding.encode_result(request.id, await handler(request.params)))
        except Exception as error:
            self._refuse(request.id, describe_failure(error))

    def _refuse(self, message_id: MessageId, error: RpcError) -> None:
        self._answer(encoding.encode_error(message_id, error))

    def _answer(self, body: bytes) -> None:
        self._child.write(encode_frame(body))
