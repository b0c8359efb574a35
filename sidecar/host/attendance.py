"""Whether the questions of runs wait for a client that left recently."""

from collections.abc import Callable
from dataclasses import dataclass

from sidecar.api.settings import HostSettings
from sidecar.host.lifetime import UNLIMITED


@dataclass
class Attendance:
    """Remembers when a client that can answer left. `now` returns seconds that only increase."""

    settings: Callable[[], HostSettings]
    now: Callable[[], float]
    _left_at: float | None = None

    def left(self) -> None:
        """Note that a client that can answer has left."""
        self._left_at = self.now()

    def keeps_questions(self) -> bool:
        """Return whether such a client left so recently that it may come back to answer."""
        minutes = self.settings().survive_minutes
        if self._left_at is None:
            return False
        return minutes == UNLIMITED or self.now() < self._left_at + 60 * minutes
