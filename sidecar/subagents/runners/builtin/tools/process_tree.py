"""Adopt orphaned descendants of this process, and kill all descendants together."""

import contextlib
import os
import sys
import time
from collections.abc import Collection, Iterator

import psutil

from sidecar.subagents.runners.process.parent_death import prctl

_PR_SET_CHILD_SUBREAPER = 36
"""From linux/prctl.h; see prctl(2)."""
_SECONDS = 1.0
_EMPTY_PASSES = 2


def adopt_orphans() -> None:
    """Linux: adopt descendants whose parent ends, so that they stay descendants."""
    if sys.platform == "linux":
        prctl()(_PR_SET_CHILD_SUBREAPER, 1)


def descendants() -> set[int]:
    """Return the IDs of all processes below this one."""
    return {process.pid for process in psutil.Process().children(recursive=True)}


def kill_descendants(*, but: Collection[int] = ()) -> None:
    """Kill all processes below this one except the IDs in `but`; block for up to 1 s.

    Repeat until two passes in a row find none: a process may start another one before it dies, and a pass
    misses the children of a process that disappears meanwhile.
    """
    deadline = time.monotonic() + _SECONDS
    empty_passes = 0
    while empty_passes < _EMPTY_PASSES and time.monotonic() < deadline:
        found = list(_living(but))
        empty_passes = 0 if found else empty_passes + 1
        for process in found:
            with contextlib.suppress(psutil.Error):
                process.kill()


def reap_orphans(*, but: Collection[int]) -> None:
    """Reap dead adopted processes, except the IDs in `but`, which other code waits for."""
    if sys.platform == "win32":
        return  # Windows does not keep dead processes
    for process in psutil.Process().children():
        if process.pid not in but:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(process.pid, os.WNOHANG)


def _living(but: Collection[int]) -> Iterator[psutil.Process]:
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if process.pid not in but and process.status() != psutil.STATUS_ZOMBIE:
                yield process
