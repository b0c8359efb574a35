"""Processes that outlived their parents and come to this one, which Linux then calls their subreaper.

A program that has cleared its environment and left its session carries nothing that tells whose run it is.
Its new parent still knows that it belongs to some run, and kills it with the last one at the latest.
"""

import asyncio
import os
import signal
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from sidecar.subagents.runners.process import procfs
from sidecar.subagents.runners.process.parent_death import prctl

_PR_SET_CHILD_SUBREAPER = 36
"""From linux/prctl.h; see prctl(2)."""
_REAP_SECONDS = 1.0
"""How long dead orphans may gather while runs go on."""
_POLL_SECONDS = 0.01
_QUIET_PASSES = 5
"""How many passes in a row have to find no orphan."""


class OrphanReaper:
    """The orphans of this process: children that it did not start, in sessions that are not its own.

    Its own children are entered by `starting`; helpers that stay in this process's session are never touched,
    and nothing is before `begin`. Thread-safe.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._active = False
        self._before: frozenset[int] = frozenset()
        self._starting = 0
        self._runs: set[int] = set()
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> bool:
        """Adopt from now on; False where the system cannot. Called in the loop of whoever runs agents."""
        if not procfs.usable() or prctl()(_PR_SET_CHILD_SUBREAPER, 1):
            return False
        self._before = procfs.children() or frozenset()
        asyncio.get_running_loop().add_signal_handler(signal.SIGCHLD, self._child_ended)
        self._active = True
        return True

    @contextmanager
    def starting(self) -> Iterator[None]:
        """Hold off everything while a process is made that is no orphan; `started` enters it."""
        with self._lock:
            self._starting += 1
        try:
            yield
        finally:
            with self._lock:
                self._starting -= 1

    def started(self, pid: int) -> None:
        """Enter the first process of a run."""
        with self._lock:
            self._runs.add(pid)

    def sweep(self, run: int, limit: float, *, thorough: bool = True) -> tuple[int, ...]:
        """Kill the orphans of a run whose first process is dead, by its session; return the survivors.

        With no other run going on it kills all there are, until several passes in a row find none (if not
        `thorough`, one): one that forks and ends all the time is not met by each. Blocking, `limit` seconds
        at most.
        """
        with self._lock:
            self._runs.discard(run)
        if not self._active:
            return ()
        deadline, quiet = time.monotonic() + limit, 0
        while True:
            left = self._pass(run)
            quiet = quiet + 1 if left == () else 0
            if quiet == (_QUIET_PASSES if thorough else 1) or time.monotonic() >= deadline:
                return left or ()
            if not left:  # else at once again, to be faster than its next fork
                time.sleep(_POLL_SECONDS)

    def _pass(self, run: int | None) -> tuple[int, ...] | None:
        """Take note of dead orphans and kill those of `run`.

        Return the ones that still live; None when they cannot be told from a process that is being made.
        """
        with self._lock:
            candidates = procfs.children()
            if candidates is None and self._starting:
                return None
            left = []
            for pid, stat in self._orphans(candidates):
                if pid in self._runs or _take_note(pid):
                    continue
                if run is not None and (stat.session == run or not self._runs):
                    os.kill(pid, signal.SIGKILL)  # its number is its own until we take note of its death
                    left.append(pid)
            return tuple(left)

    def _orphans(self, children: Collection[int] | None) -> Iterator[tuple[int, procfs.Stat]]:
        # Orphans come to the first thread; the processes of runs are children of the spawner's.
        parent, session = os.getpid(), os.getsid(0)
        for pid in procfs.process_ids() if children is None else sorted(children, reverse=True):
            stat = procfs.stat(pid)
            if stat and stat.parent == parent and stat.session != session and pid not in self._before:
                yield pid, stat

    def _child_ended(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_REAP_SECONDS, self._reap)

    def _reap(self) -> None:
        self._timer = None
        # Not of the loop's pool, which takes nothing more once the loop is ending.
        try:
            threading.Thread(target=self._pass, args=(None,), name="reaping").start()
        except RuntimeError:  # the system allows no more threads now
            self._child_ended()


def _take_note(pid: int) -> bool:
    """Free the number of a dead child; tell whether it is gone."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True


orphan_reaper = OrphanReaper()
"""The one of this process: whose orphans come to it is a property of the process as a whole."""
