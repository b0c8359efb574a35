"""Find runs: the live ones and the newest ends in memory, the others in the journal."""

import asyncio
from collections.abc import Mapping

import msgspec

from sidecar.api.errors import AmbiguousTaskId, TaskNotFound
from sidecar.api.runs.async_tasks import AsyncStatus, AsyncTask
from sidecar.api.stored.tasks import TaskStatus
from sidecar.subagents.journal.event_log import EventLog
from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.runs.run import Run, display_name

FOREIGN_POLL_SECONDS = 0.25
"""The interval for reading a run of another process from the journal: that process cannot notify us."""
_CANDIDATES = 20
"""How many tasks the error for an ambiguous prefix lists, so that it stays readable."""


class RunDirectory:
    """Return runs and their newest state; never change them."""

    def __init__(self, journal: Journal, events: EventLog) -> None:
        self._journal = journal
        self._events = events
        self._live: dict[str, Run] = {}
        self._recent_ends = RecentEnds()

    def live(self, task_id: str) -> Run | None:
        """Return a run that has not ended, or whose end is not durable yet."""
        return self._live.get(task_id)

    def is_idle(self) -> bool:
        """Return whether no run is live. For any thread."""
        return not self._live

    def with_status(self, status: AsyncStatus) -> list[Run]:
        """Return the live runs with this status, oldest first."""
        return [run for run in self._live.values() if run.record.task.status == status]

    async def find(self, task_id: str) -> RunRecord | None:
        """Return the record of the run with exactly this ID."""
        run = self._live.get(task_id)
        if run is not None:
            return run.record
        stored = await self._journal.get(task_id)
        return None if stored is None else self._recent_ends.newest(stored)

    async def resolve(self, prefix: str) -> RunRecord:
        """Return the run with this ID, or else the only run whose ID has this prefix.

        Raises TaskNotFound and AmbiguousTaskId.
        """
        exact = await self.find(prefix)
        if exact is not None:
            return exact
        found = await self._journal.by_prefix(prefix, _CANDIDATES) if prefix else []
        if len(found) == 1:
            return self._recent_ends.newest(found[0])
        if not found:
            raise TaskNotFound(f"no async task has the ID or prefix {prefix!r}", taskId=prefix)
        candidates = [{"id": each.task.id, "label": display_name(each.task)} for each in found]
        raise AmbiguousTaskId(
            f"several async tasks have an ID that starts with {prefix!r}; use a longer prefix",
            taskId=prefix,
            candidates=candidates,
        )

    def current(self, record: RunRecord) -> AsyncTask:
        """Return a snapshot of a run's newest state, given any copy of its record."""
        run = self._live.get(record.task.id)
        if run is not None:
            return run.snapshot()
        return msgspec.structs.replace(self._recent_ends.newest(record).task)

    async def is_live(self, task_id: str) -> bool:
        """Return whether a run may still log events, in this process or in the owner of the root.

        This includes a run whose owner died, until its end is recorded.
        """
        if task_id in self._live or self._events.is_over(task_id):
            return task_id in self._live
        record = await self._journal.get(task_id)
        return record is not None and record.task.completed_at is None

    async def settled(self, task_id: str) -> None:
        """Wait until a run has ended and its end is durable. Return at once if it has."""
        run = self._live.get(task_id)
        if run is not None:
            await asyncio.shield(run.recorded)
        while await self._is_foreign(task_id):  # noqa: ASYNC110 (there is no event)
            await asyncio.sleep(FOREIGN_POLL_SECONDS)

    async def _is_foreign(self, task_id: str) -> bool:
        """Return whether another process runs this run, or died before it recorded the end."""
        if task_id in self._live:
            return False
        record = await self.find(task_id)
        return record is not None and record.task.completed_at is None


CAPACITY = 1_000
_STORED: Mapping[str, TaskStatus] = {"completed": "completed", "failed": "failed", "cancelled": "abandoned"}
"""The status of a stored task for each status with which its run can end."""


class RecentEnds:
    """Keep the records of runs that ended, and the lost runs whose stored tasks do not show it yet."""

    def __init__(self) -> None:
        self._records: dict[str, RunRecord] = {}
        self._lost: dict[str, TaskStatus] = {}

    def add(self, ended: RunRecord) -> None:
        """Keep the record of an ended run; drop the oldest beyond `CAPACITY`."""
        self._records[ended.task.id] = ended
        if len(self._records) > CAPACITY:
            del self._records[next(iter(self._records))]

    def newest(self, stored: RunRecord) -> RunRecord:
        """Return the record with the end if `stored` was read just before the run ended."""
        return self._records.get(stored.task.id, stored) if stored.task.completed_at is None else stored

    def add_lost(self, ended: RunRecord) -> None:
        """Keep the record of a lost run, whose end is not on disk yet."""
        self._records[ended.task.id] = ended
        if ended.task.launched_at is not None:
            self._lost[ended.task.id] = _STORED[ended.task.status]

    def transcript_written(self, task_id: str) -> None:
        """Note that the stored task of a lost run shows its end."""
        self._lost.pop(task_id, None)

    def pending(self) -> Mapping[str, TaskStatus]:
        """Return the statuses of lost runs whose stored tasks do not show their ends. For any thread."""
        return self._lost.copy()
