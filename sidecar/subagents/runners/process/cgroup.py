"""A control group for each run, where the system lets this process make one (Linux, cgroup v2).

No process leaves its group by clearing its environment, by starting a session or by losing its parent, and
`cgroup.kill` ends all of them at once, those being forked included (Linux 5.14). See cgroups(7).
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
"""The start of a group's name; the task id follows, so that the next sidecar finds what a killed one left."""
_POLL_SECONDS = 0.005


class RunGroup:
    """The control group of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def entry(self) -> Iterator[Callable[[], None]]:
        """Yield what a child calls between fork and exec to enter; a child that cannot stays outside.

        The call is safe there beside other threads: the file is open before the fork.
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
        """Return the living processes in the group and in the groups that they made below it."""
        found: list[int] = []
        for folder in self._folders():
            with contextlib.suppress(OSError):
                found += map(int, (folder / "cgroup.procs").read_bytes().split())
        return found

    def holds(self, pid: int) -> bool:
        """Tell whether a process is in the group, alive or dead but not reaped."""
        try:
            lines = Path(f"/proc/{pid}/cgroup").read_text().splitlines()
        except OSError:
            return False
        return any(line.startswith("0::") and line.endswith(f"/{self.path.name}") for line in lines)

    def end(self, deadline: float) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Kill all members and remove the group; return the killed and, at `deadline`, the survivors.

        Blocking; `deadline` is one of `time.monotonic()`.
        """
        killed = tuple(self.members())
        with contextlib.suppress(OSError):  # removed by an end at the same time
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
        # The dead leave a group some time after they left its list of members.
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
    """Make the group of a run below our own; None where the system or our rights do not allow it."""
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
    """Return the groups of these runs, whoever made them and wherever they are."""
    mount, found = _mount(), list[RunGroup]()
    if mount is None or not task_ids:
        return found
    names = {f"{_NAME}{task_id}" for task_id in task_ids}
    for folder, below, _ in os.walk(mount):
        found += [RunGroup(Path(folder, name)) for name in below if name in names]
        below[:] = [name for name in below if not name.startswith(_NAME)]
    return found


def _own_group() -> Path | None:
    """Return this process's own group, read each time: desktops move programs after their start."""
    mount = _mount()
    if mount is None:
        return None
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        path = line.removeprefix("0::/")
        if path != line and not path.startswith(".."):  # ".." is outside of our namespace
            return mount / path
    return None


@functools.cache
def _mount() -> Path | None:
    """Return where the whole hierarchy of version 2 is mounted; see proc_pid_mountinfo(5)."""
    if sys.platform != "linux":
        return None
    try:
        lines = Path("/proc/self/mountinfo").read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        place, _, kind = line.partition(" - ")
        if kind.startswith("cgroup2 ") and place.split()[3] == "/":
            return Path(place.split()[4])
    return None
