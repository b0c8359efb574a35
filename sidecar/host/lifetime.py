"""How long a Host stays: while it has clients, while runs may continue without them, and a little longer."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from sidecar.api.settings import HostSettings

UNLIMITED = -1


@dataclass
class Lifetime:
    """Decides when a Host is no longer needed. `now` returns seconds that only increase.

    Call `changed` after every change of the clients, the live runs or the settings.
    """

    settings: Callable[[], HostSettings]
    clients: Callable[[], int]
    live_runs: Callable[[], int]
    now: Callable[[], float]
    _answerer_left_at: float | None = None
    _alone_since: float | None = None
    _idle_since: float | None = None
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def changed(self) -> None:
        """Note that clients, runs or settings may have changed."""
        self._changed.set()

    def answerer_left(self) -> None:
        """Note that a client that can answer questions has left."""
        self._answerer_left_at = self.now()

    @property
    def keeps_questions(self) -> bool:
        """Whether a client that can answer questions left so recently that it may come back."""
        if self._answerer_left_at is None:
            return False
        deadline = self._end_of_survival(self._answerer_left_at)
        return deadline is None or self.now() < deadline

    async def over(self) -> None:
        """Wait until nobody needs the Host."""
        while True:
            self._changed.clear()
            deadline = self._deadline()
            if deadline is not None and self.now() >= deadline:
                return
            try:
                async with asyncio.timeout(None if deadline is None else deadline - self.now()):
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
            return self._end_of_survival(self._alone_since)
        if self._idle_since is None:
            self._idle_since = self.now()
        return self._idle_since + self.settings().idle_seconds

    def _end_of_survival(self, left_at: float) -> float | None:
        minutes = self.settings().survive_minutes
        return None if minutes == UNLIMITED else left_at + 60 * minutes
