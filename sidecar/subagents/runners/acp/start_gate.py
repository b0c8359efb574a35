"""Serialize the first starts of an agent, since many set up their store in the user's home unsafely."""

import asyncio
import contextlib

WAIT_SECONDS = 15.0
"""How long a start waits for the previous one. A slow agent must not use up the others' startup limit."""


class StartGate:
    """Let one start of a program through at a time, until one of them opens a session."""

    def __init__(self, wait_seconds: float = WAIT_SECONDS) -> None:
        self._wait_seconds = wait_seconds
        self._is_open = False
        self._lock = asyncio.Lock()

    async def enter(self) -> "Entry":
        """Wait for the previous start. The caller must call `Entry.leave`, however its start ends."""
        entry = Entry(self)
        if self._is_open:
            return entry
        entry.has_waited = self._lock.locked()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._wait_seconds):
                await self._lock.acquire()
                entry.holds = True
        if self._is_open:
            entry.leave()
        return entry

    def open(self) -> None:
        """Let all starts through from now on."""
        self._is_open = True

    def release(self) -> None:
        """Let the next start through."""
        self._lock.release()


class Entry:
    """One start that passes through the gate."""

    def __init__(self, gate: StartGate) -> None:
        self._gate = gate
        self.has_waited = False
        self.holds = False

    def opened_session(self) -> None:
        """Report that the agent opened a session, so that no start has to wait any longer."""
        self._gate.open()
        self.leave()

    def leave(self) -> None:
        """Let the next start through. Safe to call any number of times."""
        if self.holds:
            self.holds = False
            self._gate.release()
