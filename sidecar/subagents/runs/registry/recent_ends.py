"""Remember the newest ends, because an answer may hold a record that was read before the run ended."""

from collections.abc import Mapping

from sidecar.api.stored.tasks import TaskStatus
from sidecar.subagents.journal.records import RunRecord

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
