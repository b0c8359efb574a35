"""Long-lived worker processes that read many or large tasks.

Parsing holds the interpreter's lock, so in a thread of the sidecar it would delay every answer. If a worker
dies or hangs on a task, only the row of that task is lost.
"""

import contextlib
import logging
import subprocess
import sys
import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import Final

import msgspec

from sidecar.api.stored.tasks import Rules
from sidecar.history.catalog.root_catalog import read_sequentially
from sidecar.history.catalog.worker import READY, Answer, Batch, receive_frame, send_frame
from sidecar.history.stores.contract import Keys, Store
from sidecar.history.stores.index_row import ReadRows

_log = logging.getLogger(__name__)

WORKERS: Final = 2
BATCH_SECONDS: Final = 30.0
"""How long a batch may take: a hundred times as long as the largest known files."""
START_SECONDS: Final = 30.0
MS_PER_TASK: Final = 0.06
MS_PER_MB: Final = 1.5
"""The time of reading on a slow machine; it decides whether to use a worker."""
_SAMPLE: Final = 64
_BOOT: Final = (
    "import sys; sys.path[:] = sys.argv[1:]; from sidecar.history.catalog.worker import main; main()"
)
"""Start with the parent's `sys.path`, without the working directory, whose modules are not trusted."""


class WorkerFailed(Exception):
    """A worker died or was killed because it took too long."""


