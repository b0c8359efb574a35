"""The thread that owns the journal's connection: takes jobs in order, commits them together."""

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

from sidecar.subagents.journal.source import Source

BATCH_SECONDS = 0.04
"""How long jobs that nobody waits for may gather before they are committed."""
BATCH_JOBS = 500
BATCH_BYTES = 1 << 20
RETRY_SECONDS = 1.0
"""How long after a failed attempt kept jobs are tried again, and a journal that would not open is opened."""

log = logging.getLogger(__name__)


@dataclass(eq=False, slots=True)
class Job:
    """One piece of work on the connection and, once served, its value or its error.

    `urgent` jobs have somebody waiting. A job to `keep` is tried until the disk takes it; later jobs of its
    `chain` wait for it, so that what is stored of a chain has no gap.
    """

    run: Callable[[sqlite3.Connection], Any]
    writes: bool
    urgent: bool
    size: int = 0
    chain: str | None = None
    keep: bool = False
    done: asyncio.Future[Any] | None = None
    """Whoever waits in the loop; the thread does not touch it."""
    value: Any = None
    error: Exception | None = None


class JournalWorker:
    """Serves jobs in the order they came; consecutive writes share a commit.

    `source` opens the journal; while that fails every job fails with its error, and it is tried again.
    `deliver` is called in the thread with jobs that were served, `stalled` with the error when jobs have to
    be kept and with None when all of them are durable, `ended` when there will be no more. How much may be
    queued is the caller's to bound. A job that fails does not fail its neighbors: they are tried again one
    by one.
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
        self._fault: Exception | None = None
        self._jobs: deque[Job] = deque()
        self._kept: list[Job] = []
        self._urgent = 0
        self._bytes = 0
        self._closing = False
        self._retry_at = 0.0
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._main, name="journal", daemon=True)

    def start(self) -> None:
        """Begin; whoever calls this calls `stop` and `join`."""
        self._thread.start()

    def put(self, job: Job) -> None:
        """Queue a job. Never waits."""
        with self._changed:
            self._jobs.append(job)
            self._urgent += job.urgent
            self._bytes += job.size
            if len(self._jobs) == 1 or self._is_due():
                self._changed.notify()

    def reconnect(self, source: Source) -> None:
        """Open the journal by `source` from the next batch on."""
        with self._changed:
            self._switch_to = source

    def stop(self) -> None:
        """Let the thread end after what is queued. Never waits."""
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
            self._give_up()
            self._disconnect()

    def _take(self) -> list[Job]:
        """Return the next batch; an empty one when it is time to try again, or all is done."""
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

    def _retry(self) -> None:
        """Try the kept jobs together, so that they become durable in their order or not at all."""
        self._retry_at = time.monotonic() + RETRY_SECONDS
        if self._commit(self._kept) is None:
            jobs, self._kept = self._kept, []
            for job in jobs:
                job.error = None
            self._stalled(None)
            self._deliver(jobs)

    def _give_up(self) -> None:
        if self._kept:
            self._retry()
        for job in self._kept:
            job.error = job.error or self._fault
        self._deliver(self._kept)

    def _commit(self, jobs: Sequence[Job]) -> Exception | None:
        """Run the jobs in one transaction; on an error nothing of it stays."""
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
        """Return the connection. Raises what `connect` does, and tries again only after a pause."""
        if self._connection is not None:
            if self._source.is_current():
                return self._connection
            self._disconnect()
        if self._fault is None or time.monotonic() >= self._retry_at:
            self._retry_at = time.monotonic() + RETRY_SECONDS
            self._fault = None
            try:
                self._connection = self._source.connect()
            except Exception as error:
                self._fault = error
        if self._connection is None:
            assert self._fault is not None
            raise self._fault
        return self._connection

    def _disconnect(self) -> None:
        connection, self._connection, self._fault = self._connection, None, None
        try:
            if connection is not None:
                self._source.disconnect(connection)
        except sqlite3.Error:
            log.exception("the journal did not close cleanly; its write-ahead log is read at the next start")


def _may_pass(error: Exception) -> bool:
    """Return whether the disk, not the job, is the cause, so that trying again makes sense."""
    return isinstance(error, sqlite3.Error | OSError)
