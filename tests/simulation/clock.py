"""An event loop whose clock jumps, and that knows when nothing is left to do."""

import asyncio
import heapq
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, TypeVarTuple, Unpack

Ts = TypeVarTuple("Ts")


class JumpingLoop(asyncio.SelectorEventLoop):
    """Runs like any loop, but only `jump` moves its clock; timers and timeouts follow that clock.

    If real time counted too, a slow machine would let timers fire in the middle of a step.
    """

    _now = 0.0

    def __init__(self) -> None:
        self._due: list[float] = []
        self._threads: set[asyncio.Future[Any]] = set()
        super().__init__()

    def time(self) -> float:
        """Return the seconds on the clock."""
        return self._now

    def call_at(
        self, when: float, callback: Callable[[Unpack[Ts]], object], *args: *Ts, context: Any = None
    ) -> asyncio.TimerHandle:
        """Note when the timer is due."""
        heapq.heappush(self._due, when)
        return super().call_at(when, callback, *args, context=context)

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[Unpack[Ts]], Any], *args: *Ts
    ) -> "asyncio.Future[Any]":
        """Note what runs in threads."""
        work = super().run_in_executor(executor, func, *args)
        self._threads.add(work)
        work.add_done_callback(self._threads.discard)
        return work

    def jump(self, until: float, least: float) -> None:
        """Move the clock to the next timer, but by at least `least` seconds and not beyond `until`."""
        while self._due and self._due[0] <= self._now:
            heapq.heappop(self._due)
        following = self._due[0] if self._due else until
        self._now = max(self._now, min(until, max(following, self._now + least)))

    async def ran_out(self) -> None:
        """Wait until only timers, threads of the journal and files are left."""
        await asyncio.sleep(0)  # makes timers that are due ready
        while True:
            while self._ready:  # type: ignore[attr-defined]  # what asyncio runs next
                await asyncio.sleep(0)
            if not self._threads:
                return
            await asyncio.wait(set(self._threads))
