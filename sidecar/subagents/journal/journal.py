"""The journal of async tasks: records, events and deliveries, durable once a call returns."""

import asyncio
import functools
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

from sidecar.api.errors import StorageError
from sidecar.api.runs.async_tasks import AsyncStatus
from sidecar.api.runs.permissions import RememberedPermission
from sidecar.subagents.journal import codec, permission_table, queries
from sidecar.subagents.journal import status as journal_status
from sidecar.subagents.journal.journal_file import Reading, Writing
from sidecar.subagents.journal.maintenance import Maintenance
from sidecar.subagents.journal.queries import EventPage, RecordPage
from sidecar.subagents.journal.queue import JournalQueue
from sidecar.subagents.journal.records import Delivery, DeliveryState, RunRecord
from sidecar.subagents.journal.schema import JournalMissing, JournalNewer
from sidecar.subagents.journal.worker import Job

__all__ = ["EventPage", "Journal", "JournalMissing", "JournalNewer", "RecordPage"]

T = TypeVar("T")
Records = list[RunRecord]
Deliveries = list[Delivery]
Ids = list[str]
Permissions = list[RememberedPermission]


class Journal:
    """The asyncio interface of `<root>/sidecar.db`. Any call may raise StorageError.

    Create it with `open`, use it in the same loop, and close it with `aclose`. Only the process that holds
    the root's lock writes; any number of processes may read with `read_only`.
    """

    def __init__(self, path: Path, *, read_only: bool) -> None:
        self._path = path
        self._read_only = read_only
        self._newer: JournalNewer | None = None
        self._queue = JournalQueue(path, Reading(path) if read_only else Writing(path))
        self.maintenance = Maintenance(path, self._queue, self._require_writable)

    @classmethod
    async def open(cls, path: Path, *, read_only: bool = False, required: bool = True) -> Self:
        """Open or create the journal at `path`.

        Raises StorageError for a damaged file, JournalNewer for one of a newer version, and JournalMissing
        (read-only) if there is no file. A journal that is not `required` opens once that is possible. Until
        then every call raises the error, except that a missing journal reads as empty, and one of a newer
        version is read-only.
        """
        journal = cls(path, read_only=read_only)
        try:
            await journal._connect(required=required)
        except BaseException:
            await journal.aclose()
            raise
        return journal

    async def _connect(self, *, required: bool) -> None:
        try:
            await self._call(_nothing)
        except StorageError as error:
            if required:
                raise
            if isinstance(error, JournalNewer):
                self._read_only, self._newer = True, error
                self._queue.reconnect(Reading(self._path))
            elif isinstance(error, JournalMissing):
                self._queue.reconnect(Reading(self._path, may_be_missing=True))

    async def aclose(self, limit: float = 5.0) -> None:
        """Write queued jobs and close, within `limit` seconds. Idempotent."""
        await self._queue.aclose(limit)

    @property
    def read_only(self) -> bool:
        """Whether another process writes this journal, or a newer version wrote it."""
        return self._read_only

    @property
    def is_newer(self) -> bool:
        """Whether a newer version wrote this journal."""
        return self._newer is not None

    def give_up(self) -> None:
        """Stop writing, because the file is gone or has another owner."""
        self._read_only = True

    async def take_over(self) -> None:
        """Start writing, because the process that wrote until now is gone."""
        self._read_only = False
        self._queue.reconnect(Writing(self._path))
        await self._connect(required=False)

    @property
    def depth(self) -> int:
        """How many requests and events are queued, for `health`."""
        return self._queue.depth

    async def stalled(self) -> StorageError:
        """Wait until a write fails because of the disk, and return the error."""
        return await self._queue.stalled()

    async def save(self, record: RunRecord, *, keep: bool = False) -> None:
        """Make the record durable; concurrent saves share a commit. A set `notified_at` is never unset.

        With `keep`, wait while the disk is full instead of raising StorageError.
        """
        row = queries.row_of(record)
        if keep:
            await self._keep(lambda db: queries.save(db, row), record.task.id)
        else:
            await self._call(lambda db: queries.save(db, row), writes=True)

    def save_soon(self, record: RunRecord) -> None:
        """Queue a live record in its current state. On a full disk, write it once there is space."""
        self._require_writable()
        row = queries.row_of(record)
        self._queue.keep(lambda db: queries.save(db, row), record.task.id, len(row[-1]))

    def end(self, record: RunRecord, seq: int, event: bytes) -> "asyncio.Future[Any]":
        """Queue the record and the last, encoded event of a run; they become durable together.

        The future waits while the disk is full, and raises StorageError only if the journal closes.
        """
        return self._keep(_ending(record, seq, event), record.task.id)

    async def save_again(self, record: RunRecord) -> None:
        """Make a changed record of an ended run durable, unless the run was removed."""
        row = queries.row_of(record)
        await self._call(lambda db: queries.save_again(db, row), writes=True)

    async def save_end(self, record: RunRecord) -> None:
        """Make the record of an ended run durable; its last event is already in the journal."""
        row = queries.row_of(record)
        await self._call(lambda db: queries.save_end(db, row), writes=True)

    async def end_now(self, record: RunRecord, event: dict[str, Any]) -> None:
        """Make the end of a run durable like `end`, but raise StorageError at once."""
        await self._call(_ending(record, event["seq"], codec.encode(event)), writes=True)

    async def transcript_finished(self, task_id: str) -> None:
        """Queue a note that the stored task of an ended run contains its end."""
        self._require_writable()
        self._queue.keep(lambda db: queries.transcript_finished(db, task_id), task_id)

    async def unfinished_transcripts(self) -> Records:
        """Return ended records whose stored task may not contain the end yet."""
        return await self._call(queries.unfinished_transcripts)

    async def unreadable(self) -> Ids:
        """Return the IDs of unreadable rows that still count as running or queued."""
        return await self._call(journal_status.unreadable)

    async def close_unreadable(self, task_ids: Sequence[str], event: dict[str, Any]) -> None:
        """End unreadable rows with `event`, which needs no `seq`, and leave their records unchanged."""
        ids = tuple(task_ids)
        await self._call(lambda db: journal_status.close_unreadable(db, ids, event), writes=True)

    def show(self, task_id: str, status: AsyncStatus) -> None:
        """Show a run with this status in lists and counts before the disk accepts it."""
        self._queue.put(Job(lambda db: journal_status.show(db, task_id, status), writes=False, urgent=False))

    async def get(self, task_id: str) -> RunRecord | None:
        """Return the record with exactly this ID."""
        if not task_id.isascii():
            return None
        return await self._call(lambda db: queries.get(db, task_id))

    async def by_prefix(self, prefix: str, limit: int = 20) -> Records:
        """Return up to `limit` records whose ID starts with `prefix`, newest launch first."""
        if not prefix.isascii():
            return []
        return await self._call(lambda db: queries.by_prefix(db, prefix, limit))

    async def list(
        self, statuses: Sequence[AsyncStatus] | None = None, cursor: str | None = None, limit: int = 200
    ) -> RecordPage:
        """Return a page, latest launch first, with queued tasks ordered by `queued_at`.

        Raises InvalidParams for a bad cursor.
        """
        return await self._call(lambda db: queries.page(db, statuses, cursor, limit))

    async def counts(self) -> dict[AsyncStatus, int]:
        """Return the number of tasks with each status, without running synchronous runs."""
        return await self._call(journal_status.counts)

    async def foreground(self) -> int:
        """Return the number of running synchronous runs."""
        return await self._call(journal_status.foreground)

    async def spent_since(self, since: int) -> tuple[float, int]:
        """Return the cost (USD) and the tokens of the runs that started at `since` (ms) or later."""
        return await self._call(lambda db: queries.spent_since(db, since))

    async def live_ids(self) -> Ids:
        """Return the IDs of the runs that are running or queued."""
        return [record.task.id for record in await self.unfinished()]

    async def launched_after(self, row: int) -> tuple[int, Ids]:
        """Return the row number of the newest run, and the IDs of the runs after `row`."""
        return await self._call(lambda db: queries.launched_after(db, row))

    async def ids(self) -> frozenset[str]:
        """Return the IDs of all runs."""
        return await self._call(queries.ids)

    async def unfinished(self) -> Records:
        """Return running and queued records, oldest first. Right after `open`, a crash left them."""
        return await self._call(queries.unfinished)

    async def ended_on_clusters(self, since: int) -> Records:
        """Return the runs on clusters that ended at `since` or later, in milliseconds, oldest end first."""
        return await self._call(lambda db: queries.ended_on_clusters(db, since))

    async def undelivered(self) -> Records:
        """Return ended tasks of which the model is still to be notified, oldest end first."""
        return await self._call(queries.undelivered)

    async def mark_notified(self, task_ids: Sequence[str], at: int) -> Ids:
        """Set `notified_at` where it is unset; return the IDs of those tasks."""
        ids = tuple(task_ids)
        return await self._call(lambda db: queries.mark_notified(db, ids, at), writes=True)

    def keep_marks(self, task_ids: Sequence[str], at: int) -> None:
        """Queue writes of `notified_at`. On a full disk, write them once there is space."""
        self._require_writable()
        for task_id in task_ids:
            mark = functools.partial(queries.mark_notified, task_ids=(task_id,), at=at)
            self._queue.keep(mark, task_id)

    async def record_delivery(
        self,
        delivery_id: str,
        task_ids: Sequence[str],
        at: int,
        state: DeliveryState,
        client: str | None = None,
    ) -> None:
        """Store a delivery or its new state, and keep only the latest thousand."""
        delivery = Delivery(delivery_id, [*task_ids], at, state, client)
        await self._call(lambda db: queries.record_delivery(db, delivery), writes=True)

    async def deliveries(self, limit: int = 200) -> Deliveries:
        """Return the latest deliveries, latest first."""
        return await self._call(lambda db: queries.deliveries(db, limit))

    async def permissions(self) -> Permissions:
        """Return the remembered permissions, oldest first."""
        return await self._call(permission_table.select_all)

    async def remember(self, permission: RememberedPermission) -> None:
        """Store a remembered permission. The latest one for a scope applies."""
        await self._call(lambda db: permission_table.insert(db, permission), writes=True)

    async def revoke(self, permission_ids: Sequence[str]) -> Ids:
        """Delete remembered permissions; return the IDs of those that existed."""
        ids = tuple(permission_ids)
        return await self._call(lambda db: permission_table.delete(db, ids), writes=True)

    async def append(self, task_id: str, events: Sequence[dict[str, Any]]) -> None:
        """Queue events that have `seq` and `ts`, and wait while the queue is full.

        They are committed within about 40 ms; on a full disk, once there is space.
        """
        await self.wait_for_room()
        self.enqueue(task_id, [(event["seq"], codec.encode(event)) for event in events])

    async def wait_for_room(self) -> None:
        """Wait until the queue is below its limits. `EventLog` calls this before it numbers an event."""
        await self._queue.wait_for_room()

    def enqueue(self, task_id: str, events: Sequence[tuple[int, bytes]]) -> None:
        """Queue encoded events, given as (seq, JSON)."""
        self._require_writable()
        size = sum(len(body) for _, body in events)
        self._queue.keep(lambda db: queries.insert_events(db, task_id, events), task_id, size)

    async def flush(self, *, urgent: bool = True) -> None:
        """Wait until everything queued before is durable. Raises StorageError while the disk is full.

        A caller that is not `urgent` waits for the next commit, about 40 ms, instead of causing one.
        """
        await self._call(_nothing, writes=True, urgent=urgent)
        if self._queue.stall is not None:
            raise self._queue.stall

    async def read_events(
        self, task_id: str, after_seq: int = 0, limit: int = 200, max_bytes: int = 1 << 20
    ) -> EventPage:
        """Return up to `limit` events after `after_seq`, about `max_bytes` of JSON, but at least one."""
        return await self._call(lambda db: queries.read_events(db, task_id, after_seq, limit, max_bytes))

    async def last_seq(self, task_id: str) -> int:
        """Return the seq of the latest event, or 0."""
        return await self._call(lambda db: queries.last_seq(db, task_id))

    async def _call(
        self, run: Callable[[sqlite3.Connection], T], *, writes: bool = False, urgent: bool = True
    ) -> T:
        if writes:
            self._require_writable()
        return await self._queue.call(run, writes=writes, urgent=urgent)

    def _keep(self, run: Callable[[sqlite3.Connection], object], task_id: str) -> "asyncio.Future[Any]":
        self._require_writable()
        return self._queue.keep(run, task_id, urgent=True)

    def _require_writable(self) -> None:
        if self._newer is not None:
            raise self._newer
        if self._read_only:
            raise self._queue.refusal("it is read-only here, because another process owns the root")


def _ending(record: RunRecord, seq: int, event: bytes) -> Callable[[sqlite3.Connection], None]:
    """Return the write of a run's last event and its record."""
    row, task_id = queries.row_of(record), record.task.id

    def write(db: sqlite3.Connection) -> None:
        queries.insert_events(db, task_id, [(seq, event)])
        queries.save_end(db, row)

    return write


def _nothing(_: sqlite3.Connection) -> None:
    """Do nothing; a job that only waits for earlier jobs."""
