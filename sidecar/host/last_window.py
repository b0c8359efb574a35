"""End the runs when the last window has closed, if the settings ask for it."""

from collections.abc import Callable

from sidecar.host.lifetime import DeadlineWatch, HostFacts

RELOAD_SECONDS = 30
"""How long a window may be gone while it reloads."""


class LastWindow:
    """Watches for the last window to close: the last client that can answer questions.

    Call `changed` after windows have come or gone.
    """

    def __init__(self, facts: HostFacts, end_runs: Callable[[], None]) -> None:
        self._facts = facts
        self._end_runs = end_runs
        self._watch = DeadlineWatch(self._deadline, lambda: facts.now)
        self._had_windows = False
        self._left_at: float | None = None

    def changed(self) -> None:
        """Note that windows may have come or gone."""
        self._watch.changed()

    async def watch(self) -> None:
        """End the runs each time that the last window has been gone for `RELOAD_SECONDS`."""
        while True:
            await self._watch.passed()
            self._left_at = None
            self._end_runs()

    def _deadline(self) -> float | None:
        """Return when the runs end if no window comes back; None for never."""
        if self._facts.windows:
            self._had_windows, self._left_at = True, None
        elif self._had_windows:
            self._had_windows = False
            is_wanted = self._facts.settings.on_last_window_close == "stop" and self._facts.live_runs > 0
            self._left_at = self._facts.now if is_wanted else None
        return None if self._left_at is None else self._left_at + RELOAD_SECONDS
