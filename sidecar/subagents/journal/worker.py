"""The thread that owns the journal's connection, runs jobs in order and commits them in batches."""

import asyncio
import itertools
import logging
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sidecar.subagents.journal.journal_file import Source

BATCH_SECONDS = 0.04
"""How long jobs that are not urgent may collect before they are committed."""
BATCH_JOBS = 500
BATCH_BYTES = 1 << 20
RETRY_SECONDS = 1.0
"""How long to wait before retrying kept jobs, or opening a journal that did not open."""

log = logging.getLogger(__name__)


@dataclass(eq=False, slots=True)
class Job:
    """A function to run on the connection and, once it has run, its value or error.

    A caller waits for an `urgent` job. A job with `keep` is retried until the disk accepts it. Later jobs of
    its `chain` wait for it, so that a stored chain has no gaps.
    """

    run: Callable[[sqlite3.Connection], Any]
    writes: bool
    urgent: bool
    size: int = 0
    chain: str | None = None
    keep: bool = False
    done: asyncio.Future[Any] | None = None
    """The future of the caller in the loop. The thread does not touch it."""
    value: Any = None
    error: Exception | None = None


class JournalWorker:
    """Run jobs in order of arrival; consecutive writes share a commit.

    `source` opens the journal. While that fails, every job fails with the error, and the worker retries. The
    worker calls these functions in its thread: `deliver` with jobs that are done, `stalled` with the error
    when jobs must be kept and with None when all of them are durable, and `ended` after the last job. The
    caller limits the queue. A failing job does not fail others of its batch: the worker retries each alone.
    """

    def __init__(
        self,
        source: Source,
        deliver: Callable[[Sequence[Job]], None],
        stalled: Callable[[Exception | None], None],
        ended: Callable[[], None],
    ) -> None:
        self._source = source
        self._deliver = deliver
        self._stalled = stalled
        self._ended = ended
        self._switch_to: Source | None = None
        self._connection: sqlite3.Connection | None = None
        self._connect_error: Exception | None = None
        self._jobs: deque[Job] = deque()
        self._kept: list[Job] = []
        self._urgent = 0
        self._bytes = 0
        self._closing = False
        self._retry_at = 0.0
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._main, name="journal", daemon=True)

    def start(self) -> None:
        """Start the thread. The caller must call `stop` and `join` later."""
        self._thread.start()

    def put(self, job: Job) -> None:
        """Queue a job. Never blocks."""
        with self._changed:
            self._jobs.append(job)
            self._urgent += job.urgent
            self._bytes += job.size
            if len(self._jobs) == 1 or self._is_due():
                self._changed.notify()

    def reconnect(self, source: Source) -> None:
        """Open the journal with `source` from the next batch on."""
        with self._changed:
            self._switch_to = source

    def stop(self) -> None:
        """End the thread after the queued jobs. Never blocks."""
        with self._changed:
            self._closing = True
            self._changed.notify()

    def join(self, limit: float) -> bool:
        """Wait up to `limit` seconds for the thread; return whether it ended."""
        self._thread.join(limit)
        return not self._thread.is_alive()

    def _main(self) -> None:
        try:
            self._serve_all()
        finally:
            self._ended()

    def _serve_all(self) -> None:
        try:
            while True:
                batch = self._take()
                self._serve(batch)
                if self._kept and time.monotonic() >= self._retry_at:
                    self._retry()
                if self._closing and not batch:
                    return
        finally:
            self._retry_last_time()
            self._disconnect()

    def _take(self) -> list[Job]:
        """Return the next batch; an empty one when a retry is due or all jobs are done."""
        with self._changed:
            wait = max(0.0, self._retry_at - time.monotonic()) if self._kept else None
            self._changed.wait_for(lambda: self._jobs or self._closing, timeout=wait)
            if self._jobs:
                self._changed.wait_for(self._is_due, timeout=BATCH_SECONDS)
            batch = [self._jobs.popleft() for _ in range(min(len(self._jobs), 2 * BATCH_JOBS))]
            self._urgent -= sum(job.urgent for job in batch)
            self._bytes -= sum(job.size for job in batch)
            return batch

    def _is_due(self) -> bool:
        return (
            self._urgent > 0 or self._closing or len(self._jobs) >= BATCH_JOBS or self._bytes >= BATCH_BYTES
        )

    def _serve(self, batch: Iterable[Job]) -> None:
        with self._changed:
            switch_to, self._switch_to = self._switch_to, None
        if switch_to is not None:
            self._disconnect()
            self._source = switch_to
        for writes, group in itertools.groupby(batch, key=lambda job: job.writes):
            jobs = list(group)
            (self._write if writes else self._read)(jobs)
            kept = {id(job) for job in self._kept}
            self._deliver([job for job in jobs if id(job) not in kept])

    def _read(self, jobs: Iterable[Job]) -> None:
        for job in jobs:
            try:
                job.value = job.run(self._open())
            except Exception as error:
                job.error = error

    def _write(self, jobs: Sequence[Job]) -> None:
        waiting = {job.chain for job in self._kept}
        behind = [job for job in jobs if job.keep and job.chain in waiting]
        first = [job for job in jobs if job not in behind]
        error = self._commit(first)
        if error is None:
            self._keep(behind, None)
        elif len(first) > 1:
            for job in jobs:
                self._write([job])
        else:
            self._keep([job for job in jobs if job.keep and _may_pass(error)], error)
            for job in first:
                job.error = error

    def _keep(self, jobs: Sequence[Job], error: Exception | None) -> None:
        if jobs and not self._kept:
            self._retry_at = time.monotonic() + RETRY_SECONDS
            self._stalled(error)
        self._kept += jobs

    def _retry(self) -> Exception | None:
        """Retry the kept jobs together, so that they become durable in order or not at all."""
        self._retry_at = time.monotonic() + RETRY_SECONDS
        error = self._commit(self._kept)
        if error is None:
            jobs, self._kept = self._kept, []
            for job in jobs:
                job.error = None
            self._stalled(None)
            self._deliver(jobs)
        return error

    def _retry_last_time(self) -> None:
        """Retry once more. What is still not durable has failed, also what only waited for earlier writes."""
        error = self._retry() if self._kept else None
        for job in self._kept:
            job.error = error
        self._deliver(self._kept)

    def _commit(self, jobs: Sequence[Job]) -> Exception | None:
        """Run the jobs in one transaction, and roll it back on an error."""
        if not jobs:
            return None
        try:
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            for job in jobs:
                job.value = job.run(connection)
            connection.execute("COMMIT")
        except Exception as error:
            if self._connection is not None and self._connection.in_transaction:
                self._connection.rollback()
            return error
        return None

    def _open(self) -> sqlite3.Connection:
        """Return the connection. Raises the errors of `connect`, and retries only after a pause."""
        if self._connection is not None:
            if self._source.is_current():
                return self._connection
            self._disconnect()
        if self._connect_error is None or time.monotonic() >= self._retry_at:
            self._retry_at = time.monotonic() + RETRY_SECONDS
            self._connect_error = None
            try:
                self._connection = self._source.connect()
            except Exception as error:
                self._connect_error = error
        if self._connection is None:
            assert self._connect_error is not None
            raise self._connect_error
        return self._connection

    def _disconnect(self) -> None:
        connection, self._connection, self._connect_error = self._connection, None, None
        try:
            if connection is not None:
                self._source.disconnect(connection)
        except sqlite3.Error:
            log.exception("the journal did not close cleanly; its write-ahead log is read at the next start")


def _may_pass(error: Exception) -> bool:
    """Return whether the disk, not the job, caused the error, so that a retry may succeed."""
    return isinstance(error, sqlite3.Error | OSError)
