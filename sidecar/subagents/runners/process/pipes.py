"""What a child writes, read with back-pressure."""

import asyncio
import math

PIPE_BYTES = 1024 * 1024
"""The most a pipe holds (Linux' `pipe-max-size`): what can still be to read when all writers are dead."""
PULSE_SECONDS = 0.1
"""Streams that chatter are read at the beats of one clock, all together: each wake-up of the loop costs more
than the words that it is for. A stream's first words, and the large pieces of a flood, do not wait."""
_CHATTER_SECONDS = 2 * PULSE_SECONDS
_SMALL_BYTES = 4096


class OutputPipe:
    """One output stream of a child. It reads one piece ahead and then waits for `read`."""

    def __init__(self) -> None:
        self._data = b""
        self._ended = False
        self._ready = asyncio.Event()
        self._transport: asyncio.ReadTransport | None = None
        self._draining: asyncio.TimerHandle | None = None
        self._idle = False
        self._left = 0
        self._last_read = -math.inf

    async def read(self) -> bytes:
        """Return the next piece, b"" at the end; one reader only."""
        await self._ready.wait()
        data, self._data = self._data, b""
        if not self._ended:
            self._ready.clear()
            # The pipe may hold more: it is idle only when a reader has waited for it.
            self._idle = False
            self._resume_soon(len(data))
        return data

    def drain(self, idle_seconds: float) -> None:
        """Let the stream end once nothing came for `idle_seconds`, or after as much as a pipe holds.

        Called when all processes that could write were killed: one that escaped holds the pipe open.
        """
        self._left = PIPE_BYTES
        if not self._data:
            self._resume()
        self._close_when_idle(idle_seconds)

    def connected(self, transport: asyncio.ReadTransport) -> None:
        """Take the transport to hold back; called by the protocol before any data."""
        self._transport = transport

    def received(self, data: bytes) -> None:
        """Take what was read; called by the protocol."""
        self._data += data
        self._idle = False
        self._ready.set()
        if self._transport:
            self._transport.pause_reading()
        if self._draining:
            self._left -= len(data)
            if self._left <= 0:
                self._close()

    def ended(self) -> None:
        """Take the end of the stream; called by the protocol."""
        self._ended = True
        self._ready.set()
        if self._draining:
            self._draining.cancel()

    def _resume_soon(self, size: int) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        chatters = now - self._last_read < _CHATTER_SECONDS and size < _SMALL_BYTES
        self._last_read = now
        if chatters and not self._draining:
            loop.call_at((now // PULSE_SECONDS + 1) * PULSE_SECONDS, self._resume)
        else:
            self._resume()

    def _resume(self) -> None:
        if self._transport:
            self._transport.resume_reading()

    def _close_when_idle(self, seconds: float) -> None:
        if not self._ended:
            self._idle = True
            self._draining = asyncio.get_running_loop().call_later(seconds, self._check_idle, seconds)

    def _check_idle(self, seconds: float) -> None:
        if self._idle and not self._data:
            self._close()
        else:
            self._close_when_idle(seconds)

    def _close(self) -> None:
        self.ended()
        if self._transport:
            self._transport.close()
