"""Keep the processes of a run together, and kill all of them at its end."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from sidecar.subagents.runners.process.cgroup import RunGroup, make_group
from sidecar.subagents.runners.process.marker import sweep
from sidecar.subagents.runners.process.parent_death import die_with_parent
from sidecar.subagents.runners.process.subreaper import orphan_reaper
from sidecar.subagents.runners.process.unswept import unswept

SWEEP_SECONDS = 2.0
"""How long each kind of sweep may take. Only a process that the kernel cannot kill takes that long."""


class Containment:
    """Track a run's processes by control group where available, by marker, and as adopted orphans."""

    def __init__(self, task_id: str) -> None:
        self.task_id = task_id
        self.pid: int | None = None
        """The first process, once it has started."""
        self._group: RunGroup | None = None
        self._holds_all = False
        """Whether the first process was in the group before it could start another."""

    @contextmanager
    def starting(self) -> Iterator[Callable[[], None] | None]:
        """Create the group and pause the orphan reaper while the first process starts. Blocking.

        Yield the `preexec_fn` of the process, if it needs one.
        """
        with ExitStack() as stack:
            stack.enter_context(orphan_reaper.starting())
            self._group = make_group(self.task_id)
            unswept.add(self)
            enter = None if self._group is None else stack.enter_context(self._group.entry())
            try:
                yield _in_order(enter, die_with_parent())
            except (OSError, ValueError):  # the program did not start
                if self._group is not None:
                    self._group.discard()
                if self.pid is None:
                    unswept.discard(self)
                raise

    def started(self, pid: int) -> None:
        """Register the first process."""
        self.pid = pid
        orphan_reaper.started(pid)
        self._holds_all = self._group is not None and self._group.holds(pid)

    def abandon(self) -> None:
        """Kill all processes of a run whose first process started but cannot be used. Blocking."""
        if self.pid is not None:
            survivors = self.sweep_marked() + self.sweep_orphans(self.pid)
            if not survivors:
                self.swept()

    def swept(self) -> None:
        """Note that none of the processes is left."""
        unswept.discard(self)

    def sweep_marked(self) -> tuple[int, ...]:
        """Kill the members of the group and all processes with the marker; return the survivors. Blocking.

        If the group has held every process from the start, a single pass is enough.
        """
        groups = [] if self._group is None else [self._group]
        report = sweep([self.task_id], SWEEP_SECONDS, groups=groups, thorough=not self._holds_all)
        self._holds_all = self._holds_all and not report.survivors
        return report.survivors

    def sweep_orphans(self, pid: int) -> tuple[int, ...]:
        """Kill the run's orphans once its first process `pid` is dead; return the survivors. Blocking."""
        return orphan_reaper.sweep(pid, SWEEP_SECONDS, thorough=not self._holds_all)


def _in_order(*steps: Callable[[], None] | None) -> Callable[[], None] | None:
    needed = [step for step in steps if step is not None]

    def run() -> None:
        for step in needed:
            step()

    return run if needed else None
