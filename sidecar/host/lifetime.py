"""How long a Host stays: while it has clients, while runs may continue without them, and a little longer."""

from collections.abc import Callable
from dataclasses import dataclass

from sidecar.api.settings import HostSettings
from sidecar.host.deadline_watch import DeadlineWatch

UNLIMITED = -1
FIRST_CLIENT_SECONDS = 10
"""How long a new Host waits at least for the client that started it."""


@dataclass
class Lifetime:
    """Decides when a Host is no longer needed. `now` returns seconds that only increase.

    Call `changed` after every change of the clients, the live runs or the settings.
    """

    settings: Callable[[], HostSettings]
    clients: Callable[[], int]
    live_runs: Callable[[], int]
    now: Callable[[], float]
    _alone_since: float | None = None
    _idle_since: float | None = None
    _had_clients: bool = False

    def __post_init__(self) -> None:
        self._watch = DeadlineWatch(self._deadline, self.now)

    def changed(self) -> None:
        """Note that clients, runs or settings may have changed."""
        self._watch.changed()

    async def over(self) -> None:
        """Wait until nobody needs the Host."""
        await self._watch.passed()

    def _deadline(self) -> float | None:
        """Return when the Host ends if nothing changes; None for never."""
        if self.clients():
            self._alone_since = self._idle_since = None
            self._had_clients = True
            return None
        if self._alone_since is None:
            self._alone_since = self.now()
        if self.live_runs():
            self._idle_since = None
            return self._survival_deadline()
        if self._idle_since is None:
            self._idle_since = self.now()
        idle = self.settings().idle_seconds
        return self._idle_since + (idle if self._had_clients else max(idle, FIRST_CLIENT_SECONDS))

    def _survival_deadline(self) -> float | None:
        minutes = self.settings().survive_minutes
        if minutes == UNLIMITED or self._alone_since is None:
            return None
        return self._alone_since + 60 * minutes
