"""End the runs when the last window has closed, if the settings ask for it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from sidecar.api.settings import HostSettings

RELOAD_SECONDS = 30
"""How long a window may be gone while it reloads."""


@dataclass
class LastWindow:
    """Watches for the last window to close: the last client that can answer questions.

    `now` returns seconds that only increase. Call `changed` after windows have come or gone.
    """

    settings: Callable[[], HostSettings]
    windows: Callable[[], int]
    live_runs: Callable[[], int]
    end_runs: Callable[[], None]
    now: Callable[[], float]
    _had_windows: bool = False
    _left_at: float | None = None
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def changed(self) -> None:
        """Note that windows may have come or gone."""
        self._changed.set()

    async def watch(self) -> None:
        """End the runs each time that the last window has been gone for `RELOAD_SECONDS`."""
        while True:
            self._changed.clear()
            deadline = self._deadline()
            if deadline is not None and self.now() >= deadline:
                self._left_at = deadline = None
                self.end_runs()
            try:
                async with asyncio.timeout(None if deadline is None else deadline - self.now()):
                    await self._changed.wait()
            except TimeoutError:
                continue

    def _deadline(self) -> float | None:
        """Return when the runs end if no window comes back; None for never."""
        if self.windows():
            self._had_windows, self._left_at = True, None
        elif self._had_windows:
            self._had_windows = False
            is_wanted = self.settings().on_last_window_close == "stop" and self.live_runs() > 0
            self._left_at = self.now() if is_wanted else None
        return None if self._left_at is None else self._left_at + RELOAD_SECONDS
