"""The journal of async tasks: records, events and deliveries, safe once a call returns."""

import asyncio
import functools
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

from sidecar.api.async_tasks import AsyncStatus
from sidecar.api.errors import StorageError
from sidecar.api.permissions import RememberedPermission
from sidecar.subagents.journal import codec, permission_table, pruning, queries
from sidecar.subagents.journal import status as journal_status
from sidecar.subagents.journal.queries import EventPage, RecordPage
from sidecar.subagents.journal.queue import JournalQueue
from sidecar.subagents.journal.records import Delivery, DeliveryState, RunRecord
from sidecar.subagents.journal.schema import JournalMissing
from sidecar.subagents.journal.source import Reading, Writing
from sidecar.subagents.journal.worker import Job

__all__ = ["EventPage", "Journal", "JournalMissing", "RecordPage"]

T = TypeVar("T")
Records = list[RunRecord]
Deliveries = list[Delivery]
Ids = list[str]
Permissions = list[RememberedPermission]


class Journal:
    """The asyncio face of `<root>/sidecar.db`; any call may raise StorageError.

    Made by `open`, used in the loop it was opened in, closed by `aclose`. One process writes (the one that
    holds the root's lock); any number may read with `read_only`.
    """

    def __init__(self, path: Path, *, read_only: bool) -> None:
        self._path = path
        self._read_only = read_only
        self._queue = JournalQueue(path, Reading(path) if read_only else Writing(path))

    @classmethod
    async def open(cls, path: Path, *, read_only: bool = False, required: bool = True) -> Self:
        """Open or create the journal at `path`.

        Raises StorageError for a damaged file or one of a newer version, JournalMissing (read-only) for none.
        One that is not `required` is opened when that becomes possible: until then every call raises the
        error, and a missing one reads as empty.
        """
        journal = cls(path, read_only=read_only)
        try:
            await journal._call(_nothing)
        except StorageError as error:
            if required:
                await journal.aclose()
                raise
            if isinstance(error, JournalMissing):
                journal._queue.reconnect(Reading(path, may_be_missing=True))
        except BaseException:
            await journal.aclose()
            raise
        return journal

    async def aclose(self, limit: float = 5.0) -> None:
        """Write what is queued and close; takes at most `limit` seconds. Idempotent."""
        await self._queue.aclose(limit)

    @property
    def read_only(self) -> bool:
        """Whether another process writes this journal."""
        return self._read_only

    def give_up(self) -> None:
        """Write nothing more: the file belongs to somebody else, or is gone."""
        self._read_only = True

    def take_over(self) -> None:
        """Write from now on: the process that did so until now is gone."""
        self._read_only = False
        self._queue.reconnect(Writing(self._path))

    @property
    def depth(self) -> int:
        """How many requests and events are queued, for `health`."""
        return self._queue.depth

    async def stalled(self) -> StorageError:
        """Wait until the disk takes nothing more, and return why."""
        return await self._queue.stalled()

    async def save(self, record: RunRecord, *, keep: bool = False) -> None:
        """Make the record durable; concurrent saves share a commit. A set `notified_at` is never unset.

        With `keep` this waits as long as the disk is full, instead of raising StorageError.
        """
        row = queries.row_of(record)
        if keep:
            await self._keep(lambda db: queries.save(db, row), record.task.id)
        else:
            await self._call(lambda db: queries.save(db, row), writes=True)

    def save_soon(self, record: RunRecord) -> None:
        """Queue a live record as it is now; soon durable, and on a full disk once there is room."""
        self._require_writable()
        row = queries.row_of(record)
        self._queue.keep(lambda db: queries.save(db, row), record.task.id, len(row[-1]))

    def end(self, record: RunRecord, seq: int, event: bytes) -> "asyncio.Future[Any]":
        """Queue the end of a run: its record and its last event, encoded, become durable together.

        The future waits as long as the disk is full; it raises StorageError only if the journal is closed.
        """
        return self._keep(_ending(record, seq, event), record.task.id)

    async def save_end(self, record: RunRecord) -> None:
        """Make the record of a run durable whose last event is in the journal already."""
        row = queries.row_of(record)
        await self._call(lambda db: queries.save_end(db, row), writes=True)

    async def end_now(self, record: RunRecord, event: dict[str, Any]) -> None:
        """Make the end of a run durable as `end` does, or raise StorageError at once."""
        await self._call(_ending(record, event["seq"], codec.encode(event)), writes=True)

    async def transcript_finished(self, task_id: str) -> None:
        """Note that the stored task of an ended run tells its end too; soon durable."""
        self._require_writable()
        self._queue.keep(lambda db: queries.transcript_finished(db, task_id), task_id)

    async def unfinished_transcripts(self) -> Records:
        """Return ended records whose stored task may not tell the end yet."""
        return await self._call(queries.unfinished_transcripts)

    async def unreadable(self) -> Ids:
        """Return the ids of rows that cannot be read and still count as running or queued."""
        return await self._call(journal_status.unreadable)

    async def close_unreadable(self, task_ids: Sequence[str], event: dict[str, Any]) -> None:
        """End unreadable rows with `event`, which needs no `seq`; their records are left as they are."""
        ids = tuple(task_ids)
        await self._call(lambda db: journal_status.close_unreadable(db, ids, event), writes=True)

    def show(self, task_id: str, status: AsyncStatus) -> None:
        """Have lists and counts show a run in this state, which the disk does not take yet."""
        self._queue.put(Job(lambda db: journal_status.show(db, task_id, status), writes=False, urgent=False))

    async def get(self, task_id: str) -> RunRecord | None:
        """Return the record with exactly this id."""
        if not task_id.isascii():
            return None
        return await self._call(lambda db: queries.get(db, task_id))

    async def by_prefix(self, prefix: str, limit: int = 20) -> Records:
        """Return up to `limit` records whose id starts with `prefix`, newest launch first."""
        if not prefix.isascii():
            return []
        return await self._call(lambda db: queries.by_prefix(db, prefix, limit))

    async def list(
        self, statuses: Sequence[AsyncStatus] | None = None, cursor: str | None = None, limit: int = 200
    ) -> RecordPage:
        """Return a page, newest launch first (a queued task by queued_at); a bad cursor is InvalidParams."""
        return await self._call(lambda db: queries.page(db, statuses, cursor, limit))

    async def counts(self) -> dict[AsyncStatus, int]:
        """Return how many tasks are in each of the five states, without running synchronous ones."""
        return await self._call(journal_status.counts)

    async def foreground(self) -> int:
        """Return how many synchronous runs are running."""
        return await self._call(journal_status.foreground)

    async def spent_since(self, since: int) -> tuple[float, int]:
        """Return the cost (USD) and the tokens of the runs that began at `since` (ms) or later."""
        return await self._call(lambda db: queries.spent_since(db, since))

    async def live_ids(self) -> Ids:
        """Return the ids of the runs that are running or queued."""
        return [record.task.id for record in await self.unfinished()]

    async def launched_after(self, row: int) -> tuple[int, Ids]:
        """Return the row of the newest run, and the ids of those in rows after `row`."""
        return await self._call(lambda db: queries.launched_after(db, row))

    async def ids(self) -> frozenset[str]:
        """Return the id of every run there was."""
        return await self._call(queries.ids)

    async def unfinished(self) -> Records:
        """Return running and queued records, oldest first; right after `open`, what a crash left."""
        return await self._call(queries.unfinished)

    async def undelivered(self) -> Records:
        """Return ended tasks the model has not been told of and is to be, oldest end first."""
        return await self._call(queries.undelivered)

    async def mark_notified(self, task_ids: Sequence[str], at: int) -> Ids:
        """Set `notified_at` where it is unset; return the ids that were."""
        ids = tuple(task_ids)
        return await self._call(lambda db: queries.mark_notified(db, ids, at), writes=True)

    def keep_marks(self, task_ids: Sequence[str], at: int) -> None:
        """Queue marks of what the model was given; on a full disk they wait until there is room."""
        self._require_writable()
        for task_id in task_ids:
            mark = functools.partial(queries.mark_notified, task_ids=(task_id,), at=at)
            self._queue.keep(mark, task_id)

    async def record_delivery(
        self, delivery_id: str, task_ids: Sequence[str], at: int, state: DeliveryState
    ) -> None:
        """Keep one delivery, or its new state; only the newest thousand are kept."""
        delivery = Delivery(delivery_id, [*task_ids], at, state)
        await self._call(lambda db: queries.record_delivery(db, delivery), writes=True)

    async def deliveries(self, limit: int = 200) -> Deliveries:
        """Return the newest deliveries, newest first."""
        return await self._call(lambda db: queries.deliveries(db, limit))

    async def permissions(self) -> Permissions:
        """Return what was decided for good, oldest first."""
        return await self._call(permission_table.everything)

    async def remember(self, permission: RememberedPermission) -> None:
        """Keep a decision; the newest one of a scope holds."""
        await self._call(lambda db: permission_table.insert(db, permission), writes=True)

    async def revoke(self, permission_ids: Sequence[str]) -> Ids:
        """Forget decisions; return the ids that were kept until then."""
        ids = tuple(permission_ids)
        return await self._call(lambda db: permission_table.delete(db, ids), writes=True)

    async def append(self, task_id: str, events: Sequence[dict[str, Any]]) -> None:
        """Queue events, which carry `seq` and `ts`; waits while too much is queued.

        They are committed within some 40 ms; on a full disk, once there is room.
        """
        await self.wait_for_room()
        self.enqueue(task_id, [(event["seq"], codec.encode(event)) for event in events])

    async def wait_for_room(self) -> None:
        """Return once less than the bounds is queued; `EventLog` calls it before it numbers an event."""
        await self._queue.wait_for_room()

    def enqueue(self, task_id: str, events: Sequence[tuple[int, bytes]]) -> None:
        """Queue encoded events as (seq, JSON)."""
        self._require_writable()
        size = sum(len(body) for _, body in events)
        self._queue.keep(lambda db: queries.insert_events(db, task_id, events), task_id, size)

    async def flush(self, *, urgent: bool = True) -> None:
        """Return when everything queued before is durable; raises StorageError while the disk is full.

        A caller that is not `urgent` waits for the next commit, some 40 ms, and causes none.
        """
        await self._call(_nothing, writes=True, urgent=urgent)
        if self._queue.stall is not None:
            raise self._queue.stall

    async def read_events(
        self, task_id: str, after_seq: int = 0, limit: int = 200, max_bytes: int = 1 << 20
    ) -> EventPage:
        """Return events after `after_seq`: at most `limit`, about `max_bytes` of JSON, but at least one."""
        return await self._call(lambda db: queries.read_events(db, task_id, after_seq, limit, max_bytes))

    async def prune(self, now: int, keep_ms: int, max_bytes: int) -> bool:
        """Remove events of old runs, a bounded number in a call; return whether there may be more."""
        return await self._call(
            lambda db: pruning.prune(db, now, keep_ms, max_bytes), writes=True, urgent=False
        )

    async def last_seq(self, task_id: str) -> int:
        """Return the newest event's seq, 0 if there is none."""
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
        if self._read_only:
            raise self._queue.refusal("it is open for reading only, since another process owns the root")


def _ending(record: RunRecord, seq: int, event: bytes) -> Callable[[sqlite3.Connection], None]:
    """Return the write of a run's last event and its record."""
    row, task_id = queries.row_of(record), record.task.id

    def write(db: sqlite3.Connection) -> None:
        queries.insert_events(db, task_id, [(seq, event)])
        queries.save_end(db, row)

    return write


def _nothing(_: sqlite3.Connection) -> None:
    """Serve as a job that only waits for those before it."""