class Worker:
    """One process, started with the first batch and again after a failure. Not thread-safe."""

    def __init__(self, command: list[str] | None = None) -> None:
        self._command = command or [sys.executable, "-P", "-c", _BOOT, *sys.path]
        self._process: subprocess.Popen[bytes] | None = None
        self._decoder = msgspec.msgpack.Decoder(Answer)
        self._ended = False
        self.used_at = time.monotonic()

    @property
    def pid(self) -> int | None:
        """Return the ID of the process, if it runs."""
        return self._process.pid if self._process is not None else None

    def start(self) -> "subprocess.Popen[bytes]":
        """Start the process unless it runs, and return it. Raises WorkerFailed if it does not start."""
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.close(0)
        try:
            process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # nobody reads it, and a full pipe would block the worker
            )
        except OSError as error:
            raise WorkerFailed(f"cannot be started: {error}") from None
        self._process = process
        # Checked after `_process` is set, so `end` either finds the process or is noticed here.
        if self._ended or self._receive(process, START_SECONDS) != READY:
            self.close(0)
            raise WorkerFailed("does not start")
        return process

    def read(self, batch: Batch, seconds: float) -> Answer:
        """Read a batch. Raises WorkerFailed if the process dies or takes longer than `seconds`."""
        process = self.start()
        assert process.stdin is not None
        try:
            send_frame(process.stdin, msgspec.msgpack.encode(batch))
        except (OSError, ValueError):  # it ended, or `end` closed its input
            self.close(0)
            raise WorkerFailed("is gone") from None
        answer = self._receive(process, seconds)
        self.used_at = time.monotonic()
        return self._decoder.decode(answer)

    def end(self) -> None:
        """End the process permanently, from any thread, also during a batch."""
        self._ended = True
        self.close(0.2)

    def close(self, seconds: float = 0.5) -> None:
        """End the process: close its input, wait up to `seconds`, then kill it."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None and process.stdout is not None
        with contextlib.suppress(OSError):
            process.stdin.close()
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()

    def _receive(self, process: "subprocess.Popen[bytes]", seconds: float) -> bytes:
        assert process.stdout is not None
        # Not every platform reads a pipe with a time limit; killing the process ends the read.
        timer = threading.Timer(seconds, process.kill)
        timer.start()
        try:
            return receive_frame(process.stdout)
        except (EOFError, OSError, ValueError):  # it ended, or `end` closed its output
            self.close(0)
            raise WorkerFailed("died or took too long") from None
        finally:
            timer.cancel()
            timer.join()


@dataclass(slots=True)
class _Work:
    """The batches of one call, shared by the threads that serve them."""

    store: Store
    rules: Rules
    now: int
    batches: deque[list[str]]
    rows: ReadRows

    def next(self) -> list[str] | None:
        """Return the next batch, None when all are taken."""
        try:
            return self.batches.popleft()
        except IndexError:
            return None


class WorkerPool:
    """Read tasks for catalogs. Any thread may call `read`; `close` ends the processes in bounded time.

    Work estimated at up to `worth_ms` is done in the caller's thread.
    """

    def __init__(
        self,
        workers: int = WORKERS,
        worth_ms: float = 5.0,
        batch_seconds: float = BATCH_SECONDS,
        command: list[str] | None = None,
    ) -> None:
        self._workers = [Worker(command) for _ in range(workers)]
        self._worth_ms = worth_ms
        self._batch_seconds = batch_seconds
        self._lock = threading.Lock()
        self._closed = False

    @property
    def pids(self) -> list[int]:
        """Return the IDs of the running processes."""
        return [pid for worker in self._workers if (pid := worker.pid) is not None]

    def read(self, store: Store, names: list[str], rules: Rules, now: int) -> ReadRows:
        """Read tasks; a task that ends every worker gets a row with a problem."""
        if estimate_ms(store, names) <= self._worth_ms:
            return read_sequentially(store, names, rules, now)
        with self._lock:
            if self._closed:
                return read_sequentially(store, names, rules, now)
            work = _Work(store, rules, now, _batches(names), {})
            threads = [threading.Thread(target=self._serve, args=(worker, work)) for worker in self._workers]
            for thread in threads[: len(work.batches)]:
                thread.start()
            for thread in threads:
                if thread.ident is not None:
                    thread.join()
        if self._closed:
            return work.rows
        left = [name for name in names if name not in work.rows]
        return work.rows | read_sequentially(store, left, rules, now)  # no worker was available for these

    def rest(self, idle_seconds: float) -> None:
        """End workers that were idle for longer than `idle_seconds`."""
        if self._lock.acquire(blocking=False):
            try:
                for worker in self._workers:
                    if time.monotonic() - worker.used_at > idle_seconds:
                        worker.close()
            finally:
                self._lock.release()

    def close(self) -> None:
        """End the workers; tasks being read get no rows."""
        self._closed = True
        for worker in self._workers:
            worker.end()

    def _serve(self, worker: Worker, work: _Work) -> None:
        """Read batches with one worker until none is left."""
        root = work.store.root
        try:
            worker.start()
        except WorkerFailed as failure:
            _log.warning("a worker %s; reading tasks without it", failure)
            return
        while (names := work.next()) is not None:
            try:
                batch = Batch(root.path, root.product, work.rules, work.now, names, root.copies)
                answer = worker.read(batch, self._batch_seconds)
            except WorkerFailed as failure:
                if self._closed:
                    return
                self._blame(names, work, failure)
                continue
            for note in answer.notes:
                _log.warning("%s", note)
            for row in answer.rows.values():
                if row is not None:
                    row.root = root.path
            work.rows.update(answer.rows)

    def _blame(self, names: list[str], work: _Work, failure: WorkerFailed) -> None:
        """Find the task that ended a worker: retry several one by one, and report a single one as damaged."""
        if len(names) > 1:
            work.batches.extend([name] for name in names)
            return
        (name,) = names
        _log.error("the worker that read task %s %s; listing the task without its content", name, failure)
        work.rows[name] = work.store.damaged_row(name, work.rules, work.now)


def estimate_ms(store: Store, names: Keys) -> float:
    """Estimate how long reading takes from the sizes of a sample of members."""
    step = max(1, len(names) // _SAMPLE)
    sample = names[::step]
    megabytes = sum(map(store.size, sample)) / 1e6
    return len(names) * MS_PER_TASK + megabytes * MS_PER_MB * len(names) / max(1, len(sample))


def _batches(names: list[str]) -> deque[list[str]]:
    """Divide the work into batches: large enough to limit overhead, small enough to end together."""
    size = min(128, max(1, len(names) // 64))
    return deque(names[start : start + size] for start in range(0, len(names), size))
