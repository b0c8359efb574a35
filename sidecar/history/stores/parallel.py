"""Speed up a long first scan: a forked copy of this process reads half of the tasks.

Only for a process that does nothing else, such as a command: a fork in the middle of other threads'
work may find their locks taken forever.
"""

import contextlib
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, Final, Protocol, Self, TypeVar

import msgspec

T = TypeVar("T")
Work = Callable[[list[str]], list[T]]


class Parallel(Protocol):
    """Do work on names, all at once or in batches; `answer` is the type of the result."""

    def __call__(
        self, work: Work[T], names: list[str], answer: type[list[T]], meanwhile: Callable[[], None] = ...
    ) -> list[T]:
        """Return the results for all names, in the order of the names if the work keeps it.

        `meanwhile` is called once by this process, while the work runs.
        """


FEWEST: Final = 200
"""The fewest names that justify a fork: it takes about 5 ms, a task about 0.1 ms."""
COPY_SECONDS: Final = 5.0
"""How long to wait for the last batch of the copy before this process does the rest."""
_BATCHES: Final = 200
_CHUNK: Final = 1 << 20


def nothing() -> None:
    """Do nothing meanwhile."""


def sequential(
    work: Work[T], names: list[str], answer: type[list[T]], meanwhile: Callable[[], None] = nothing
) -> list[T]:
    """Do all the work in this process."""
    meanwhile()
    return work(names)


def in_two_processes(
    work: Work[T], names: list[str], answer: type[list[T]], meanwhile: Callable[[], None] = nothing
) -> list[T]:
    """Do the work in this process and in a copy of it, which take the names in turns, a batch at a time.

    The copy's part is decoded as `answer`. What the copy could not do or send is done here, so that the
    result is the same.
    """
    if len(names) < FEWEST or not _may_fork():
        return sequential(work, names, answer, meanwhile)
    size = -(-len(names) // _BATCHES)
    batches = [names[start : start + size] for start in range(0, len(names), size)]
    with _Turns(len(batches)) as turns, _Copy(lambda: _encoded(work, batches, turns)) as copy:
        meanwhile()
        done = {turn: work(batches[turn]) for turn in turns}
        theirs = copy.answer(COPY_SECONDS)
    with contextlib.suppress(msgspec.DecodeError):  # nothing, or not all of it
        done |= msgspec.msgpack.decode(theirs, type=dict[int, answer])  # type: ignore[valid-type]  # a value
    parts = (done[turn] if turn in done else work(batch) for turn, batch in enumerate(batches))
    return [*chain.from_iterable(parts)]


def _encoded(work: Work[Any], batches: list[list[str]], turns: "_Turns") -> bytes:
    return msgspec.msgpack.encode({turn: work(batches[turn]) for turn in turns})


def _may_fork() -> bool:
    return sys.platform == "linux" and threading.active_count() == 1 and len(os.sched_getaffinity(0)) > 1


class _Turns:
    """The numbers up to `count`, at most 256; each is given to exactly one of the iterating processes.

    They are the bytes in a pipe, which reads hand out one by one.
    """

    def __init__(self, count: int) -> None:
        self._source, sink = os.pipe()
        os.write(sink, bytes(range(count)))
        os.close(sink)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._source)

    def __iter__(self) -> Iterator[int]:
        while turn := os.read(self._source, 1):
            yield turn[0]


class _Copy:
    """A forked copy of this process that produces one answer and is then removed."""

    def __init__(self, make: Callable[[], bytes]) -> None:
        self._source, sink = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            os.close(self._source)  # so that the copy ends if the original is killed
            _send_and_end(make, sink)
        os.close(sink)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._source)
        os.kill(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)

    def answer(self, seconds: float) -> bytes:
        """Wait up to `seconds` for the answer; return the part received if the copy fails or is late."""
        deadline = time.monotonic() + seconds
        parts: list[bytes] = []
        while (left := deadline - time.monotonic()) > 0 and select.select([self._source], [], [], left)[0]:
            part = os.read(self._source, _CHUNK)
            if not part:
                break
            parts.append(part)
        return b"".join(parts)


def _send_and_end(make: Callable[[], bytes], sink: int) -> None:
    """Run in the copy, without the exit handlers of the original process."""
    try:
        with os.fdopen(sink, "wb") as pipe:
            pipe.write(make())
    finally:
        os._exit(0)
