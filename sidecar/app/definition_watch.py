"""Whether definitions changed: their files are looked at, which tells what no watch can promise.

A watch would need the folders to be there, and sees nothing on some network drives; a look at the few files
there are costs less than a millisecond.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sidecar.subagents.definitions import DefinitionDirectory

logger = logging.getLogger(__name__)

LOOK_SECONDS: Final = 1.0
"""From one look to the next, so that a change is told within little more than this."""
SHARE: Final = 50
"""A look that takes long, as on a slow drive, is followed by a pause so many times as long."""


class DefinitionWatch:
    """Calls `changed` in the event loop whenever a file in one of `places()`, or that list, has changed.

    `start` once in the loop, `aclose` at the end. `places` is called in a thread.
    """

    def __init__(
        self,
        places: "Callable[[], Sequence[DefinitionDirectory]]",
        changed: Callable[[], None],
        look_seconds: float = LOOK_SECONDS,
    ) -> None:
        self._places = places
        self._changed = changed
        self._look_seconds = look_seconds
        self._looking: asyncio.Task[None] | None = None
        self._known = asyncio.Event()

    def start(self) -> None:
        """Begin; what is there now is known."""
        self._looking = asyncio.get_running_loop().create_task(self._look_again())

    async def settled(self) -> None:
        """Wait until what was there at the start is known: from then on no change is missed."""
        await self._known.wait()

    async def aclose(self) -> None:
        """Look no more."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait([self._looking])

    async def _look_again(self) -> None:
        try:
            await self._compare()
        except Exception:  # without it listings are still right, only nobody is told of a change
            logger.exception("definitions are no longer looked at")

    async def _compare(self) -> None:
        known, took = await self._look()
        self._known.set()
        while True:
            await asyncio.sleep(max(self._look_seconds, SHARE * took))
            seen, took = await self._look()
            if seen != known:
                known = seen
                self._changed()

    async def _look(self) -> tuple[object, float]:
        began = time.monotonic()
        seen = await asyncio.to_thread(self._fingerprint)
        return seen, time.monotonic() - began

    def _fingerprint(self) -> object:
        from sidecar.subagents.definitions import fingerprint  # here, because starting up looks at none

        return fingerprint(self._places())
