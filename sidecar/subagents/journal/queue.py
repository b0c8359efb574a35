"""Pass jobs from the event loop to the journal's thread, within limits and despite a full disk."""

import asyncio
import logging
import sqlite3
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from sidecar.api.errors import StorageError
from sidecar.subagents.journal.journal_file import Source
from sidecar.subagents.journal.schema import storage_error
from sidecar.subagents.journal.worker import Job, JournalWorker

MAX_QUEUED = 10_000
MAX_QUEUED_BYTES = 8 << 20
ROOM_SECONDS = 30.0
"""A disk that makes a caller wait longer than this is assumed to have failed."""

log = logging.getLogger(__name__)

T = TypeVar("T")


class JournalQueue:
    """Pass jobs to the worker thread of one journal and return their results. Use it in the event loop.

    Errors of the disk or SQLite become StorageError. On a full disk, jobs with `keep` wait in the thread.
    """

    def __init__(self, path: Path, source: Source) -> None:
        self._path = path
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._worker = JournalWorker(
            source,
            lambda jobs: self._post(self._settle, jobs),
            lambda error: self._post(self._set_stall, error),
            lambda: self._post(_resolve, self._ended),
        )
        self._waiters: deque[asyncio.Future[None]] = deque()
        self._queued = 0
        self._bytes = 0
        self._stall: StorageError | None = None
        self._has_stalled = asyncio.Event()
        self._closing = False
        self._worker.start()

    @property
    def depth(self) -> int:
        """The number of queued jobs."""
        return self._queued

    @property
    def stall(self) -> StorageError | None:
        """Why jobs wait to be written; None while the disk accepts writes."""
        return self._stall

    async def stalled(self) -> StorageError:
        """Wait until a write fails because of the disk, and return the error."""
        while self._stall is None:
            await self._has_stalled.wait()
        return self._stall

    async def aclose(self, limit: float) -> None:
        """Write queued jobs and close, within `limit` seconds. Idempotent."""
        self._closing = True
        self._worker.stop()
        await asyncio.wait([self._ended], timeout=limit)
        if not self._ended.done() or not self._worker.join(1.0):
            log.error(
                "the journal %s did not close in time: %d requests may be lost", self._path, self._queued
            )

    def reconnect(self, source: Source) -> None:
        """Open the journal with `source` from the next job on."""
        self._worker.reconnect(source)

    async def wait_for_room(self) -> None:
        """Wait until the queue is below its limits, even while the disk is full.

        Raises StorageError if the disk does not keep up.
        """
        while not self._has_room():
            waiter: asyncio.Future[None] = self._loop.create_future()
            self._waiters.append(waiter)
            try:
                async with asyncio.timeout(ROOM_SECONDS):
                    await waiter
            except TimeoutError as error:
                if self._stall is None:
                    raise self.refusal(f"the disk did not keep up for {ROOM_SECONDS:.0f} s") from error

    async def call(self, run: Callable[[sqlite3.Connection], T], *, writes: bool, urgent: bool = True) -> T:
        """Run one job and return its value; fail at once on a full disk."""
        if self._stall is None:
            await self.wait_for_room()
        done: asyncio.Future[T] = self._loop.create_future()
        self.put(Job(run, writes, urgent, done=done))
        return await done

    def keep(
        self, run: Callable[[sqlite3.Connection], object], chain: str, size: int = 0, *, urgent: bool = False
    ) -> "asyncio.Future[Any]":
        """Queue a write that is retried until the disk accepts it, after earlier writes of the same chain.

        The future is done once the write is durable, and fails only if the journal closes first.
        """
        done: asyncio.Future[Any] = self._loop.create_future()
        done.add_done_callback(lambda future: future.cancelled() or future.exception())
        self.put(Job(run, writes=True, urgent=urgent, size=size, chain=chain, keep=True, done=done))
        return done

    def put(self, job: Job) -> None:
        """Queue a job. Raises StorageError once the journal is closed."""
        if self._closing:
            raise self.refusal("it is closed")
        self._queued += 1
        self._bytes += job.size
        self._worker.put(job)

    def refusal(self, reason: str) -> StorageError:
        """Return the error for a call that the journal refuses."""
        return StorageError(f"journal {self._path}: {reason}", path=str(self._path), reason=reason)

    def _has_room(self) -> bool:
        return self._queued < MAX_QUEUED and self._bytes < MAX_QUEUED_BYTES

    def _set_stall(self, error: Exception | None) -> None:
        self._stall = None if error is None else storage_error(self._path, error)
        if self._stall is None:
            self._has_stalled.clear()
            log.warning("journal %s: the disk accepts writes again, and nothing is lost", self._path)
        else:
            self._has_stalled.set()
            log.error("%s; runs continue, and are written to the journal when possible", self._stall.message)

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
        if job.error is not None and job.writes:
            log.error("a write to the journal failed: %s", job.error)
        if job.done is None or job.done.done():
            return
        if job.error is None:
            job.done.set_result(job.value)
        else:
            job.done.set_exception(self._described(job.error))

    def _described(self, error: Exception) -> Exception:
        if isinstance(error, sqlite3.Error | OSError | ValueError):
            return storage_error(self._path, error)
        return error

    def _post(self, call: Callable[..., None], *values: object) -> None:
        try:
            self._loop.call_soon_threadsafe(call, *values)
        except RuntimeError:
            log.warning("the journal's loop ended before the journal was closed")


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
