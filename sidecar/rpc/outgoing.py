"""What this side says: notifications, requests and answers, each at the pace its kind allows."""

import asyncio
import contextlib
import itertools
import logging
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

from sidecar.rpc import encoding
from sidecar.rpc.errors import ConnectionClosed, RpcError
from sidecar.rpc.framing import encode_frame
from sidecar.rpc.messages import MessageId, Response
from sidecar.rpc.writer import FrameWriter

CANCEL_METHOD = "$/cancelRequest"

_log = logging.getLogger(__name__)


class Outgoing:
    """The sending half of a connection, and the book of our own requests that wait for an answer."""

    def __init__(self, writer: FrameWriter) -> None:
        self._writer = writer
        self._turn = asyncio.Lock()
        self._ids = itertools.count(1)
        self._awaited: dict[MessageId, asyncio.Future[Any]] = {}
        self._closed = False

    def notify(self, method: str, params: Any, coalesce: Hashable | None = None) -> None:
        """Send without waiting; see `Connection.notify`."""
        frame = encode_frame(encoding.encode_notification(method, params))
        key = None if coalesce is None else (method, coalesce)
        if not self._writer.offer(frame, key):
            _log.warning("dropped a notification %s: the peer does not read", method)

    async def notify_paced(self, method: str, params: Any) -> None:
        """Send as soon as there is room; see `Connection.notify_paced`."""
        await self.send_in_turn(partial(encoding.encode_notification, method, params))

    async def send_in_turn(self, encode: Callable[[], bytes]) -> None:
        """Wait for room, first come first served, then encode and send in one step.

        Encoding last keeps those who wait as small as their values. Raises ConnectionClosed.
        """
        async with self._turn:
            await self._writer.room()
            self._writer.send(encode_frame(encode()))

    def answer_error(self, message_id: MessageId | None, error: RpcError) -> None:
        """Answer with an error at once: refusals are small, and whoever refuses cannot wait."""
        self._writer.send(encode_frame(encoding.encode_error(message_id, error)))

    async def request(self, method: str, params: Any, timeout: float) -> Any:  # noqa: ASYNC109 # part of the API
        """Ask the peer; see `Connection.request`."""
        if self._closed:
            raise ConnectionClosed("the connection has ended")
        message_id = f"s{next(self._ids)}"
        answer = asyncio.get_running_loop().create_future()
        self._awaited[message_id] = answer
        try:
            async with asyncio.timeout(timeout):
                await self.send_in_turn(partial(encoding.encode_request, message_id, method, params))
                return await answer
        except (TimeoutError, asyncio.CancelledError):
            self.notify(CANCEL_METHOD, {"id": message_id})
            raise
        finally:
            del self._awaited[message_id]

    def resolve(self, response: Response) -> None:
        """Hand the peer's answer to whoever asked."""
        answer = None if response.id is None else self._awaited.get(response.id)
        if answer is None:
            _log.warning("the peer answered a request nobody waits for: %s", response.error or response.id)
        elif not answer.done():
            _settle(answer, response.result, response.error)

    async def drain(self, timeout: float) -> None:  # noqa: ASYNC109 # giving up is no error here
        """Wait until everything has left, or the peer is gone, or `timeout` seconds are over."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._writer.drained()

    def close(self) -> None:
        """Fail all requests that wait for the peer with ConnectionClosed, and take no new ones."""
        self._closed = True
        for answer in self._awaited.values():
            if not answer.done():
                _settle(answer, None, ConnectionClosed("the connection has ended"))


def _settle(answer: asyncio.Future[Any], result: Any, error: Exception | None) -> None:
    if error is None:
        answer.set_result(result)
    else:
        answer.set_exception(error)
