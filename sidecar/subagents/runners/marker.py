"""The processes of a run, found by the marker in their environment wherever they went; and their end."""

import functools
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

MARKER = "SUBAGENT_SIDECAR_TASK"
"""The environment variable that holds the task id in every process of a run."""

_ENTRY = b"\0" + MARKER.encode() + b"="
_SETTLE_SECONDS = 0.01
"""How long a process is given from fork to exec, while its environment cannot be read."""
_UNCLEAR_PASSES = 3
"""How often in a row an unclear pass that finds nothing is made: on a busy machine no pass is clear."""


@dataclass(frozen=True)
class SweepReport:
    """The processes a sweep has killed, and those still there when its time was over, by their ids."""

    killed: tuple[int, ...]
    survivors: tuple[int, ...]


def find(task_ids: Collection[str]) -> list[int]:
    """Return the living processes, but this one, that carry the marker of one of `task_ids`."""
    found: list[int] = []
    if _has_proc():
        _visit(task_ids, found.append)
        return found
    from sidecar.subagents.runners import marker_portable

    return [process.pid for process in marker_portable.find(MARKER, task_ids)]


def sweep(task_ids: Collection[str], limit: float) -> SweepReport:
    """Kill every process that carries the marker of one of `task_ids`, within `limit` seconds.

    Passes are made until one finds nothing, so that a process that forks meanwhile does not escape. Blocking;
    called at the end of each run, from a thread, and at the start of a Host once for all lost runs.
    """
    deadline = time.monotonic() + limit
    if _has_proc():
        return _sweep(task_ids, deadline)
    from sidecar.subagents.runners import marker_portable

    return SweepReport(*marker_portable.sweep(MARKER, task_ids, deadline))


@functools.cache
def _has_proc() -> bool:
    """Tell whether the kernel offers `/proc` and handles of processes (Linux 5.3, not in every sandbox)."""
    if sys.platform != "linux" or not Path("/proc/self/environ").exists():
        return False
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError:
        return False
    return True


def _sweep(task_ids: Collection[str], deadline: float) -> SweepReport:
    killed: dict[int, None] = {}
    passes_without = 0
    while True:
        with _Kills(task_ids) as kills:
            clear = _visit(task_ids, kills.add)
            kills.await_deaths(deadline)
        killed |= dict.fromkeys(kills.pids)
        passes_without = 0 if kills.pids else passes_without + 1
        if passes_without and (clear or passes_without == _UNCLEAR_PASSES):
            return SweepReport(tuple(killed), ())
        if time.monotonic() >= deadline:
            return SweepReport(tuple(killed), tuple(find(task_ids)))
        if not clear:
            # Nothing tells that another process has finished its exec, so the wait is by time.
            time.sleep(_SETTLE_SECONDS)


def _visit(task_ids: Collection[str], found: Callable[[int], None]) -> bool:
    """Call `found` for each marked process as it is met; return whether no other can have been missed.

    The newest come first, to meet those that fork and end at once.
    """
    own, clear = os.getpid(), True
    names = os.listdir("/proc")  # noqa: PTH208 (no path objects: this runs for every process there is)
    for pid in sorted(map(int, filter(str.isdigit, names)), reverse=True):
        environ = _environ(pid) if pid != own else b"\0"
        if not environ:
            clear = clear and environ is not None and not _may_be_starting(pid)
        elif _carries(environ, task_ids):
            found(pid)
    return clear


def _environ(pid: int) -> bytes | None:
    """Return the environment the process was started with; None when it is gone."""
    try:
        with open(f"/proc/{pid}/environ", "rb", buffering=0) as file:  # noqa: PTH123 (as above)
            return file.read()
    except PermissionError:
        return b"\0"  # another user's, so not of a run
    except (FileNotFoundError, ProcessLookupError):
        return None


def _carries(environ: bytes, task_ids: Collection[str]) -> bool:
    entries = (b"\0" + environ).split(_ENTRY)[1:]
    return any(os.fsdecode(entry.partition(b"\0")[0]) in task_ids for entry in entries)


def _may_be_starting(pid: int) -> bool:
    """Tell a process in the middle of its exec from one that never shows an environment."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return True
    state, parent = stat.rpartition(b")")[2].split()[:2]
    kernel_thread = pid == 2 or parent == b"2"
    return not kernel_thread and state not in b"ZX"


class _Kills:
    """The processes killed in one pass, held by handles until their deaths were awaited."""

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
        """Kill `pid`; the handle comes before a second look, so who took over the number is not hit."""
        try:
            handle = os.pidfd_open(pid)
        except OSError:
            return
        self._handles.append(handle)
        if _carries(_environ(pid) or b"", self._task_ids):
            self.pids.append(pid)
            try:
                signal.pidfd_send_signal(handle, signal.SIGKILL)
            except OSError:
                return

    def await_deaths(self, deadline: float) -> None:
        """Wait until all of them are dead, `deadline` at the latest."""
        for handle in self._handles:
            poll = select.poll()
            poll.register(handle, select.POLLIN)
            poll.poll(max(0.0, deadline - time.monotonic()) * 1000)
