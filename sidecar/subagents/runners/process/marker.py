"""Find and kill the processes of a run by the marker in their environment."""

import os
import select
import signal
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from sidecar.subagents.runners.process import procfs
from sidecar.subagents.runners.process.cgroup import RunGroup, find_groups

MARKER = "SUBAGENT_SIDECAR_TASK"
"""The environment variable with the task ID in every process of a run."""

_ENTRY = b"\0" + MARKER.encode() + b"="
_SETTLE_SECONDS = 0.01
"""How long to wait for a process between fork and exec, while its environment cannot be read."""
_CLEAR_PASSES = 3
"""Passes in a row that must find nothing: one pass may miss a process that keeps forking and exiting."""
_UNCLEAR_PASSES = 8
"""The same while some processes may be starting, which on a busy machine is always so."""
_CHASE_STEPS = 200
"""How often in a row a pass searches for new processes before it continues with older ones."""


@dataclass(frozen=True)
class SweepReport:
    """The IDs of the processes that a sweep killed, and of those alive when its time was over."""

    killed: tuple[int, ...]
    survivors: tuple[int, ...]


def find(task_ids: Collection[str]) -> list[int]:
    """Return the living processes of the runs `task_ids`, by group and by marker, without this process."""
    if procfs.usable():
        found = {pid: None for group in find_groups(task_ids) for pid in group.members()}
        _visit(task_ids, lambda pid: found.update({pid: None}))
        return list(found)
    from sidecar.subagents.runners.process import marker_portable

    return [process.pid for process in marker_portable.find(MARKER, task_ids)]


def sweep(
    task_ids: Collection[str],
    limit: float,
    *,
    groups: Iterable[RunGroup] | None = None,
    thorough: bool = True,
) -> SweepReport:
    """Kill every process of the runs `task_ids`, by group and by marker, within `limit` seconds.

    `groups` are the runs' control groups; None searches the system for those of a killed sidecar. Repeat
    passes until several in a row find nothing, so that a process that forks meanwhile does not escape; if
    not `thorough`, until one finds nothing. Blocking: a thread calls this at the end of each run, and a Host
    calls it once for all runs when it starts.
    """
    deadline = time.monotonic() + limit
    if procfs.usable():
        ended = [group.end(deadline) for group in (find_groups(task_ids) if groups is None else groups)]
        marked = _sweep(task_ids, deadline, thorough=thorough)
        killed = [*(pid for each in ended for pid in each[0]), *marked.killed]
        survivors = [*(pid for each in ended for pid in each[1]), *marked.survivors]
        return SweepReport(tuple(dict.fromkeys(killed)), tuple(dict.fromkeys(survivors)))
    from sidecar.subagents.runners.process import marker_portable

    return SweepReport(*marker_portable.sweep(MARKER, task_ids, deadline))


def _sweep(task_ids: Collection[str], deadline: float, *, thorough: bool) -> SweepReport:
    killed: dict[int, None] = {}
    enough = _CLEAR_PASSES if thorough else 1
    passes_without = 0
    while True:
        with _Kills(task_ids) as kills:
            hidden = _visit(task_ids, kills.add)
            kills.await_deaths(deadline)
        killed |= dict.fromkeys(kills.pids)
        passes_without = 0 if kills.pids else passes_without + 1
        clear = not thorough or not any(map(procfs.may_be_starting, hidden))
        if passes_without >= (enough if clear else _UNCLEAR_PASSES):
            return SweepReport(tuple(killed), ())
        if time.monotonic() >= deadline:
            return SweepReport(tuple(killed), tuple(find(task_ids)))
        if not clear:
            # No event reports that another process has finished its exec, so wait for a fixed time.
            time.sleep(_SETTLE_SECONDS)


def _visit(task_ids: Collection[str], found: Callable[[int], None]) -> list[int]:
    """Call `found` for each marked process; return those without a readable environment.

    Visit the newest first, to catch processes that fork and exit at once.
    """
    own, hidden = os.getpid(), []
    pids = procfs.process_ids()
    newest = pids[0]
    for pid in pids:
        environ = procfs.environ(pid)
        if environ and pid != own and _has_marker(environ, task_ids):
            found(pid)
            newest = _chase(newest, task_ids, found)
        elif not environ:
            hidden.append(pid)
    return hidden


def _chase(newest: int, task_ids: Collection[str], found: Callable[[int], None]) -> int:
    """Call `found` for marked processes newer than `newest` until there are none; return the newest seen.

    This catches processes that keep forking: a whole pass takes milliseconds, enough for such a process to
    exit and for its child to fork again.
    """
    for _ in range(_CHASE_STEPS):
        fresh = [pid for pid in procfs.process_ids() if pid > newest]
        marked = [pid for pid in fresh if _has_marker(procfs.environ(pid) or b"", task_ids)]
        if not marked:
            break
        for pid in marked:
            found(pid)
        newest = fresh[0]
    return newest


def _has_marker(environ: bytes, task_ids: Collection[str]) -> bool:
    entries = (b"\0" + environ).split(_ENTRY)[1:]
    return any(os.fsdecode(entry.partition(b"\0")[0]) in task_ids for entry in entries)


class _Kills:
    """The processes killed in one pass, with handles to wait for their deaths."""

    def __init__(self, task_ids: Collection[str]) -> None:
        self._task_ids = task_ids
        self._handles: list[int] = []
        self.pids: list[int] = []

    def __enter__(self) -> "_Kills":
        return self

    def __exit__(self, *_: object) -> None:
        for handle in self._handles:
            os.close(handle)

    def add(self, pid: int) -> None:
        """Kill `pid` if it still has the marker.

        Open the handle before checking again, so that a process that reuses the number is not killed.
        """
        try:
            handle = os.pidfd_open(pid)
        except OSError:
            return
        self._handles.append(handle)
        if _has_marker(procfs.environ(pid) or b"", self._task_ids):
            self.pids.append(pid)
            try:
                signal.pidfd_send_signal(handle, signal.SIGKILL)
            except OSError:
                return

    def await_deaths(self, deadline: float) -> None:
        """Wait until all of them are dead, or until `deadline`."""
        for handle in self._handles:
            poll = select.poll()
            poll.register(handle, select.POLLIN)
            poll.poll(max(0.0, deadline - time.monotonic()) * 1000)
