"""Our own requests that wait for the peer's answer; both ends of a connection keep such a table."""

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from sidecar.rpc.errors import ConnectionClosed
from sidecar.rpc.messages import MessageId, Response

CANCEL_METHOD = "$/cancelRequest"

_log = logging.getLogger(__name__)


class PendingCalls:
    """Assigns IDs and matches answers with calls; an entry lives exactly as long as its call.

    The ID of a cancelled call is kept until its answer, which the peer still has to send.
    """

    def __init__(self) -> None:
        self._ids = itertools.count(1)
        self._awaited: dict[MessageId, asyncio.Future[Any]] = {}
        self._cancelled: set[MessageId] = set()
        self._closed = False

    async def call(
        self,
        send: Callable[[MessageId], Awaitable[None]],
        cancel_remote: Callable[[MessageId], None],
        seconds: float,
    ) -> Any:
        """Send a request under a new ID and return the result; `cancel_remote` sends the peer a cancellation.

        Raises RpcError (the peer's answer), TimeoutError, ConnectionClosed, and what `send` raises.
        """
        if self._closed:
            raise ConnectionClosed("the connection has ended")
        message_id = next(self._ids)
        answer = asyncio.get_running_loop().create_future()
        self._awaited[message_id] = answer
        try:
            async with asyncio.timeout(seconds):
                await send(message_id)
                return await answer
        except (TimeoutError, asyncio.CancelledError):
            self._cancelled.add(message_id)
            cancel_remote(message_id)
            raise
        finally:
            del self._awaited[message_id]

    def resolve(self, response: Response) -> None:
        """Pass an answer to its call; log one that nobody waits for.

        A late answer to a cancelled request is dropped silently.
        """
        answer = None if response.id is None else self._awaited.get(response.id)
        if answer is None and response.id in self._cancelled:
            self._cancelled.discard(response.id)
            return
        if answer is None:
            _log.warning("ignored an unexpected answer: %s", response.error or response.id)
        elif not answer.done():
            _settle(answer, response.result, response.error)

    def close(self) -> None:
        """Fail all waiting calls with ConnectionClosed, and refuse new ones. Idempotent."""
        self._closed = True
        for answer in self._awaited.values():
            if not answer.done():
                _settle(answer, None, ConnectionClosed("the connection has ended"))


def _settle(answer: asyncio.Future[Any], result: Any, error: Exception | None) -> None:
    if error is None:
        answer.set_result(result)
    else:
        answer.set_exception(error)
