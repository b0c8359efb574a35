"""Repeat a task of upkeep in rounds."""

import asyncio
from collections.abc import Awaitable, Callable

ROUND_SECONDS = 6 * 3600
"""The usual time between two rounds."""
SETTLE_SECONDS = 60.0
"""The time from a change of the settings to the next round, so that a half-typed number deletes nothing."""


class Rounds:
    """Call `work` at once, every `seconds`, and after `settings_changed`, from `start` to `aclose`."""

    def __init__(
        self, work: Callable[[], Awaitable[None]], name: str, seconds: float = ROUND_SECONDS
    ) -> None:
        self._work = work
        self._name = name
        self._seconds = seconds
        self._is_due = False
        self._changed = asyncio.Event()
        self._rounds: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start the rounds."""
        self._rounds = asyncio.create_task(self._repeat(), name=self._name)

    def settings_changed(self) -> None:
        """Start a round soon; further changes until then delay it."""
        self._changed.set()

    def due(self) -> None:
        """Start a round at once, or right after the current one."""
        self._is_due = True
        self._changed.set()

    def stop(self) -> None:
        """Cancel the current round and start no more."""
        if self._rounds is not None:
            self._rounds.cancel()

    async def aclose(self) -> None:
        """Stop, and wait for the end of the current round."""
        self.stop()
        if self._rounds is not None:
            await asyncio.gather(self._rounds, return_exceptions=True)

    async def _repeat(self) -> None:
        while True:
            await self._work()
            if await self._changes_within(self._seconds):
                while not self._is_due and await self._changes_within(SETTLE_SECONDS):
                    pass
            self._is_due = False

    async def _changes_within(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        except TimeoutError:
            return False
        self._changed.clear()
        return True
