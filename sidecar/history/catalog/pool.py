"""Long-lived worker processes that read many tasks, or big ones.

Parsing holds the interpreter's lock: in the threads of a server it would hold up every answer. A worker
that dies or hangs on a task costs that task its row, nothing else.
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

from sidecar.api.tasks import Rules
from sidecar.history.catalog.root_catalog import read_sequentially
from sidecar.history.catalog.worker import READY, Answer, Batch, receive_frame, send_frame
from sidecar.history.stores.contract import Keys, Store
from sidecar.history.stores.index_row import ReadRows

_log = logging.getLogger(__name__)

WORKERS: Final = 2
PATIENCE_SECONDS: Final = 30.0
"""How long a batch may take: a hundred times what the biggest files known take."""
START_SECONDS: Final = 30.0
MS_PER_TASK: Final = 0.06
MS_PER_MB: Final = 1.5
"""What reading costs on a slow machine, which decides whether a worker is worth it."""
_SAMPLE: Final = 64
_BOOT: Final = (
    "import sys; sys.path[:] = sys.argv[1:]; from sidecar.history.catalog.worker import main; main()"
)
"""The parent's path is handed over: the working directory, which may be anybody's, is not on it."""


class WorkerFailed(Exception):
    """A worker died, or was ended because it took too long."""


class Worker:
    """One process, started with the first batch and again after a failure. For one thread at a time."""

    def __init__(self, command: list[str] | None = None) -> None:
        self._command = command or [sys.executable, "-P", "-c", _BOOT, *sys.path]
        self._process: subprocess.Popen[bytes] | None = None
        self._decoder = msgspec.msgpack.Decoder(Answer)
        self._ended = False
        self.used_at = time.monotonic()

    @property
    def pid(self) -> int | None:
        """The process's id while there is one."""
        return self._process.pid if self._process is not None else None

    def start(self) -> "subprocess.Popen[bytes]":
        """Have the process running and return it. Raises WorkerFailed when it does not come up."""
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.close(0)
        try:
            process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # it must never wait for whoever should read it
            )
        except OSError as error:
            raise WorkerFailed(f"cannot be started: {error}") from None
        self._process = process
        # Checked after the process is known: whoever ends the worker either finds it or is seen here.
        if self._ended or self._receive(process, START_SECONDS) != READY:
            self.close(0)
            raise WorkerFailed("does not come up")
        return process

    def read(self, batch: Batch, patience: float) -> Answer:
        """Have a batch read. Raises WorkerFailed when the process dies or takes longer than `patience`."""
        process = self.start()
        assert process.stdin is not None
        try:
            send_frame(process.stdin, msgspec.msgpack.encode(batch))
        except (OSError, ValueError):  # it is gone, or its input was closed to end it
            self.close(0)
            raise WorkerFailed("is gone") from None
        answer = self._receive(process, patience)
        self.used_at = time.monotonic()
        return self._decoder.decode(answer)

    def end(self) -> None:
        """End the process permanently, from any thread, also during a batch."""
        self._ended = True
        self.close(0.2)

    def close(self, patience: float = 0.5) -> None:
        """End the process: ask by the end of its input, then kill."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None and process.stdout is not None
        with contextlib.suppress(OSError):
            process.stdin.close()
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()

    def _receive(self, process: "subprocess.Popen[bytes]", patience: float) -> bytes:
        assert process.stdout is not None
        # A pipe cannot be read with a limit on every platform; the end of the process ends the reading.
        timer = threading.Timer(patience, process.kill)
        timer.start()
        try:
            return receive_frame(process.stdout)
        except (EOFError, OSError, ValueError):  # it ended, or its output was closed to end it
            self.close(0)
            raise WorkerFailed("died or took too long") from None
        finally:
            timer.cancel()
            timer.join()


@dataclass(slots=True)
class _Work:
    """One call's batches, shared by those who read them."""

    store: Store
    rules: Rules
    now: int
    batches: deque[list[str]]
    rows: ReadRows

    def next(self) -> list[str] | None:
        """Take a batch; None when all are taken."""
        try:
            return self.batches.popleft()
        except IndexError:
            return None


class WorkerPool:
    """Reads tasks for catalogs. Any thread may call `read`; `close` ends the processes in bounded time.

    Work below `worth_ms` is done in the caller's thread.
    """

    def __init__(
        self,
        workers: int = WORKERS,
        worth_ms: float = 5.0,
        patience: float = PATIENCE_SECONDS,
        command: list[str] | None = None,
    ) -> None:
        self._workers = [Worker(command) for _ in range(workers)]
        self._worth_ms = worth_ms
        self._patience = patience
        self._lock = threading.Lock()
        self._closed = False

    @property
    def pids(self) -> list[int]:
        """The processes there are."""
        return [pid for worker in self._workers if (pid := worker.pid) is not None]

    def read(self, store: Store, names: list[str], rules: Rules, now: int) -> ReadRows:
        """Read the tasks named; for a task that no worker survives, the row says so."""
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
        return work.rows | read_sequentially(store, left, rules, now)  # what no worker could be had for

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
        """End the workers; what is being read is given up."""
        self._closed = True
        for worker in self._workers:
            worker.end()

    def _serve(self, worker: Worker, work: _Work) -> None:
        """Have batches read by one worker until none is left."""
        root = work.store.root
        try:
            worker.start()
        except WorkerFailed as failure:
            _log.warning("a worker %s; tasks are read without it", failure)
            return
        while (names := work.next()) is not None:
            try:
                answer = worker.read(
                    Batch(root.path, root.product, work.rules, work.now, names), self._patience
                )
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
        """Find the task that ended a worker: of several each is tried alone, by itself it is damaged."""
        if len(names) > 1:
            work.batches.extend([name] for name in names)
            return
        (name,) = names
        _log.error("the worker that read task %s %s; the task is listed without its content", name, failure)
        work.rows[name] = work.store.damaged_row(name, work.rules, work.now)


def estimate_ms(store: Store, names: Keys) -> float:
    """Estimate how long reading takes, by the sizes of some of the members."""
    step = max(1, len(names) // _SAMPLE)
    sample = names[::step]
    megabytes = sum(map(store.size, sample)) / 1e6
    return len(names) * MS_PER_TASK + megabytes * MS_PER_MB * len(names) / max(1, len(sample))


def _batches(names: list[str]) -> deque[list[str]]:
    """Cut the work so that nobody waits long for the last piece and no piece is only overhead."""
    size = min(128, max(1, len(names) // 64))
    return deque(names[start : start + size] for start in range(0, len(names), size))
