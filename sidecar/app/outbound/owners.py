"""Remember who launched the runs that reminders and lists show."""

import contextlib
from collections.abc import Callable, Iterable

from sidecar.api.errors import StorageError
from sidecar.api.runs.async_tasks import Owner
from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.runs.registry.registry import RunRegistry

LEAST = 500
"""How many owners are kept without a check whether they are still needed."""


class Owners:
    """The owners of live runs and of ended ones that `needed()` still returns."""

    def __init__(self, registry: RunRegistry, journal: Journal, needed: Callable[[], Iterable[str]]) -> None:
        self._registry = registry
        self._journal = journal
        self._needed = needed
        self._known: dict[str, Owner | None] = {}
        self._launchers: dict[str, str] = {}
        self._limit = LEAST

    def __len__(self) -> int:
        return len(self._known)

    def of(self, task_id: str) -> Owner | None:
        """Return who launched a run; None if that is unknown."""
        run = self._registry.live(task_id)
        return run.record.task.owner if run is not None else self._known.get(task_id)

    def launcher_of(self, task_id: str) -> str | None:
        """Return the run that launched a run with the sidecar's tools; None if none is known."""
        run = self._registry.live(task_id)
        return run.record.launcher if run is not None else self._launchers.get(task_id)

    def children_of(self, launcher: str) -> list[str]:
        """Return the ended runs that a run launched with the sidecar's tools."""
        return [task_id for task_id, parent in self._launchers.items() if parent == launcher]

    def know(self, record: RunRecord) -> None:
        """Remember the owner of an ended run, and the run that launched it."""
        self._known[record.task.id] = record.task.owner
        if record.launcher is not None:
            self._launchers[record.task.id] = record.launcher
        if len(self._known) > self._limit:
            needed = {record.task.id, *self._needed()}
            self._known = {task_id: self._known[task_id] for task_id in self._known if task_id in needed}
            self._launchers = {child: run for child, run in self._launchers.items() if child in needed}
            self._limit = max(LEAST, 2 * len(self._known))

    async def learn(self, task_ids: Iterable[str]) -> frozenset[str]:
        """Read unknown owners from the journal; return the runs that it does not have."""
        gone = set()
        for task_id in task_ids:
            if task_id in self._known or self._registry.live(task_id) is not None:
                continue
            record = None
            with contextlib.suppress(StorageError):
                record = await self._journal.get(task_id)
            if record is None:
                gone.add(task_id)
            else:
                self.know(record)
        return frozenset(gone)
