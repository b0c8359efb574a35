"""Whether the questions of runs wait for a client that left recently."""

from sidecar.host.last_window import LastWindow
from sidecar.host.lifetime import UNLIMITED, DeadlineWatch, HostFacts


class RecentAttendance:
    """Remembers when a client that can answer left."""

    def __init__(self, facts: HostFacts, last_window: LastWindow) -> None:
        self._facts = facts
        self._last_window = last_window
        self._left_at: float | None = None
        self._watches: list[DeadlineWatch] = []

    def answerer_left(self) -> None:
        """Note that a client that can answer has left."""
        self._left_at = self._facts.now

    def listeners_changed(self) -> None:
        """Check again whether the last window has left."""
        self._last_window.changed()
        for watch in self._watches:
            watch.changed()

    async def unattended(self) -> None:
        """Wait until no client can answer and the last one has been gone for `host.surviveMinutes`.

        Another client may keep the Host: the command line waits for runs, and cannot answer.
        """
        watch = DeadlineWatch(self._deadline, lambda: self._facts.now)
        self._watches.append(watch)
        try:
            await watch.passed()
        finally:
            self._watches.remove(watch)

    def keeps_questions(self) -> bool:
        """Return whether such a client left so recently that it may come back to answer."""
        deadline = self._deadline()
        return self._left_at is not None and (deadline is None or self._facts.now < deadline)

    def _deadline(self) -> float | None:
        """Return when questions stop waiting if nothing changes; None for never."""
        minutes = self._facts.settings.survive_minutes
        if self._facts.windows or minutes == UNLIMITED:
            return None
        return 0.0 if self._left_at is None else self._left_at + 60 * minutes
