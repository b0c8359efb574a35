"""Share one event loop fairly between runs."""

import asyncio
import time
from collections.abc import Iterable
from typing import Any

from sidecar.subagents.runners.contract import Emit

_TURN_SECONDS = 0.002


class FairScheduler:
    """Serve runs in order, and let the loop run everything else once between two of them.

    Otherwise one pass of the loop would serve a hundred children that flood their pipes, and a cancel would
    wait for all of them.
    """

    def __init__(self) -> None:
        self._lock = asyncio.Lock()

    async def next(self) -> None:
        """Wait until it is this run's turn, for at most 64 KiB of output or 2 ms."""
        async with self._lock:
            await asyncio.sleep(0)

    async def deliver(self, events: Iterable[dict[str, Any]], emit: Emit) -> None:
        """Emit `events`, taking a new turn every 2 ms."""
        started = time.monotonic()
        for event in events:
            await emit(event)
            if time.monotonic() - started > _TURN_SECONDS:
                await self.next()
                started = time.monotonic()
