"""An event loop whose clock jumps to the next timer as soon as nothing else can happen."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop for code without threads, processes and sockets: waiting takes no time."""

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0

    def time(self) -> float:
        """Return the seconds that seem to have passed."""
        return self._now

    def skip(self, seconds: float) -> None:
        """Let time pass in which this process does nothing."""
        self._now += seconds

    def _run_once(self) -> None:
        if not self._ready:  # type: ignore[attr-defined]
            times = [timer.when() for timer in self._scheduled if not timer.cancelled()]  # type: ignore[attr-defined]
            assert times, "everything waits, and no timer is left"
            self._now = max(self._now, min(times))
        super()._run_once()  # type: ignore[misc]


def run_virtually(main: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine function to its end in virtual time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main())


async def in_line(function: Callable[..., T], /, *args: Any, **named: Any) -> T:
    """Replace `asyncio.to_thread`: a thread would not be noticed by the loop."""
    await asyncio.sleep(0)
    return function(*args, **named)


async def until(condition: Callable[[], Any], *, step: float = 0.05, limit: float = 600.0) -> None:
    """Wait until a condition holds, in steps of 50 ms, or of one turn of the loop with `step=0`."""
    async with asyncio.timeout(limit):
        while not condition():
            await asyncio.sleep(step)
