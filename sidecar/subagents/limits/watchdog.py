"""Detect an inactive run."""

import asyncio
from collections.abc import Callable


class SilenceWatch:
    """Call `expire` once after `seconds` without a `touch`, or never if None. For the loop's thread.

    `touch` only reads the clock, because it is called for each of thousands of events.
    """

    def __init__(self, seconds: float | None, expire: Callable[[], object]) -> None:
        self._seconds = seconds
        self._expire = expire
        self._last = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Start to watch, also after a `stop`; the silence counts from now."""
        if self._seconds is not None and self._timer is None:
            self.touch()
            self._arm(self._seconds)

    def touch(self) -> None:
        """Note activity."""
        self._last = asyncio.get_running_loop().time()

    def stop(self) -> None:
        """Stop watching."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self, seconds: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, self._check)

    def _check(self) -> None:
        assert self._seconds is not None
        left = self._last + self._seconds - asyncio.get_running_loop().time()
        if left > 0:
            self._arm(left)
        else:
            self._timer = None
            self._expire()
