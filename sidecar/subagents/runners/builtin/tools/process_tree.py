"""The processes below this one: adopted when their parents end, and killed together."""

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


def adopt_orphans() -> None:
    """Linux: become the parent of descendants whose own parent ends, so that none gets out of sight."""
    if sys.platform == "linux":
        prctl()(_PR_SET_CHILD_SUBREAPER, 1)


def descendants() -> set[int]:
    """Return the ids of all processes below this one."""
    return {process.pid for process in psutil.Process().children(recursive=True)}


def kill_descendants(*, but: Collection[int] = ()) -> None:
    """Kill all processes below this one but those with the ids `but`; blocks for 1 s at most.

    Looks again until it finds none: a process may start another while it is being killed.
    """
    deadline = time.monotonic() + _SECONDS
    while (found := list(_living(but))) and time.monotonic() < deadline:
        for process in found:
            with contextlib.suppress(psutil.Error):
                process.kill()


def reap_orphans(*, but: Collection[int]) -> None:
    """Take note of the deaths of adopted processes; those in `but` are somebody else's to wait for."""
    if sys.platform == "win32":
        return  # a dead process leaves nothing to take note of
    for process in psutil.Process().children():
        if process.pid not in but:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(process.pid, os.WNOHANG)


def _living(but: Collection[int]) -> Iterator[psutil.Process]:
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if process.pid not in but and process.status() != psutil.STATUS_ZOMBIE:
                yield process
