"""The thread that owns the journal's connection: takes jobs in order, commits them together."""

import asyncio
import itertools
import logging
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

BATCH_SECONDS = 0.04
"""How long jobs that nobody waits for may gather before they are committed."""
BATCH_JOBS = 500
BATCH_BYTES = 1 << 20

log = logging.getLogger(__name__)


@dataclass(eq=False, slots=True)
class Job:
    """One piece of work on the connection and, once served, its value or its error.

    `urgent` jobs have somebody waiting. Once a job of a `chain` has failed, the later ones of that chain
    fail with it, so that what is stored of a chain has no gap.
    """

    run: Callable[[sqlite3.Connection], Any]
    writes: bool
    urgent: bool
    size: int = 0
    chain: str | None = None
    done: asyncio.Future[Any] | None = None
    """Whoever waits in the loop; the thread does not touch it."""
    value: Any = None
    error: Exception | None = None


class JournalWorker:
    """Serves jobs in the order they came; consecutive writes share a commit.

    `deliver` is called in the thread with jobs that were served, `ended` when there will be no more. If
    `connect` fails, every job fails with its error. How much may be queued is the caller's to bound. A job
    that fails does not fail its neighbours: they are tried again one by one.
    """

    def __init__(
        self,
        connect: Callable[[], sqlite3.Connection],
        deliver: Callable[[Sequence[Job]], None],
        ended: Callable[[], None],
    ) -> None:
        self._connect = connect
        self._deliver = deliver
        self._ended = ended
        self._jobs: deque[Job] = deque()
        self._urgent = 0
        self._bytes = 0
        self._closing = False
        self._changed = threading.Condition()
        self._broken: dict[str, Exception] = {}
        self._thread = threading.Thread(target=self._main, name="journal", daemon=True)

    def start(self) -> None:
        """Begin; whoever calls this sees to `stop` and `join`."""
        self._thread.start()

    def put(self, job: Job) -> None:
        """Queue a job. Never waits."""
        with self._changed:
            self._jobs.append(job)
            self._urgent += job.urgent
            self._bytes += job.size
            if len(self._jobs) == 1 or self._is_due():
                self._changed.notify()

    def stop(self) -> None:
        """Let the thread end after what is queued. Never waits."""
        with self._changed:
            self._closing = True
            self._changed.notify()

    def join(self, limit: float) -> bool:
        """Wait up to `limit` seconds for the thread; tell whether it ended."""
        self._thread.join(limit)
        return not self._thread.is_alive()

    def _main(self) -> None:
        try:
            self._open_and_serve()
        finally:
            self._ended()

    def _open_and_serve(self) -> None:
        try:
            connection = self._connect()
        except Exception as error:
            self._refuse(error)
            return
        try:
            while batch := self._take():
                self._serve(connection, batch)
        finally:
            _close(connection)

    def _refuse(self, error: Exception) -> None:
        while batch := self._take():
            for job in batch:
                job.error = error
            self._deliver(batch)

    def _serve(self, connection: sqlite3.Connection, batch: Iterable[Job]) -> None:
        for writes, group in itertools.groupby(batch, key=lambda job: job.writes):
            jobs = list(group)
            (self._write if writes else self._read)(connection, jobs)
            self._deliver(jobs)

    def _take(self) -> list[Job]:
        """Return the next batch, empty when all is done."""
        with self._changed:
            self._changed.wait_for(lambda: self._jobs or self._closing)
            self._changed.wait_for(self._is_due, timeout=BATCH_SECONDS)
            batch = [self._jobs.popleft() for _ in range(min(len(self._jobs), 2 * BATCH_JOBS))]
            self._urgent -= sum(job.urgent for job in batch)
            self._bytes -= sum(job.size for job in batch)
            return batch

    def _is_due(self) -> bool:
        return (
            self._urgent > 0 or self._closing or len(self._jobs) >= BATCH_JOBS or self._bytes >= BATCH_BYTES
        )

    def _read(self, connection: sqlite3.Connection, jobs: Iterable[Job]) -> None:
        for job in jobs:
            try:
                job.value = job.run(connection)
            except Exception as error:
                job.error = error

    def _write(self, connection: sqlite3.Connection, jobs: Sequence[Job]) -> None:
        sound = [job for job in jobs if not self._breaks_chain(job)]
        error = _commit(connection, sound)
        if error is None:
            return
        if len(sound) > 1:
            for job in sound:
                self._write(connection, [job])
            return
        sound[0].error = error
        if sound[0].chain is not None:
            self._broken[sound[0].chain] = error

    def _breaks_chain(self, job: Job) -> bool:
        if job.chain is None or job.chain not in self._broken:
            return False
        job.error = self._broken[job.chain]
        return True


def _commit(connection: sqlite3.Connection, jobs: Sequence[Job]) -> Exception | None:
    """Run the jobs in one transaction; on an error nothing of it stays."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        for job in jobs:
            job.value = job.run(connection)
        connection.execute("COMMIT")
    except Exception as error:
        if connection.in_transaction:
            connection.rollback()
        return error
    return None


def _close(connection: sqlite3.Connection) -> None:
    try:
        connection.close()
    except sqlite3.Error:
        log.exception("the journal did not close cleanly; its write-ahead log is read at the next start")
