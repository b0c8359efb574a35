"""Runs one delivery at a time: on the next loop tick, and again with back-off after a failure."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

log = logging.getLogger(__name__)

BACK_OFF_SECONDS = (1, 2, 4, 8, 16, 32, 60)
"""Waits after the first, second ... failure in a row; the last one repeats."""


class DeliveryLoop:
    """Calls `attempt` after a wake-up if `ready` returns true.

    `attempt` returns whether it delivered; raising counts as a failure. `ready` and `wake` are plain calls on
    the loop's thread and never wait. `close` leaves nothing running.
    """

    def __init__(
        self,
        ready: Callable[[], bool],
        attempt: Callable[[], Awaitable[bool]],
        delays: Sequence[float] = BACK_OFF_SECONDS,
    ) -> None:
        self._ready = ready
        self._attempt = attempt
        self._delays = delays
        self._failures = 0
        self._timer: asyncio.Handle | None = None
        self._delivery: asyncio.Task[None] | None = None
        self._open = False

    def open(self) -> None:
        """Begin to react to wake-ups."""
        self._open = True

    def wake(self) -> None:
        """Schedule a check on the next tick of the running loop, replacing any later one."""
        if not self._open:
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            log.warning("no event loop is running: the delivery waits for the next wake-up")
        else:
            self._set_timer(loop.call_soon(self._check))

    def nudge(self) -> None:
        """Wake unless a delivery is in flight or its repetition is scheduled."""
        if self._timer is None and self._delivery is None:
            self.wake()

    def close(self) -> "asyncio.Task[None] | None":
        """Stop reacting, and cancel and return a delivery in flight so that the caller can await it."""
        self._open = False
        self._set_timer(None)
        if self._delivery is not None:
            self._delivery.cancel()
        return self._delivery

    async def aclose(self, limit: float) -> None:
        """Close, and wait at most `limit` seconds for a delivery in flight."""
        delivery = self.close()
        if delivery is not None and delivery is not asyncio.current_task():
            await asyncio.wait({delivery}, timeout=limit)

    def _check(self) -> None:
        self._timer = None
        if not self._open or self._delivery is not None:
            return
        try:
            ready = self._ready()
        except Exception:
            log.exception("the check for pending deliveries failed")
            self._retry()
            return
        if ready:
            self._delivery = asyncio.get_running_loop().create_task(self._deliver(), name="delivery")

    async def _deliver(self) -> None:
        delivered = False
        try:
            delivered = await self._attempt()
        except asyncio.CancelledError:
            if not self._open:
                raise
            log.warning("a delivery was cancelled by its receiver")
        except Exception:
            log.exception("a delivery failed")
        finally:
            self._delivery = None
        if delivered:
            self._failures = 0
            self.wake()
        else:
            self._retry()

    def _retry(self) -> None:
        delay = self._delays[min(self._failures, len(self._delays) - 1)]
        self._failures += 1
        if self._open:
            self._set_timer(asyncio.get_running_loop().call_later(delay, self._check))

    def _set_timer(self, timer: asyncio.Handle | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = timer
