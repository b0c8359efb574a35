"""The clock of a run: a timer on the event loop that can be paused."""

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

    def stop(self) -> None:
        """Stop the clock permanently."""
        self.pause()
        self._left = None
