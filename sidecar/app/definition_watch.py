"""Poll definition files for changes, because file watchers miss absent folders and some network drives.

Checking the few files takes less than a millisecond.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sidecar.subagents.definitions import DefinitionDirectory

logger = logging.getLogger(__name__)

INTERVAL_SECONDS: Final = 1.0
"""The interval between checks, which is about the longest delay of a notification."""
SHARE: Final = 50
"""After a slow check, as on a network drive, pause for this many times its duration."""


class DefinitionWatch:
    """Call `changed` in the event loop when a file in one of `places()`, or that list, changes.

    Call `start` once in the loop, and `aclose` at the end. `places` is called in a thread.
    """

    def __init__(
        self,
        places: "Callable[[], Sequence[DefinitionDirectory]]",
        changed: Callable[[], None],
        interval_seconds: float = INTERVAL_SECONDS,
    ) -> None:
        self._places = places
        self._changed = changed
        self._interval_seconds = interval_seconds
        self._task: asyncio.Task[None] | None = None
        self._known = asyncio.Event()

    def start(self) -> None:
        """Start polling. Existing files do not count as changes."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def settled(self) -> None:
        """Wait for the first check. Every later change is noticed."""
        await self._known.wait()

    async def aclose(self) -> None:
        """Stop checking."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _run(self) -> None:
        try:
            await self._compare()
        except Exception:  # listings stay correct; only notifications are missing
            logger.exception("definitions are no longer watched")

    async def _compare(self) -> None:
        known, took = await self._check()
        self._known.set()
        while True:
            await asyncio.sleep(max(self._interval_seconds, SHARE * took))
            seen, took = await self._check()
            if seen != known:
                known = seen
                self._changed()

    async def _check(self) -> tuple[object, float]:
        began = time.monotonic()
        seen = await asyncio.to_thread(self._fingerprint)
        return seen, time.monotonic() - began

    def _fingerprint(self) -> object:
        from sidecar.subagents.definitions import fingerprint  # here, to keep startup fast

        return fingerprint(self._places())
