"""End the runs when the last window has closed, if the settings ask for it."""

from collections.abc import Callable
from dataclasses import dataclass

from sidecar.api.settings import HostSettings
from sidecar.host.deadline_watch import DeadlineWatch

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

    def __post_init__(self) -> None:
        self._watch = DeadlineWatch(self._deadline, self.now)

    def changed(self) -> None:
        """Note that windows may have come or gone."""
        self._watch.changed()

    async def watch(self) -> None:
        """End the runs each time that the last window has been gone for `RELOAD_SECONDS`."""
        while True:
            await self._watch.passed()
            self._left_at = None
            self.end_runs()

    def _deadline(self) -> float | None:
        """Return when the runs end if no window comes back; None for never."""
        if self.windows():
            self._had_windows, self._left_at = True, None
        elif self._had_windows:
            self._had_windows = False
            is_wanted = self.settings().on_last_window_close == "stop" and self.live_runs() > 0
            self._left_at = self.now() if is_wanted else None
        return None if self._left_at is None else self._left_at + RELOAD_SECONDS
