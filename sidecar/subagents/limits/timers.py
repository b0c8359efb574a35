"""The timers of a run: a clock that can be paused, and a watchdog for inactive runs."""

import asyncio
from collections.abc import Callable


class RunClock:
    """Call `expire` when the clock has run for `seconds`, or never if None. For the loop's thread."""

    def __init__(self, seconds: int | float | None, expire: Callable[[], object]) -> None:
        self._left = seconds
        self._expire = expire
        self._since = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def resume(self) -> None:
        """Start or resume the clock; do nothing while it runs."""
        if self._left is None or self._timer is not None:
            return
        loop = asyncio.get_running_loop()
        self._since = loop.time()
        self._timer = loop.call_later(self._left, self._expire)

    def pause(self) -> None:
        """Pause the clock and keep the remaining time; do nothing while it is paused."""
        if self._left is None or self._timer is None:
            return
        self._left = max(0.0, self._left - (asyncio.get_running_loop().time() - self._since))
        self._timer.cancel()
        self._timer = None

    def set_left(self, seconds: float) -> None:
        """Change the remaining time of a clock that has a limit."""
        if self._left is None:
            return
        was_running = self._timer is not None
        self.pause()
        self._left = max(0.0, seconds)
        if was_running:
            self.resume()

    def stop(self) -> None:
        """Stop the clock permanently, and release `expire`, which may refer to the clock."""
        self.pause()
        self._left = None
        self._expire = _nothing


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
        """Start to watch, even after a `stop`; the silence counts from now."""
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

    def end(self) -> None:
        """Stop watching permanently, and release `expire`, which may refer to the watch."""
        self.stop()
        self._seconds = None
        self._expire = _nothing

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


def _nothing() -> None:
    """Do nothing: the call of an ended timer."""
