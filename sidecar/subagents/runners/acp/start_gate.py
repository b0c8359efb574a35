"""The first start of an agent goes alone: many set up their store in the user's home then, and not safely."""

import asyncio
import contextlib

PATIENCE_SECONDS = 15.0
"""How long a start waits for the one before it; a slow agent must not use up the start-up limit of others."""


class StartGate:
    """Lets one start of a program through at a time, until one has come as far as a session."""

    def __init__(self, patience: float = PATIENCE_SECONDS) -> None:
        self._patience = patience
        self._is_open = False
        self._lock = asyncio.Lock()

    async def enter(self) -> "Entry":
        """Wait for the start before this one; `Entry.leave` must follow, however the start ends."""
        entry = Entry(self)
        if self._is_open:
            return entry
        entry.has_waited = self._lock.locked()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._patience):
                await self._lock.acquire()
                entry.holds = True
        if self._is_open:
            entry.leave()
        return entry

    def open(self) -> None:
        """Let every start through from now on."""
        self._is_open = True

    def release(self) -> None:
        """Let the next start through."""
        self._lock.release()


class Entry:
    """One start on its way through a gate."""

    def __init__(self, gate: StartGate) -> None:
        self._gate = gate
        self.has_waited = False
        self.holds = False

    def stands(self) -> None:
        """Note that the agent's session stands: nobody needs to wait any more."""
        self._gate.open()
        self.leave()

    def leave(self) -> None:
        """Let the next start through; any number of times."""
        if self.holds:
            self.holds = False
            self._gate.release()
