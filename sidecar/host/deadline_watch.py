"""Wait for a moment that changes with the facts it depends on."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field


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
