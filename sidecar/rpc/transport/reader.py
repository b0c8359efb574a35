"""Reads frames from a pipe and passes them to the event loop.

The loop's own readiness callback saves waking a thread for every message, a third of a small round trip.
If the loop cannot watch the descriptor (Windows pipes, regular files), a thread reads.
"""

import asyncio
import logging
import os
import select
import sys
import threading
from collections.abc import Callable

from sidecar.rpc.errors import FramingError
from sidecar.rpc.transport.framing import Decoder, Frame, FrameDecoder

_CHUNK_BYTES = 256 * 1024
# One batch in progress in the loop and one waiting: more would only use memory.
_BATCHES_AHEAD = 2
# How often a paused reader checks whether it may continue, or whether the peer has hung up.
_PAUSE_SECONDS = 0.1

_log = logging.getLogger(__name__)

OnFrames = Callable[[list[Frame]], None]
OnEnd = Callable[[FramingError | None], None]
# Blocks for at most the given seconds; False means that reading must wait.
MayRead = Callable[[float], bool]


class FrameReader:
    """Base of both readers: owns a descriptor and calls two callbacks on the event loop.

    `on_end` is called once and last, with the error of a stream that lost its framing, or with None. `early`
    is what somebody has already read from the descriptor. Frames are dropped once the peer `is_gone`.
    """

    def __init__(
        self,
        fd: int,
        may_read: MayRead,
        on_frames: OnFrames,
        on_end: OnEnd,
        early: bytes = b"",
        decoder: Decoder | None = None,
        is_gone: Callable[[], bool] = lambda: False,
    ) -> None:
        self._is_gone = is_gone
        self._fd = fd
        self._early = early
        self._count = 0
        self._counting = threading.Lock()
        self._may_read = may_read
        self._on_frames = on_frames
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self._decoder = FrameDecoder() if decoder is None else decoder
        self._closed = False

    def position(self) -> int:
        """Return the offset behind everything that the peer has sent so far, read or not. Any thread."""
        with self._counting:
            return self._count + len(self._early) + _unread(self._fd)

    def close(self) -> None:
        """Stop delivering frames. Idempotent."""
        self._closed = True

    def _read(self) -> tuple[list[Frame], bool, FramingError | None]:
        """Read once, maybe blocking; return frames, whether the stream ended, and a framing error if any."""
        try:
            chunk = self._next_chunk()
            return self._decoder.feed(chunk), not chunk, None
        except FramingError as error:
            return error.frames, True, error
        except OSError as error:
            _log.debug("reading ended: %s", error)  # a terminal or socket that went away ends like a pipe
            return [], True, None

    def _next_chunk(self) -> bytes:
        chunk, self._early = self._early or os.read(self._fd, _CHUNK_BYTES), b""
        self._count += len(chunk)
        return chunk


class LoopReader(FrameReader):
    """Reads when the event loop reports that there is data."""

    def open(self) -> None:
        """Start reading. Raises NotImplementedError or PermissionError where the loop cannot watch."""
        self._timer: asyncio.TimerHandle | None = None
        self._loop.add_reader(self._fd, self._on_readable)
        if self._early:
            self._on_readable()

    def close(self) -> None:
        """Stop delivering frames, and close the descriptor."""
        if not self._closed:
            super().close()
            self._loop.remove_reader(self._fd)
            if self._timer is not None:
                self._timer.cancel()
            os.close(self._fd)

    def _next_chunk(self) -> bytes:
        with self._counting:  # held only here, since this read never waits
            return super()._next_chunk()

    def _on_readable(self) -> None:
        if not self._may_read(0):
            self._loop.remove_reader(self._fd)
            self._pause()
            return
        frames, ended, error = self._read()
        if frames and not self._is_gone():
            self._on_frames(frames)
        if ended:
            self._finish(error)

    def _pause(self) -> None:
        """Check again later. The readiness callback is off meanwhile, so poll for the end of input."""
        if self._may_read(0):
            self._loop.add_reader(self._fd, self._on_readable)
        elif _hung_up(self._fd):
            self._finish(None)
        else:
            self._timer = self._loop.call_later(_PAUSE_SECONDS, self._pause)

    def _finish(self, error: FramingError | None) -> None:
        if not self._closed:
            self.close()
            self._on_end(error)


class ThreadReader(FrameReader):
    """Reads in a daemon thread, which ends and closes the descriptor at the end of input.

    A blocked read cannot be interrupted: after `close` the thread stays until more input or the process ends.
    """

    def open(self) -> None:
        """Start the thread."""
        self._permits = threading.Semaphore(_BATCHES_AHEAD)
        threading.Thread(target=self._run, name="rpc-reader", daemon=True).start()

    def _run(self) -> None:
        error = None
        try:
            ended = False
            while not ended and self._wait_until_allowed():
                frames, ended, error = self._read()
                if frames:
                    self._post(frames)
        finally:
            os.close(self._fd)
            self._call(lambda: self._finish(error))

    def _wait_until_allowed(self) -> bool:
        """Wait while reading is not allowed; return False if either side has hung up."""
        while not self._may_read(_PAUSE_SECONDS):
            if self._closed or _hung_up(self._fd):
                return False
        return not self._closed

    def _post(self, frames: list[Frame]) -> None:
        while not self._permits.acquire(timeout=_PAUSE_SECONDS):
            if self._closed:
                return
        self._call(lambda: self._deliver(frames))

    def _deliver(self, frames: list[Frame]) -> None:
        try:
            if not (self._closed or self._is_gone()):
                self._on_frames(frames)
        finally:
            self._permits.release()

    def _finish(self, error: FramingError | None) -> None:
        if not self._closed:
            self.close()
            self._on_end(error)

    def _call(self, callback: Callable[[], None]) -> None:
        try:
            self._loop.call_soon_threadsafe(callback)
        except RuntimeError:
            self._closed = True  # the loop has ended


def open_reader(
    fd: int,
    may_read: MayRead,
    on_frames: OnFrames,
    on_end: OnEnd,
    early: bytes = b"",
    decoder: Decoder | None = None,
    is_gone: Callable[[], bool] = lambda: False,
) -> LoopReader | ThreadReader:
    """Start the reader that suits the descriptor, on the running loop."""
    reader = LoopReader(fd, may_read, on_frames, on_end, early, decoder, is_gone)
    try:
        reader.open()
    except (NotImplementedError, PermissionError):
        fallback = ThreadReader(fd, may_read, on_frames, on_end, early, decoder, is_gone)
        fallback.open()
        return fallback
    return reader


def _unread(fd: int) -> int:
    """Return how many bytes wait to be read; 0 if the system does not say."""
    try:
        from fcntl import ioctl
        from termios import FIONREAD

        return int.from_bytes(ioctl(fd, FIONREAD, b"\0" * 4), sys.byteorder)
    except (ImportError, OSError):
        return 0


def _hung_up(fd: int) -> bool:
    """Return whether the writing end is closed, even with unread bytes before the end."""
    if not hasattr(select, "poll"):
        return False
    poller = select.poll()
    poller.register(fd, getattr(select, "POLLRDHUP", 0))
    return bool(poller.poll(0))
