"""Stream text to a client that waits for the answer to a request."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self

logger = logging.getLogger(__name__)

INTERVAL_SECONDS = 0.11
"""The shortest time between two reports: at most 10 a second."""
MAX_CHARS = 64 * 1024
"""How much of the newest text is kept for a slow client."""


class ReportStream:
    """Send text with `send`, which may wait for a slow client; adding text never waits.

    Leaving the context sends the rest, unless an error or a cancellation ends it. Later text is ignored.
    """

    def __init__(
        self,
        send: Callable[[str], Awaitable[None]],
        pause: Callable[[], Awaitable[None]] = lambda: asyncio.sleep(INTERVAL_SECONDS),
    ) -> None:
        """`pause` waits between two reports."""
        self._send = send
        self._pause = pause
        self._text = ""
        self._skipped = 0
        self._is_open = True
        self._changed = asyncio.Event()
        self._pump: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._pump = asyncio.create_task(self._send_all(), name="reports")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._pump is not None, "the context was entered"
        self._is_open = False
        self._changed.set()
        if error is not None:
            self._pump.cancel()
        try:
            await asyncio.wait({self._pump})
        finally:
            self._pump.cancel()
            self._text = ""

    def add(self, text: str) -> None:
        """Add text to the next report."""
        if not self._is_open or not text:
            return
        whole = self._text + text
        self._text = whole[-MAX_CHARS:]
        self._skipped += len(whole) - len(self._text)
        self._changed.set()

    async def _send_all(self) -> None:
        try:
            while self._is_open or self._text:
                await self._changed.wait()
                self._changed.clear()
                if self._text:
                    await self._send(self._take())
                    if self._is_open or self._text:
                        await self._pause()
                if not self._is_open:
                    self._changed.set()
        except Exception as error:
            logger.info("reports are no longer sent: %s", error)
            self._is_open = False

    def _take(self) -> str:
        skipped = f"[{self._skipped} characters skipped]\n" if self._skipped else ""
        text, self._text, self._skipped = skipped + self._text, "", 0
        return text
