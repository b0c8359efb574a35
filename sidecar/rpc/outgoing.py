"""The sending side: notifications, requests and answers, each at the pace its kind allows."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

from sidecar.rpc.calls import CANCEL_METHOD, PendingCalls
from sidecar.rpc.errors import RpcError
from sidecar.rpc.messages import MessageId, Response
from sidecar.rpc.transport import encoding
from sidecar.rpc.transport.framing import encode_frame
from sidecar.rpc.transport.writer import FrameWriter

_log = logging.getLogger(__name__)


class Outgoing:
    """The sending half of a connection, our own requests included."""

    def __init__(self, writer: FrameWriter) -> None:
        self._writer = writer
        self._turn = asyncio.Lock()
        self._calls = PendingCalls()
        self._dropped = 0

    def notify(self, method: str, params: Any, coalesce: Hashable | None = None) -> None:
        """Send without waiting; see `Connection.notify`."""
        frame = encode_frame(encoding.encode_notification(method, params))
        key = None if coalesce is None else (method, coalesce)
        if self._writer.offer(frame, key):
            self._report_dropped()
        else:
            self._dropped += 1
            if self._dropped == 1:
                _log.warning("the peer does not read: notifications are dropped, %s first", method)

    def _report_dropped(self) -> None:
        """Log congestion only when it begins and ends: a line for each lost message would flood the log."""
        if self._dropped:
            _log.warning("%d notifications were dropped while the peer did not read", self._dropped)
            self._dropped = 0

    async def notify_paced(self, method: str, params: Any) -> None:
        """Send as soon as there is room; see `Connection.notify_paced`."""
        await self.send_in_turn(partial(encoding.encode_notification, method, params))

    async def send_in_turn(
        self, encode: Callable[[], bytes], on_leaving: Callable[[], None] | None = None
    ) -> None:
        """Wait for room, first come first served, then encode and send in one step.

        Encoding late means that waiting messages need no more memory than their values. `on_leaving` is
        called in any thread just before the end of the frame is written. Raises ConnectionClosed.
        """
        async with self._turn:
            await self._writer.room()
            self._writer.send(encode_frame(encode()), on_leaving)

    def answer_error(self, message_id: MessageId | None, error: RpcError) -> None:
        """Answer with an error at once: errors are small, and their senders cannot wait."""
        self._writer.send(encode_frame(encoding.encode_error(message_id, error)))

    async def request(self, method: str, params: Any, seconds: float) -> Any:
        """Ask the peer; see `Connection.request`."""

        async def send(message_id: MessageId) -> None:
            await self.send_in_turn(partial(encoding.encode_request, message_id, method, params))

        return await self._calls.call(send, self._cancel_remote, seconds)

    def _cancel_remote(self, message_id: MessageId) -> None:
        self.notify(CANCEL_METHOD, {"id": message_id})

    def resolve(self, response: Response) -> None:
        """Pass the peer's answer to the request that waits for it."""
        self._calls.resolve(response)

    async def drain(self, seconds: float) -> None:
        """Wait until everything is written, the peer is gone, or this time is over."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._writer.drained()

    def close(self) -> None:
        """Fail all requests that wait for the peer with ConnectionClosed, and accept no new ones."""
        self._calls.close()
