"""A long first scan on two processors: half of the tasks are read by a forked copy of this process.

Only for a process that does nothing else, such as a command: a fork in the middle of other threads'
work may find their locks taken for ever.
"""

import os
import select
import sys
import threading
import time
from collections.abc import Callable
from typing import Final, TypeVar

import msgspec

T = TypeVar("T")
Work = Callable[[list[str]], list[T]]

FEWEST: Final = 200
"""Names from which on a fork pays: it costs some 5 ms, and a task a tenth of one."""
PATIENCE_SECONDS: Final = 5.0
"""How much longer than this process the copy may take for its half before it is given up."""
_CHUNK: Final = 1 << 20


def here(work: Work[T], names: list[str], answer: type[list[T]]) -> list[T]:
    """Do all the work in this process."""
    return work(names)


def in_two_processes(work: Work[T], names: list[str], answer: type[list[T]]) -> list[T]:
    """Do the work on one half of the names here and on the other in a copy of this process.

    `answer` tells how the copy's part is decoded. What the copy could not do or send is done here, so
    that the result is the same, in another order.
    """
    if len(names) < FEWEST or not _may_fork():
        return work(names)
    theirs, ours = names[::2], names[1::2]
    copy = _Copy(lambda: msgspec.msgpack.encode(work(theirs)))
    started = time.monotonic()
    try:
        done = work(ours)
        sent = copy.answer(2 * (time.monotonic() - started) + PATIENCE_SECONDS)
    finally:
        copy.close()
    return done + (work(theirs) if sent is None else msgspec.msgpack.decode(sent, type=answer))


def _may_fork() -> bool:
    return sys.platform == "linux" and threading.active_count() == 1 and len(os.sched_getaffinity(0)) > 1


class _Copy:
    """A forked copy of this process that makes one answer; `close` leaves nothing of it."""

    def __init__(self, make: Callable[[], bytes]) -> None:
        self._source, sink = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            _send_and_end(make, sink)
        os.close(sink)

    def answer(self, seconds: float) -> bytes | None:
        """Wait for the answer; None when the copy failed or took longer than that."""
        deadline = time.monotonic() + seconds
        parts: list[bytes] = []
        while (left := deadline - time.monotonic()) > 0 and select.select([self._source], [], [], left)[0]:
            if part := os.read(self._source, _CHUNK):
                parts.append(part)
            else:
                return b"".join(parts) or None
        return None

    def close(self) -> None:
        """End the copy, whatever it does."""
        os.close(self._source)
        os.kill(self._process, 9)
        os.waitpid(self._process, 0)


def _send_and_end(make: Callable[[], bytes], sink: int) -> None:
    """Run in the copy: nothing of what the original would do at its end may happen here."""
    try:
        with os.fdopen(sink, "wb") as pipe:
            pipe.write(make())
    finally:
        os._exit(0)
