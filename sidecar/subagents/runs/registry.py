"""Every run of one Host: the live ones in memory, all of them in the journal."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

import msgspec

from sidecar.api.async_tasks import AsyncStatus, AsyncTask
from sidecar.api.errors import AmbiguousTaskId, StorageError, TaskNotFound
from sidecar.api.tasks import TaskStatus
from sidecar.subagents.journal.event_log import EventLog
from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.runs.run import Run, display_name, end_event
from sidecar.subagents.tasks.outcome import Outcome
from sidecar.subagents.tasks.signals import Signal

logger = logging.getLogger(__name__)

FOREIGN_POLL_SECONDS = 0.25
"""How often a run of the process that owns the root is read again: it cannot notify us of its end."""
TRANSCRIPT_SECONDS = 1.0
"""How long after an end its transcript is made durable, since nobody waits for that, and between attempts."""
ENDS_KEPT = 1_000
"""The newest ends that are kept in memory, for answers that are being put together as a run ends."""
_STORED: Mapping[str, TaskStatus] = {"completed": "completed", "failed": "failed", "cancelled": "abandoned"}
"""What a stored task's status is for the status that its run ended with."""
_CANDIDATES = 20
"""How many tasks an ambiguous prefix names, so that the answer stays readable."""


class RunRegistry:
    """Keep the records of runs: durable before anyone is notified, ended once.

    `on_change` is called in the event loop with every task whose state changed, after the journal has it.
    `ended` signals each run that has ended, before that.
    """

    def __init__(
        self,
        journal: Journal,
        events: EventLog,
        now: Callable[[], int],
        on_change: Callable[[AsyncTask], None],
    ) -> None:
        self.ended: Signal[Run] = Signal()
        self._journal = journal
        self._events = events
        self._now = now
        self._on_change = on_change
        self._live: dict[str, Run] = {}
        self._ended: dict[str, RunRecord] = {}
        self._unwritten: dict[str, TaskStatus] = {}
        self._work: set[asyncio.Task[None]] = set()
        self._is_closing = asyncio.Event()

    async def add(self, record: RunRecord) -> Run:
        """Take up a new run; when this returns its id may be given out. Raises StorageError."""
        await self._journal.save(record)
        run = self._live[record.task.id] = Run(record)
        run.unwatch = self._events.watch(run.id, run.take)
        await self._log_state(run)
        self._notify(record)
        return run

    async def start(self, run: Run) -> None:
        """Record that a queued run runs from now on, unless it has ended; waits while the disk is full."""
        if run.outcome is not None:
            return
        task = run.record.task
        started = msgspec.structs.replace(
            task, status="running", launched_at=max(self._now(), task.queued_at or 0), queue_position=None
        )
        record = msgspec.structs.replace(run.record, task=started)
        await self._journal.save(record, keep=True)
        if run.outcome is None:
            run.record = record
            await self._log_state(run)
            self._notify(record)

    def remember(self, run: Run) -> None:
        """Save what the journal keeps of a run besides its state; nobody is notified."""
        if run.outcome is None:
            self._journal.save_soon(run.refreshed())

    def show(self, run: Run) -> None:
        """Notify of a change that other processes should see too, which read the journal."""
        self.remember(run)
        self.touch(run)

    def show_session(self, run: Run) -> None:
        """Notify of the mode and the model that a run's session has now, and log them."""
        self.show(run)
        task = run.record.task
        event = {"type": "state", "status": task.status, "mode": task.mode, "model": task.model}
        known = {name: value for name, value in event.items() if value is not None}
        self._spawn(self.emit(run, known), f"session of {run.id}")

    def touch(self, run: Run) -> None:
        """Notify of a change that needs no memory, such as a new place in the queue."""
        if run.outcome is None:
            self._notify(run.record)

    def show_attention(self, record: RunRecord) -> None:
        """Notify of a permission request of a live run that was opened or answered."""
        run = self.live(record.task.id)
        if run is not None:
            self.show(run)

    def show_place(self, record: RunRecord) -> None:
        """Notify of the place in the queue that a launch has now."""
        run = self.live(record.task.id)
        if run is not None:
            run.record.task.queue_position = record.task.queue_position
            self.touch(run)

    def live(self, task_id: str) -> Run | None:
        """Return a run that has not ended, or whose end is not durable yet."""
        return self._live.get(task_id)

    def with_status(self, status: AsyncStatus) -> list[Run]:
        """Return the live runs in this state, oldest first."""
        return [run for run in self._live.values() if run.record.task.status == status]

    async def emit(self, run: Run, event: dict[str, Any]) -> None:
        """Log one event of a live run; what comes after the end is dropped, but for the tokens used."""
        if run.accepts(event):
            await self._events.append(run.id, event)

    async def add_late_usage(self, run: Run) -> None:
        """Record the tokens and the cost that an agent reported only after its run had ended."""
        progress = run.snapshot().progress
        before = run.record.task.progress
        late = msgspec.structs.replace(
            before,
            input_tokens=progress.input_tokens,
            output_tokens=progress.output_tokens,
            cache_reads=progress.cache_reads,
            cache_writes=progress.cache_writes,
            cost=progress.cost,
        )
        if late != before and run.recorded.done():
            run.record.task.progress = late
            await self._journal.save(run.record)
            self._notify(run.record)

    def conclude(self, task_id: str, outcome: Outcome) -> bool:
        """End a live run and stop what executes it; the first end wins. `recorded` waits for the journal."""
        run = self._live.get(task_id)
        if run is None or not run.conclude(outcome):
            return False
        self._spawn(self._record_end(run, outcome), f"end of {task_id}")
        return True

    async def settled(self, task_id: str) -> None:
        """Wait until a run has ended and its end is durable; at once for one that has."""
        run = self._live.get(task_id)
        if run is not None:
            await asyncio.shield(run.recorded)
        while await self._is_foreign(task_id):  # noqa: ASYNC110 (there is no event)
            await asyncio.sleep(FOREIGN_POLL_SECONDS)

    async def recorded(self, task_id: str) -> None:
        """Wait as `settled` does, but raise StorageError as soon as the journal cannot be written."""
        run = self._live.get(task_id)
        if run is None or run.recorded.done():
            return
        stalled = asyncio.create_task(self._journal.stalled())
        waits: set[asyncio.Future[Any]] = {run.recorded, stalled}
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            if not run.recorded.done():
                raise stalled.result()
        finally:
            stalled.cancel()

    async def is_live(self, task_id: str) -> bool:
        """Return whether events of a run may still come, from here or from the process that owns the root.

        So they may of a run that its owner left, until its end is written.
        """
        if task_id in self._live or self._events.is_over(task_id):
            return task_id in self._live
        record = await self._journal.get(task_id)
        return record is not None and record.task.completed_at is None

    async def _is_foreign(self, task_id: str) -> bool:
        """Return whether a run runs in another process, or was left by one and is not shown as lost yet."""
        if task_id in self._live:
            return False
        record = await self.find(task_id)
        return record is not None and record.task.completed_at is None

    async def find(self, task_id: str) -> RunRecord | None:
        """Return the record of the run with exactly this id."""
        run = self._live.get(task_id)
        if run is not None:
            return run.record
        kept = await self._journal.get(task_id)
        return kept if kept is None else self._newest(kept)

    async def resolve(self, prefix: str) -> RunRecord:
        """Return the run with this id, else the one run whose id starts so.

        Raises TaskNotFound and AmbiguousTaskId.
        """
        exact = await self.find(prefix)
        if exact is not None:
            return exact
        found = await self._journal.by_prefix(prefix, _CANDIDATES) if prefix else []
        if len(found) == 1:
            return self._newest(found[0])
        if not found:
            raise TaskNotFound(f"no async task has the id or prefix {prefix!r}", taskId=prefix)
        candidates = [{"id": each.task.id, "label": display_name(each.task)} for each in found]
        raise AmbiguousTaskId(
            f"several async tasks start with {prefix!r}; give more of the id",
            taskId=prefix,
            candidates=candidates,
        )

    def current(self, record: RunRecord) -> AsyncTask:
        """Return a snapshot of a run's newest state, from any copy of its record."""
        run = self._live.get(record.task.id)
        return run.snapshot() if run is not None else msgspec.structs.replace(self._newest(record).task)

    def show_lost(self, ended: RunRecord) -> None:
        """Show a run that a crash left, or whose journal is gone, as ended, though no disk has its end yet.

        Nothing can take that back: the next start would find the same.
        """
        task = ended.task
        self._ended[task.id] = ended
        self._journal.show(task.id, task.status)
        if task.launched_at is not None:
            self._unwritten[task.id] = _STORED[task.status]

    def transcript_written(self, task_id: str) -> None:
        """Note that the stored task of a lost run shows its end."""
        self._unwritten.pop(task_id, None)

    def unwritten_ends(self) -> Mapping[str, TaskStatus]:
        """Return how lost runs ended whose stored tasks do not show it yet. For any thread."""
        return self._unwritten.copy()

    def _notify(self, record: RunRecord) -> None:
        self._on_change(self.current(record))

    def _newest(self, kept: RunRecord) -> RunRecord:
        """Return the end of a run that was read from the journal just before it ended."""
        return self._ended.get(kept.task.id, kept) if kept.task.completed_at is None else kept

    def _remember_end(self, ended: RunRecord) -> None:
        self._ended[ended.task.id] = ended
        if len(self._ended) > ENDS_KEPT:
            del self._ended[next(iter(self._ended))]

    def abandon(self, outcome: Outcome) -> None:
        """Stop every live run and report its end without recording it: the journal is not ours any more."""
        abandoned = tuple(self._live.values())
        self._live.clear()
        for run in abandoned:
            run.conclude(outcome)
            run.unwatch()
            run.record = ended = run.ended_record(self._now())
            self.show_lost(ended)
            self._events.end_unrecorded(run.id, end_event(ended.task, None))
            self.ended.emit(run)
            if not run.recorded.done():
                run.recorded.set_result(None)
            self._notify(ended)

    async def aclose(self, limit: float) -> None:
        """Wait, `limit` seconds at most, until every end is durable."""
        self._is_closing.set()
        if not self._work:
            return
        stalled = asyncio.create_task(self._journal.stalled())
        done = asyncio.ensure_future(asyncio.wait(set(self._work)))
        waits: set[asyncio.Future[Any]] = {done, stalled}
        try:
            await asyncio.wait(waits, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
        finally:
            done.cancel()
            stalled.cancel()

    async def _record_end(self, run: Run, outcome: Outcome) -> None:
        """Make the end durable, then write it into the transcript, then notify of it."""
        ended = run.ended_record(self._now())
        try:
            await self._events.end(ended, end_event(ended.task, outcome.words))
            run.record = ended  # at once: whoever follows the events has the end already
            await self._finish_transcript(run, ended)
        except StorageError as error:
            # Only when the Host ends: until then the journal tries again.
            logger.error("the end of run %s could not be recorded: %s", run.id, error)
            return
        if self._live.pop(run.id, None) is None:
            return
        self._remember_end(ended)
        run.unwatch()
        self.ended.emit(run)
        self._notify(ended)
        run.recorded.set_result(None)

    async def _finish_transcript(self, run: Run, ended: RunRecord) -> None:
        """Write the end into the stored task; later make that durable, and have the journal note it."""
        if run.executor is None:
            return
        try:
            await run.executor.finish(ended.task)
        except StorageError as error:
            logger.error("%s", error)
        self._spawn(self._sync_transcript(run, ended), f"transcript of {run.id}")

    async def _sync_transcript(self, run: Run, ended: RunRecord) -> None:
        """Retry until the stored task shows the end and is durable; the next start tries again."""
        assert run.executor is not None
        while True:
            is_last_attempt = await self._is_closing_within(TRANSCRIPT_SECONDS)
            try:
                await run.executor.finish(ended.task)
                await run.executor.sync()
            except StorageError as error:
                logger.debug("%s", error)
            else:
                await self._journal.transcript_finished(run.id)
                return
            if is_last_attempt:
                return

    async def _is_closing_within(self, seconds: float) -> bool:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._is_closing.wait()
        return self._is_closing.is_set()

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._work.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._work.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("%s failed: %s", task.get_name(), error)

    async def _log_state(self, run: Run) -> None:
        await self._events.append(run.id, {"type": "state", "status": run.record.task.status})
