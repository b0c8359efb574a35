"""Notify of the tool that a run uses now."""

import asyncio
from collections.abc import Callable

INTERVAL_SECONDS = 0.25


class ToolNotice:
    """Call `notify` when the current tool changes: at once, then at most four times a second.

    `current` returns the name of the tool, or None between calls. Use it in the event loop.
    """

    def __init__(self, current: Callable[[], str | None], notify: Callable[[], None]) -> None:
        self._current = current
        self._notify = notify
        self._shown: str | None = None
        self._timer: asyncio.TimerHandle | None = None

    def check(self) -> None:
        """Notify of a change now, or when the interval since the last notification ends."""
        if self._timer is None and (name := self._current()) != self._shown:
            self._shown = name
            self._timer = asyncio.get_running_loop().call_later(INTERVAL_SECONDS, self._interval_ended)
            self._notify()

    def close(self) -> None:
        """Stop notifying."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _interval_ended(self) -> None:
        self._timer = None
        self.check()
