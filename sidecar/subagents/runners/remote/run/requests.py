"""Send the requests about one run, and repeat them after the death of a gateway."""

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from typing import Any
from uuid import uuid4

from sidecar.subagents.runners.contract import RunnerUnavailable
from sidecar.subagents.runners.remote.gateway_process import GatewayGone, GatewayRefused
from sidecar.subagents.runners.remote.link import FleetLink

logger = logging.getLogger(__name__)

CALL_SECONDS = 30.0
DROP_SECONDS = 15.0
RETRY_SECONDS = 0.3
MOST_PAUSE_SECONDS = 2.0
"""The longest pause between attempts that start a gateway."""


class RunRequests:
    """Send the requests about a run through the link's gateway."""

    def __init__(self, link: FleetLink, run: str) -> None:
        self.link = link
        self.run = run
        self._messages = asyncio.Lock()
        self._sending: set[asyncio.Task[Any]] = set()

    async def call(self, op: str, limit: float | None, **members: Any) -> Any:
        """Send one request. Raises RunnerUnavailable, GatewayRefused, GatewayGone and TimeoutError."""
        return await self.link.request(op, limit, run=self.run, **members)

    async def repeat(self, op: str, limit: float | None = CALL_SECONDS, **members: Any) -> Any:
        """Send a request until it is answered, even if by another gateway. Raises GatewayRefused.

        Each attempt takes at most `limit` seconds.
        """
        while True:
            try:
                return await self.call(op, limit, **members)
            except GatewayRefused as error:
                if error.kind != "unreachable":
                    raise
            except (GatewayGone, RunnerUnavailable, TimeoutError):
                pass
            await asyncio.sleep(RETRY_SECONDS)

    async def last_turn(self, missing: Sequence[str]) -> None:
        """Let the agent take its last turn; return at its end or that of the run."""
        turn = self._keep(self.repeat("lastTurn", None, missing=list(missing)), "last turn")
        await asyncio.wait({turn})
        if not turn.cancelled():
            turn.result()

    def begin(self, op: str, **members: Any) -> None:
        """Send a request in the background; log its failure."""
        self._keep(self.repeat(op, **members), op).add_done_callback(_log_failure)

    def send(self, text: str) -> None:
        """Send a message to the agent in the background, after those before it."""
        self._keep(self._sent(text), "message").add_done_callback(_log_failure)

    def cancel(self) -> None:
        """Send nothing more in the background."""
        for task in self._sending:
            task.cancel()

    async def drop(self, node_id: str) -> bool:
        """Remove the run from its node; later, if the node cannot be reached now. Return whether it is gone.

        A run without a node has nothing to bring back, and ends by itself if it gets one.
        """
        removal = asyncio.current_task()
        assert removal is not None
        self.link.leaving(removal)
        try:
            async with asyncio.timeout(DROP_SECONDS):
                await self.repeat("drop", DROP_SECONDS, nodeId=node_id)
            return True
        except (GatewayRefused, TimeoutError):
            if node_id:
                self.link.expect(self.run, node_id)
            else:
                self.link.clean()
            return False

    async def _sent(self, text: str) -> None:
        message = uuid4().hex  # a node takes a repeated message once
        async with self._messages:
            await self.repeat("send", text=text, message=message)

    def _keep(self, work: Coroutine[Any, Any, Any], name: str) -> "asyncio.Task[Any]":
        task = asyncio.create_task(work, name=f"{name} to {self.run}")
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)
        return task


def _log_failure(task: "asyncio.Task[Any]") -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        logger.warning("%s failed: %s", task.get_name(), error)
