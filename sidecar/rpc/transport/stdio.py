"""Reserve standard input and output for messages, out of reach of stray prints and child processes."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from sidecar.rpc.transport.frame_queue import FrameQueue
from sidecar.rpc.transport.framing import Decoder
from sidecar.rpc.transport.reader import FrameReader, OnEnd, OnFrames, open_reader
from sidecar.rpc.transport.writer import FrameWriter


def claim_stdio() -> tuple[int, int]:
    """Reserve standard input and output; return private (read, write) file descriptors.

    From then on descriptor 1 is standard error and descriptor 0 is empty, for this process and its children.
    Call it once, before anything prints or starts a process.
    """
    _fill_low_descriptors()
    wire = os.dup(0), os.dup(1)
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    for fd in wire:
        make_plain(fd)
    return wire


def make_plain(fd: int) -> None:
    """Undo what a parent may have left on a descriptor: newline translation, non-blocking mode."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(fd, os.O_BINARY)
    else:
        os.set_blocking(fd, True)


def _fill_low_descriptors() -> None:
    """Open 0, 1 and 2 where the parent left them closed, or a copy of the wire would land on one of them."""
    while (fd := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(fd, True)
    os.close(fd)


class PipeTransport:
    """Two pipe ends, read and written on one event loop. Owns both descriptors from `open` on."""

    def __init__(
        self,
        read_fd: int,
        write_fd: int,
        queue: FrameQueue | None = None,
        early: bytes = b"",
        decoder: Decoder | None = None,
        is_gone: Callable[[], bool] = lambda: False,
    ) -> None:
        """`early` is what somebody has already read from `read_fd`; the default `decoder` reads headers.

        What a peer has sent is dropped once it `is_gone`.
        """
        self._is_gone = is_gone
        self._read_fd = read_fd
        self._early = early
        self._decoder = decoder
        self._reader: FrameReader | None = None
        self.writer = FrameWriter(write_fd, queue)

    @classmethod
    def stdio(cls) -> "PipeTransport":
        """Claim standard input and output; see `claim_stdio`."""
        return cls(*claim_stdio())

    def open(self, on_frames: OnFrames, on_end: OnEnd) -> None:
        """Start reading and writing on the running loop.

        `on_end` is called with the error of a stream that lost its framing, with None at the end of
        input and when the peer no longer reads; it can be called twice.
        """
        self.writer.open(lambda: on_end(None))
        self._reader = open_reader(
            self._read_fd,
            self.writer.wait_until_writable,
            on_frames,
            on_end,
            self._early,
            self._decoder,
            self._is_gone,
        )

    def position(self) -> int:
        """Return the offset behind everything that the peer has sent so far, read or not. Any thread."""
        return 0 if self._reader is None else self._reader.position()

    def stop_reading(self) -> None:
        """Stop delivering frames."""
        if self._reader is not None:
            self._reader.close()

    def close(self) -> None:
        """End the threads without waiting for them, so that a write that a peer blocks delays nothing."""
        self.stop_reading()
        self.writer.close(timeout=0)
