"""Create a control group for each run where the system allows it (Linux, cgroup v2).

A process cannot leave its group by clearing its environment, starting a session or losing its parent.
`cgroup.kill` kills all members at once, including those being forked (Linux 5.14). See cgroups(7).
"""

import contextlib
import functools
import os
import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

_NAME = "subagent-sidecar-"
"""Prefix of a group's name. The task ID follows, so the next sidecar finds the groups of a killed one."""
_POLL_SECONDS = 0.005


class RunGroup:
    """The control group of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def entry(self) -> Iterator[Callable[[], None]]:
        """Yield the hook with which a child enters the group between fork and exec.

        A child that cannot enter stays outside. The hook is safe in a process with other threads, because
        the file is open before the fork.
        """
        handle = os.open(self.path / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)

        def enter() -> None:
            with contextlib.suppress(OSError):
                os.write(handle, b"0")

        try:
            yield enter
        finally:
            os.close(handle)

    def members(self) -> list[int]:
        """Return the living processes in the group and its subgroups."""
        found: list[int] = []
        for folder in self._folders():
            with contextlib.suppress(OSError):
                found += map(int, (folder / "cgroup.procs").read_bytes().split())
        return found

    def holds(self, pid: int) -> bool:
        """Return whether a process is in the group, alive or dead but not yet reaped."""
        try:
            lines = Path(f"/proc/{pid}/cgroup").read_text().splitlines()
        except OSError:
            return False
        return any(line.startswith("0::") and line.endswith(f"/{self.path.name}") for line in lines)

    def end(self, deadline: float) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Kill all members and remove the group; return the killed processes and the survivors.

        Blocks until `deadline`, a value of `time.monotonic()`, at most.
        """
        killed = tuple(self.members())
        with contextlib.suppress(OSError):  # another call removed the group at the same time
            (self.path / "cgroup.kill").write_bytes(b"1")
        while (left := tuple(self.members())) and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
        self._remove(deadline)
        return killed, left

    def discard(self) -> None:
        """Remove the group if it is empty."""
        with contextlib.suppress(OSError):
            self.path.rmdir()

    def _remove(self, deadline: float) -> None:
        # The kernel drops dead processes from the list of members before it lets the group go.
        while self.path.exists():
            for folder in reversed(self._folders()):
                with contextlib.suppress(OSError):
                    folder.rmdir()
            if time.monotonic() >= deadline:
                return
            time.sleep(_POLL_SECONDS)

    def _folders(self) -> list[Path]:
        return [Path(folder) for folder, _, _ in os.walk(self.path)]


def make_group(task_id: str) -> RunGroup | None:
    """Create the group of a run below this process's own; return None where that is not allowed."""
    own = _own_group()
    if own is None:
        return None
    group = RunGroup(own / f"{_NAME}{task_id}")
    try:
        group.path.mkdir(exist_ok=True)
    except OSError:
        return None
    if os.access(group.path / "cgroup.kill", os.W_OK) and os.access(group.path / "cgroup.procs", os.W_OK):
        return group
    group.discard()
    return None


def find_groups(task_ids: Collection[str]) -> list[RunGroup]:
    """Return the groups of these runs anywhere in the hierarchy, including those of earlier sidecars."""
    mount, found = _mount(), list[RunGroup]()
    if mount is None or not task_ids:
        return found
    names = {f"{_NAME}{task_id}" for task_id in task_ids}
    for folder, below, _ in os.walk(mount):
        found += [RunGroup(Path(folder, name)) for name in below if name in names]
        below[:] = [name for name in below if not name.startswith(_NAME)]
    return found


def _own_group() -> Path | None:
    """Return this process's own group.

    Read it each time, because desktops move programs to other groups after they start.
    """
    mount = _mount()
    if mount is None:
        return None
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        path = line.removeprefix("0::/")
        if path != line and not path.startswith(".."):  # ".." is outside this namespace
            return mount / path
    return None


@functools.cache
def _mount() -> Path | None:
    """Return the mount point of the complete cgroup v2 hierarchy; see proc_pid_mountinfo(5)."""
    if sys.platform != "linux":
        return None
    try:
        lines = Path("/proc/self/mountinfo").read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        mount, _, filesystem = line.partition(" - ")
        if filesystem.startswith("cgroup2 ") and mount.split()[3] == "/":
            return Path(mount.split()[4])
    return None
