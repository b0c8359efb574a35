"""A copy of this process that does one part of a walk: for commands, which have one thread.

A stat takes as long in Python as in the kernel, so threads gain nothing on it, and a fresh interpreter
takes longer to start than the walk of some thousand folders.
"""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Self

_SEPARATOR = b"\0"
_END = b"\0\0"
"""Ends a complete answer: a process that was killed leaves none."""


def can_fork() -> bool:
    """Tell whether a fork is safe here: on Linux, and with no thread that could hold a lock."""
    return sys.platform == "linux" and threading.active_count() == 1


class Forked:
    """Runs `work`, which gives names, in a copy of this process; leaving the context ends the copy."""

    def __init__(self, work: Callable[[], list[str]]) -> None:
        self._work = work
        self._reader, writer = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            _answer(writer, work)
        os.close(writer)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._reader)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)

    def result(self) -> list[str]:
        """Wait for the names; should the copy have died, find them here."""
        with open(self._reader, "rb", closefd=False) as pipe:
            data = pipe.read()
        if not data.endswith(_END):
            return self._work()
        return [os.fsdecode(name) for name in data.split(_SEPARATOR) if name]


def _answer(writer: int, work: Callable[[], list[str]]) -> None:
    """Write the names and end at once: nothing of the parent's may be flushed or closed here."""
    try:
        data = _SEPARATOR.join(map(os.fsencode, work())) + _END
        with open(writer, "wb", closefd=False) as pipe:
            pipe.write(data)
    finally:
        os._exit(0)
