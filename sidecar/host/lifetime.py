"""How long a Host stays: while it has clients, while runs may continue without them, and a little longer."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from sidecar.api.settings import HostSettings

UNLIMITED = -1
FIRST_CLIENT_SECONDS = 10
"""How long a new Host waits at least for the client that started it."""


class HostFacts(Protocol):
    """The facts that determine how long a Host and its runs stay."""

    @property
    def settings(self) -> HostSettings:
        """The current settings."""

    @property
    def clients(self) -> int:
        """The number of attached clients."""

    @property
    def windows(self) -> int:
        """The number of clients that can answer questions."""

    @property
    def live_runs(self) -> int:
        """The number of queued and running runs."""

    @property
    def awaits_until(self) -> float:
        """Until when to wait for what ended runs left on a cluster; 0 if they left nothing."""

    @property
    def now(self) -> float:
        """The time in seconds, which only increases."""


@dataclass
class DeadlineWatch:
    """Waits until a deadline passes. Call `changed` whenever the deadline may have changed.

    `deadline` returns the moment on the clock `now`, in seconds that only increase; None for never.
    """

    deadline: Callable[[], float | None]
    now: Callable[[], float]
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def changed(self) -> None:
        """Note that the deadline may have changed."""
        self._changed.set()

    async def passed(self) -> None:
        """Wait until the deadline has passed."""
        while True:
            self._changed.clear()
            deadline = self.deadline()
            if deadline is not None and self.now() >= deadline:
                return
            try:
                async with asyncio.timeout(None if deadline is None else deadline - self.now()):
                    await self._changed.wait()
            except TimeoutError:
                continue


class Lifetime:
    """Decides when a Host is no longer needed.

    Call `changed` after every change of the clients, the live runs or the settings.
    """

    def __init__(self, facts: HostFacts) -> None:
        self._facts = facts
        self._watch = DeadlineWatch(self._deadline, lambda: facts.now)
        self._alone_since: float | None = None
        self._idle_since: float | None = None
        self._had_clients = False

    def changed(self) -> None:
        """Note that clients, runs or settings may have changed."""
        self._watch.changed()

    async def over(self, ended: asyncio.Event) -> None:
        """Wait until nobody needs the Host, and set `ended` in the same step.

        No client can attach between the decision and the event, so none is dropped without an answer.
        """
        await self._watch.passed()
        ended.set()

    def _deadline(self) -> float | None:
        """Return when the Host ends if nothing changes; None for never."""
        if self._facts.clients:
            self._alone_since = self._idle_since = None
            self._had_clients = True
            return None
        if self._alone_since is None:
            self._alone_since = self._facts.now
        if self._facts.live_runs:
            self._idle_since = None
            return self._survival_deadline()
        if self._idle_since is None:
            self._idle_since = self._facts.now
        idle = self._facts.settings.idle_seconds
        idle = idle if self._had_clients else max(idle, FIRST_CLIENT_SECONDS)
        return max(self._idle_since + idle, self._facts.awaits_until)

    def _survival_deadline(self) -> float | None:
        minutes = self._facts.settings.survive_minutes
        if minutes == UNLIMITED or self._alone_since is None:
            return None
        return self._alone_since + 60 * minutes
