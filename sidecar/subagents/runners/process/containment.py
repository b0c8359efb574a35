"""All the processes of a run: how they are kept together, and their end wherever they went."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from sidecar.subagents.runners.process.cgroup import RunGroup, make_group
from sidecar.subagents.runners.process.marker import sweep
from sidecar.subagents.runners.process.parent_death import die_with_parent
from sidecar.subagents.runners.process.subreaper import orphan_reaper

SWEEP_SECONDS = 2.0
"""How long each kind of sweep may take; only a process that the kernel does not let die takes that long."""


class Containment:
    """A run's control group where there can be one, its marker, and the orphans that come to this process."""

    def __init__(self, task_id: str) -> None:
        self._task_id = task_id
        self._group: RunGroup | None = None
        self._holds_all = False
        """Whether the first process was in the group before it could start another."""
        self._pid: int | None = None

    @contextmanager
    def starting(self) -> Iterator[Callable[[], None] | None]:
        """Make the group and hold the orphan reaper off while the first process is made. Blocking.

        Yields the `preexec_fn` that the process needs, if any.
        """
        with ExitStack() as stack:
            stack.enter_context(orphan_reaper.starting())
            self._group = make_group(self._task_id)
            enter = None if self._group is None else stack.enter_context(self._group.entry())
            try:
                yield _in_order(enter, die_with_parent())
            except (OSError, ValueError):  # the program did not start
                if self._group is not None:
                    self._group.discard()
                raise

    def started(self, pid: int) -> None:
        """Take note of the first process."""
        self._pid = pid
        orphan_reaper.started(pid)
        self._holds_all = self._group is not None and self._group.holds(pid)

    def abandon(self) -> None:
        """Kill all there is of a run whose first process was made, but cannot be used. Blocking."""
        if self._pid is not None:
            self.sweep_marked()
            self.sweep_orphans(self._pid)

    def sweep_marked(self) -> tuple[int, ...]:
        """Kill the members of the group and all that carry the marker; return the survivors. Blocking.

        Where the group has held every process, no other is expected, and a single look is enough.
        """
        groups = [] if self._group is None else [self._group]
        report = sweep([self._task_id], SWEEP_SECONDS, groups=groups, thorough=not self._holds_all)
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
