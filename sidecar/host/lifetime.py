"""How long a Host stays: while it has clients, while runs may continue without them, and a little longer."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from sidecar.api.settings import HostSettings

UNLIMITED = -1
RELOAD_SECONDS = 10
"""How long a window may be gone while it reloads."""


@dataclass
class Lifetime:
    """Decides when a Host is no longer needed. `now` returns seconds that only increase.

    Call `changed` after every change of the clients, the live runs or the settings.
    """

    settings: Callable[[], HostSettings]
    clients: Callable[[], int]
    live_runs: Callable[[], int]
    windows: Callable[[], int]
    """How many clients can answer questions."""
    end_runs: Callable[[], None]
    now: Callable[[], float]
    _alone_since: float | None = None
    _idle_since: float | None = None
    _had_window: bool = False
    _windows_left_at: float | None = None
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def changed(self) -> None:
        """Note that clients, runs or settings may have changed."""
        self._changed.set()

    @property
    def keeps_questions(self) -> bool:
        """Whether a client that left recently may come back to answer."""
        deadline = self._survival_deadline()
        return self._alone_since is not None and (deadline is None or self.now() < deadline)

    async def over(self) -> None:
        """Wait until nobody needs the Host."""
        while True:
            self._changed.clear()
            end, stop = self._deadline(), self._stop_deadline()
            if end is not None and self.now() >= end:
                return
            if stop is not None and self.now() >= stop:
                self._had_window = False  # until another one comes
                self.end_runs()
                continue
            next_one = min((each for each in (end, stop) if each is not None), default=None)
            try:
                async with asyncio.timeout(None if next_one is None else next_one - self.now()):
                    await self._changed.wait()
            except TimeoutError:
                continue

    def _deadline(self) -> float | None:
        """Return when the Host ends if nothing changes; None for never."""
        if self.clients():
            self._alone_since = self._idle_since = None
            return None
        if self._alone_since is None:
            self._alone_since = self.now()
        if self.live_runs():
            self._idle_since = None
            return self._survival_deadline()
        if self._idle_since is None:
            self._idle_since = self.now()
        return self._idle_since + self.settings().idle_seconds

    def _stop_deadline(self) -> float | None:
        """Return when the runs end since the last window is gone; None for never."""
        if self.windows():
            self._had_window, self._windows_left_at = True, None
        elif self._had_window and self._windows_left_at is None:
            self._windows_left_at = self.now()
        wanted = self.settings().on_last_window_close == "stop" and self._had_window and self.live_runs()
        if not wanted or self._windows_left_at is None:
            return None
        return self._windows_left_at + RELOAD_SECONDS

    def _survival_deadline(self) -> float | None:
        minutes = self.settings().survive_minutes
        if minutes == UNLIMITED or self._alone_since is None:
            return None
        return self._alone_since + 60 * minutes
