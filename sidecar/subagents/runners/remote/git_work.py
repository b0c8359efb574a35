"""Run work that calls git in a thread. A cancel stops git, which may pack a large repository for minutes."""

import asyncio
import contextlib
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class WorkStopped(Exception):
    """The work was cancelled and must not start git again."""


class _Calls:
    """The git processes of one piece of work."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._is_stopped = False

    def begin(self, start: Callable[[], "subprocess.Popen[bytes]"]) -> "subprocess.Popen[bytes]":
        with self._lock:
            if self._is_stopped:
                raise WorkStopped
            process = start()
            self._running.add(process)
            return process

    def end(self, process: "subprocess.Popen[bytes]") -> None:
        with self._lock:
            self._running.discard(process)

    def stop(self) -> None:
        """Ask git to end, so that it removes its temporary files, and allow no other to start."""
        with self._lock:
            self._is_stopped = True
            for process in self._running:
                with contextlib.suppress(ProcessLookupError):
                    process.terminate()


_calls: ContextVar[_Calls | None] = ContextVar("git calls", default=None)


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do work that calls git in a thread; a cancel stops its git."""
    calls = _Calls()
    token = _calls.set(calls)
    try:
        return await asyncio.to_thread(work, *args, **kwargs)
    except asyncio.CancelledError:
        calls.stop()
        raise
    finally:
        _calls.reset(token)


@contextmanager
def started(start: Callable[[], "subprocess.Popen[bytes]"]) -> Iterator["subprocess.Popen[bytes]"]:
    """Start a process for the work of this thread, if there is any, and kill it if its use fails.

    Raises WorkStopped if the work was cancelled before.
    """
    calls = _calls.get() or _Calls()
    process = calls.begin(start)
    try:
        with process:
            try:
                yield process
            except BaseException:
                process.kill()
                raise
    finally:
        calls.end(process)
