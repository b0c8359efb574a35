"""Adopt and kill orphans: processes whose parents have died (a Linux child subreaper).

A program that cleared its environment and left its session has no trace of the run it belongs to. Its new
parent, this process, still knows that it belongs to some run, and kills it with the last run at the latest.
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
"""How long dead orphans may accumulate while runs continue."""
_POLL_SECONDS = 0.01
_QUIET_PASSES = 5
"""How many passes in a row must find no orphan."""


class OrphanReaper:
    """Reap and kill orphans: children that this process did not start, in sessions other than its own.

    `starting` registers this process's own children. Helpers in this process's session are never touched,
    and nothing happens before `begin`. Thread-safe.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._active = False
        self._before: frozenset[int] = frozenset()
        self._starting = 0
        self._runs: set[int] = set()
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> bool:
        """Adopt orphans from now on; return False where the system cannot. Call this in the event loop."""
        if not procfs.usable() or prctl()(_PR_SET_CHILD_SUBREAPER, 1):
            return False
        self._before = procfs.children() or frozenset()
        asyncio.get_running_loop().add_signal_handler(signal.SIGCHLD, self._child_ended)
        self._active = True
        return True

    @contextmanager
    def starting(self) -> Iterator[None]:
        """Pause sweeps while the caller starts a process and registers it with `started`."""
        with self._lock:
            self._starting += 1
        try:
            yield
        finally:
            with self._lock:
                self._starting -= 1

    def started(self, pid: int) -> None:
        """Register the first process of a run."""
        with self._lock:
            self._runs.add(pid)

    def sweep(self, run: int, limit: float, *, thorough: bool = True) -> tuple[int, ...]:
        """Kill the orphans in the session of a run whose first process is dead; return the survivors.

        If no other run is running, kill all orphans. Stop when several passes in a row find none (if not
        `thorough`, one pass), because a single pass may miss a process that keeps forking and exiting.
        Blocks for up to `limit` seconds.
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
            if not left:  # otherwise repeat at once, to be faster than the next fork
                time.sleep(_POLL_SECONDS)

    def _pass(self, run: int | None) -> tuple[int, ...] | None:
        """Reap dead orphans and kill those of `run`.

        Return those still alive; None when they cannot be distinguished from a process that is starting.
        """
        with self._lock:
            candidates = procfs.children()
            if candidates is None and self._starting:
                return None
            left = []
            for pid, stat in self._orphans(candidates):
                if pid in self._runs or _reap_if_dead(pid):
                    continue
                if run is not None and (stat.session == run or not self._runs):
                    os.kill(pid, signal.SIGKILL)  # the number cannot be reused until this process reaps it
                    left.append(pid)
            return tuple(left)

    def _orphans(self, children: Collection[int] | None) -> Iterator[tuple[int, procfs.Stat]]:
        # The main thread adopts orphans; the processes of runs are children of the spawner's thread.
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
        # Do not use the loop's pool, which accepts nothing once the loop is closing.
        try:
            threading.Thread(target=self._pass, args=(None,), name="reaping").start()
        except RuntimeError:  # the system currently allows no more threads
            self._child_ended()


def _reap_if_dead(pid: int) -> bool:
    """Reap a child if it is dead; return whether it is gone."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True


orphan_reaper = OrphanReaper()
"""The reaper of this process, since a process adopts orphans as a whole."""
