"""Read a child's output with back pressure."""

import asyncio
import math

PIPE_BYTES = 1024 * 1024
"""The capacity of a pipe (Linux's `pipe-max-size`): the most there is to read after all writers died."""
PULSE_SECONDS = 0.1
"""Streams with frequent small pieces are all read together at this interval, because waking the loop costs
more than processing a piece. The first piece of a stream and large pieces do not wait."""
_FREQUENT_SECONDS = 2 * PULSE_SECONDS
_SMALL_BYTES = 4096


class OutputPipe:
    """One output stream of a child. It reads one piece ahead, then pauses until `read` is called."""

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
        """Return the next piece, b"" at the end. Supports one reader."""
        await self._ready.wait()
        data, self._data = self._data, b""
        if not self._ended:
            self._ready.clear()
            # The pipe may hold more; it is idle only after a reader has waited for it.
            self._idle = False
            self._resume_soon(len(data))
        return data

    def drain(self, idle_seconds: float) -> None:
        """End the stream after `idle_seconds` without output, or after as many bytes as a pipe holds.

        Call this after killing all writers, because a process that escaped would keep the pipe open.
        """
        self._left = PIPE_BYTES
        if not self._data:
            self._resume()
        self._close_when_idle(idle_seconds)

    def connected(self, transport: asyncio.ReadTransport) -> None:
        """Set the transport to pause and resume. The protocol calls this before any data arrives."""
        self._transport = transport

    def received(self, data: bytes) -> None:
        """Add output and pause the transport. The protocol calls this."""
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
        """Mark the end of the stream. The protocol calls this."""
        self._ended = True
        self._ready.set()
        if self._draining:
            self._draining.cancel()

    def _resume_soon(self, size: int) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        can_wait = now - self._last_read < _FREQUENT_SECONDS and size < _SMALL_BYTES
        self._last_read = now
        if can_wait and not self._draining:
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
