"""The journal of async tasks: records, events and deliveries, safe once a call returns."""

import asyncio
import functools
import logging
import sqlite3
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

from sidecar.api.async_tasks import AsyncStatus
from sidecar.api.errors import StorageError
from sidecar.api.permissions import RememberedPermission
from sidecar.subagents import codec
from sidecar.subagents import journal_queries as queries
from sidecar.subagents.journal_queries import EventPage, RecordPage
from sidecar.subagents.journal_schema import JournalMissing, connect, storage_error
from sidecar.subagents.journal_worker import Job, JournalWorker
from sidecar.subagents.permissions import table as permission_table
from sidecar.subagents.records import Delivery, DeliveryState, RunRecord

__all__ = ["EventPage", "Journal", "JournalMissing", "RecordPage"]

MAX_QUEUED = 10_000
MAX_QUEUED_BYTES = 8 << 20
ROOM_SECONDS = 30.0
"""A disk that keeps a caller waiting longer than this is taken to have failed."""

log = logging.getLogger(__name__)

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

    def __init__(
        self, path: Path, *, read_only: bool, on_failure: Callable[[StorageError], None] | None
    ) -> None:
        self._path = path
        self._read_only = read_only
        self._on_failure = on_failure
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._worker = JournalWorker(
            functools.partial(connect, path, read_only=read_only),
            functools.partial(self._post, self._settle),
            functools.partial(self._post, _resolve, self._ended),
        )
        self._waiters: deque[asyncio.Future[None]] = deque()
        self._queued = 0
        self._bytes = 0
        self._lost: dict[str, StorageError] = {}
        self._unreported: StorageError | None = None
        self._closing = False

    @classmethod
    async def open(
        cls, path: Path, *, read_only: bool = False, on_failure: Callable[[StorageError], None] | None = None
    ) -> Self:
        """Open or create the journal at `path`; `on_failure` hears of every failed write, in the loop.

        Raises StorageError for a damaged file or one of a newer version, JournalMissing (read-only) for none.
        """
        journal = cls(path, read_only=read_only, on_failure=on_failure)
        journal._worker.start()
        try:
            await journal._call(_nothing, writes=False)
        except BaseException:
            await journal.aclose()
            raise
        return journal

    async def aclose(self, limit: float = 5.0) -> None:
        """Write what is queued and close; takes at most `limit` seconds. Idempotent."""
        self._closing = True
        self._worker.stop()
        await asyncio.wait([self._ended], timeout=limit)
        if not self._ended.done() or not self._worker.join(1.0):
            log.error(
                "the journal %s did not close in time: %d requests may be lost", self._path, self._queued
            )

    @property
    def read_only(self) -> bool:
        """Whether another process writes this journal."""
        return self._read_only

    @property
    def depth(self) -> int:
        """How many requests and events are queued, for `health`."""
        return self._queued

    async def save(self, record: RunRecord) -> None:
        """Make the record durable; concurrent saves share a commit. A set `notified_at` is never unset."""
        row = queries.row_of(record)
        await self._call(lambda db: queries.save(db, row), writes=True)

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
        """Return how many tasks there are in each of the five states."""
        return await self._call(queries.counts)

    async def spent_since(self, since: int) -> tuple[float, int]:
        """Return the cost (USD) and the tokens of the runs that began at `since` (ms) or later."""
        return await self._call(lambda db: queries.spent_since(db, since))

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

        They are committed within some 40 ms. If that fails, this and `flush` raise for the task ever after.
        """
        await self.wait_for_room()
        self.enqueue(task_id, [(event["seq"], codec.encode(event)) for event in events])

    async def wait_for_room(self) -> None:
        """Return once less than the bounds is queued; `EventLog` calls it before it numbers an event."""
        if self._has_room():
            return
        waiter: asyncio.Future[None] = self._loop.create_future()
        self._waiters.append(waiter)
        try:
            async with asyncio.timeout(ROOM_SECONDS):
                await waiter
        except TimeoutError as error:
            raise self._refusal(f"the disk did not keep up for {ROOM_SECONDS:.0f} s") from error

    def enqueue(self, task_id: str, events: Sequence[tuple[int, bytes]]) -> None:
        """Queue encoded events as (seq, JSON); raises StorageError once events of this task were lost."""
        if task_id in self._lost:
            raise self._lost[task_id].with_traceback(None)
        self._put(
            Job(
                lambda db: queries.insert_events(db, task_id, events),
                writes=True,
                urgent=False,
                size=sum(len(body) for _, body in events),
                chain=task_id,
            )
        )

    async def flush(self, *, urgent: bool = True) -> None:
        """Return when everything queued before is durable; raises the first loss not yet told here.

        Who is not `urgent` waits for the next commit, some 40 ms, and causes none.
        """
        await self._call(_nothing, writes=True, urgent=urgent)
        lost, self._unreported = self._unreported, None
        if lost is not None:
            raise lost

    async def read_events(
        self, task_id: str, after_seq: int = 0, limit: int = 200, max_bytes: int = 1 << 20
    ) -> EventPage:
        """Return events after `after_seq`: at most `limit`, about `max_bytes` of JSON, but at least one."""
        return await self._call(lambda db: queries.read_events(db, task_id, after_seq, limit, max_bytes))

    async def last_seq(self, task_id: str) -> int:
        """Return the newest event's seq, 0 if there is none."""
        return await self._call(lambda db: queries.last_seq(db, task_id))

    async def _call(
        self, run: Callable[[sqlite3.Connection], T], *, writes: bool = False, urgent: bool = True
    ) -> T:
        await self.wait_for_room()
        done: asyncio.Future[T] = self._loop.create_future()
        self._put(Job(run, writes, urgent, done=done))
        return await done

    def _put(self, job: Job) -> None:
        if self._closing:
            raise self._refusal("it is closed")
        if job.writes and self._read_only:
            raise self._refusal("it is open for reading only, since another process owns the root")
        self._queued += 1
        self._bytes += job.size
        self._worker.put(job)

    def _has_room(self) -> bool:
        return self._queued < MAX_QUEUED and self._bytes < MAX_QUEUED_BYTES

    def _settle(self, jobs: Sequence[Job]) -> None:
        self._queued -= len(jobs)
        self._bytes -= sum(job.size for job in jobs)
        for job in jobs:
            self._answer(job)
        while self._waiters and self._has_room():
            waiter = self._waiters.popleft()
            if not waiter.done():
                waiter.set_result(None)

    def _answer(self, job: Job) -> None:
        error = self._error_of(job)
        if error is not None and job.writes:
            self._report(job, error)
        if job.done is None or job.done.done():
            return
        if error is None:
            job.done.set_result(job.value)
        else:
            job.done.set_exception(error)

    def _error_of(self, job: Job) -> Exception | None:
        if isinstance(job.error, sqlite3.Error | OSError | ValueError):
            return storage_error(self._path, job.error)
        return job.error

    def _report(self, job: Job, error: Exception) -> None:
        log.error("a write to the journal failed: %s", error)
        if not isinstance(error, StorageError):
            return
        if job.chain is not None:
            self._unreported = self._lost.setdefault(job.chain, error)
        if self._on_failure is not None:
            self._on_failure(error)

    def _refusal(self, reason: str) -> StorageError:
        return StorageError(f"journal {self._path}: {reason}", path=str(self._path), reason=reason)

    def _post(self, call: Callable[..., None], *values: object) -> None:
        try:
            self._loop.call_soon_threadsafe(call, *values)
        except RuntimeError:
            log.warning("the journal's loop ended before the journal was closed")


def _nothing(_: sqlite3.Connection) -> None:
    """Serve as a job that only waits for those before it."""


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
