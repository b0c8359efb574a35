"""Linux' `/proc`, read directly, since a sweep looks at every process there is."""

import functools
import os
import sys
from pathlib import Path
from typing import NamedTuple

_PIECE = 1 << 16


class Stat(NamedTuple):
    """What `/proc/<pid>/stat` says of a process, as far as needed here; see proc(5)."""

    state: str
    parent: int
    group: int
    session: int

    @property
    def is_dead(self) -> bool:
        """Whether it waits only for its parent to take note."""
        return self.state in "ZX"


@functools.cache
def usable() -> bool:
    """Tell whether the kernel offers `/proc` and handles of processes (Linux 5.3, not in every sandbox)."""
    if sys.platform != "linux" or not Path("/proc/self/environ").exists():
        return False
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError:
        return False
    return True


def process_ids() -> list[int]:
    """Return all process ids, highest and so mostly newest first."""
    names = os.listdir("/proc")  # noqa: PTH208 (no path object for each process)
    return sorted(map(int, filter(str.isdigit, names)), reverse=True)


def environ(pid: int) -> bytes | None:
    r"""Return the environment a process was started with, entries ended by "\0"; None when it is gone.

    Empty for a kernel thread, a dead process, and one in the middle of its exec.
    """
    try:
        return _read(f"/proc/{pid}/environ")
    except PermissionError:
        return b"\0"  # protected or another user's, so none of ours
    except ProcessLookupError:
        return b""
    except FileNotFoundError:
        return None


def stat(pid: int) -> Stat | None:
    """Return the state of a process; None when it is gone."""
    try:
        text = _read(f"/proc/{pid}/stat")
    except OSError:
        return None
    state, parent, group, session = text.rpartition(b")")[2].split()[:4]
    return Stat(state.decode(), int(parent), int(group), int(session))


def children() -> frozenset[int] | None:
    """Return what this process's first thread is the parent of; None where the kernel does not say."""
    try:
        return frozenset(map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_bytes().split()))
    except OSError:
        return None


def may_be_starting(pid: int) -> bool:
    """Tell a process in the middle of its exec, or just gone, from one that never shows an environment."""
    now = stat(pid)
    if now is None:
        return True
    kernel_thread = pid == 2 or now.parent == 2
    return not kernel_thread and not now.is_dead


def group_lives(group: int) -> bool:
    """Tell whether a process of `group` is alive; the dead that nobody has taken note of do not count."""
    stats = (stat(pid) for pid in process_ids())
    return any(each.group == group and not each.is_dead for each in stats if each)


def _read(path: str) -> bytes:
    """Return what a file holds; without the file objects that cost more than the reading."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        pieces = [os.read(handle, _PIECE)]
        while len(pieces[-1]) == _PIECE:
            pieces.append(os.read(handle, _PIECE))
    finally:
        os.close(handle)
    return b"".join(pieces)
