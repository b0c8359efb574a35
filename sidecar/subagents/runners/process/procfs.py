"""Read Linux's `/proc` directly, because a sweep reads every process on the machine."""

import functools
import os
import sys
from pathlib import Path
from typing import NamedTuple

_PIECE = 1 << 16


class Stat(NamedTuple):
    """The fields of `/proc/<pid>/stat` that are needed here; see proc(5)."""

    state: str
    parent: int
    group: int
    session: int

    @property
    def is_dead(self) -> bool:
        """Whether the process is dead and waits to be reaped."""
        return self.state in "ZX"


@functools.cache
def usable() -> bool:
    """Return whether the kernel offers `/proc` and process handles (Linux 5.3, not in every sandbox)."""
    if sys.platform != "linux" or not Path("/proc/self/environ").exists():
        return False
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError:
        return False
    return True


def process_ids() -> list[int]:
    """Return all process IDs, highest first, which is mostly newest first."""
    names = os.listdir("/proc")  # noqa: PTH208 (no path object for each process)
    return sorted(map(int, filter(str.isdigit, names)), reverse=True)


def environ(pid: int) -> bytes | None:
    r"""Return a process's initial environment, each entry ending with "\0"; None if the process is gone.

    The result is empty for a kernel thread, for a dead process and during exec.
    """
    try:
        return _read(f"/proc/{pid}/environ")
    except PermissionError:
        return b"\0"  # protected, or another user's process
    except ProcessLookupError:
        return b""
    except FileNotFoundError:
        return None


def stat(pid: int) -> Stat | None:
    """Return the state of a process; None if it is gone."""
    try:
        text = _read(f"/proc/{pid}/stat")
    except OSError:
        return None
    state, parent, group, session = text.rpartition(b")")[2].split()[:4]
    return Stat(state.decode(), int(parent), int(group), int(session))


def children() -> frozenset[int] | None:
    """Return the children of this process's main thread; None where the kernel does not list them."""
    try:
        return frozenset(map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_bytes().split()))
    except OSError:
        return None


def may_be_starting(pid: int) -> bool:
    """Return whether a process without a readable environment may be in its exec, or has just exited.

    Kernel threads and dead processes never have one.
    """
    now = stat(pid)
    if now is None:
        return True
    kernel_thread = pid == 2 or now.parent == 2
    return not kernel_thread and not now.is_dead


def group_lives(group: int) -> bool:
    """Return whether a process of `group` is alive; dead processes that wait to be reaped do not count."""
    stats = (stat(pid) for pid in process_ids())
    return any(each.group == group and not each.is_dead for each in stats if each)


def _read(path: str) -> bytes:
    """Return the content of a file, without a file object, which would cost more than the read."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        pieces = [os.read(handle, _PIECE)]
        while len(pieces[-1]) == _PIECE:
            pieces.append(os.read(handle, _PIECE))
    finally:
        os.close(handle)
    return b"".join(pieces)
