"""Whether the questions of runs wait for a client that left recently."""

from sidecar.host.last_window import LastWindow
from sidecar.host.lifetime import UNLIMITED, HostFacts


class RecentAttendance:
    """Remembers when a client that can answer left."""

    def __init__(self, facts: HostFacts, last_window: LastWindow) -> None:
        self._facts = facts
        self._last_window = last_window
        self._left_at: float | None = None

    def answerer_left(self) -> None:
        """Note that a client that can answer has left."""
        self._left_at = self._facts.now

    def listeners_changed(self) -> None:
        """Let the last window be noticed."""
        self._last_window.changed()

    def keeps_questions(self) -> bool:
        """Return whether such a client left so recently that it may come back to answer."""
        minutes = self._facts.settings.survive_minutes
        if self._left_at is None:
            return False
        return minutes == UNLIMITED or self._facts.now < self._left_at + 60 * minutes
