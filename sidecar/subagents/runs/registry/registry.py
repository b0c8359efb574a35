"""Every run of one Host: the live ones in memory, all of them in the journal."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

import msgspec

from sidecar.api.errors import StorageError
from sidecar.api.runs.async_tasks import AsyncTask, Changes
from sidecar.api.stored.tasks import TaskStatus
from sidecar.subagents.journal.event_log import EventLog
from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.runs.registry.background_work import BackgroundWork
from sidecar.subagents.runs.registry.directory import RunDirectory
from sidecar.subagents.runs.registry.transcripts import TranscriptFinisher
from sidecar.subagents.runs.run import Run, end_event
from sidecar.subagents.tasks.outcome import Outcome
from sidecar.subagents.tasks.signals import Signal

logger = logging.getLogger(__name__)


class RunRegistry(RunDirectory):
    """Record runs: make each change durable before anyone is notified, and end each run once.

    `on_change` is called in the event loop with every task whose state changed, after the journal has it.
    `concluded` signals each run that has an outcome, and `ended` each run whose end is durable, before that.
    """

    def __init__(
        self,
        journal: Journal,
        events: EventLog,
        now: Callable[[], int],
        on_change: Callable[[AsyncTask], None],
    ) -> None:
        super().__init__(journal, events)
        self.concluded: Signal[Run] = Signal()
        self.ended: Signal[Run] = Signal()
        self._now = now
        self._on_change = on_change
        self._work = BackgroundWork(journal)
        self._transcripts = TranscriptFinisher(journal, self._work)

    async def add(self, record: RunRecord) -> Run:
        """Add a new run; its ID may be given out when this returns. Raises StorageError."""
        await self._journal.save(record)
        run = self._live[record.task.id] = Run(record)
        run.unwatch = self._events.watch(run.id, run.take)
        await self._log_state(run)
        self._notify(record)
        return run

    def adopt(self, record: RunRecord) -> Run:
        """Continue a run that an earlier process left. `watch` it once its recorded events are read."""
        record.task.attention = None
        run = self._live[record.task.id] = Run(record)
        return run

    def watch(self, run: Run) -> None:
        """Add later events of a run to its fold, and notify of it."""
        run.unwatch = self._events.watch(run.id, run.take)
        self._notify(run.record)

    async def start(self, run: Run) -> None:
        """Record that a queued run starts, unless it has ended. Wait while the disk is full."""
        if run.outcome is not None:
            return
        task = run.record.task
        started = msgspec.structs.replace(
            task,
            status="running",
            launched_at=max(self._now(), task.queued_at or 0),
            queue_position=None,
            waiting=None,
        )
        record = msgspec.structs.replace(run.record, task=started)
        await self._journal.save(record, keep=True)
        if run.outcome is None:
            run.record = record
            await self._log_state(run)
            self._notify(record)

    def remember(self, run: Run) -> None:
        """Save the current record of a live run without notifying clients."""
        if run.outcome is None:
            self._journal.save_soon(run.refreshed())

    async def keep(self, run: Run) -> None:
        """Save the current record of a live run durably. Wait while the disk is full."""
        if run.outcome is None:
            await self._journal.save(run.refreshed(), keep=True)

    def show(self, run: Run) -> None:
        """Save and notify of a change that other processes, which read the journal, should see too."""
        self.remember(run)
        self.touch(run)

    def show_session(self, run: Run) -> None:
        """Notify of a run's session, its mode and its model now, and log them."""
        self.show(run)
        task = run.record.task
        event = {
            "type": "state",
            "status": task.status,
            "mode": task.mode,
            "model": task.model,
            "sessionTaskId": task.session_task_id,
        }
        known = {name: value for name, value in event.items() if value is not None}
        self._work.start(self.emit(run, known), f"session of {run.id}")

    def show_changes(self, run: Run) -> None:
        """Show what git counted of a run on a cluster, even if it comes back after the end."""
        if run.outcome is None:
            self.show(run)
        else:
            self.left_cluster(run)

    def left_cluster(self, run: Run) -> None:
        """Record, once the run has ended, which changes came back and whether nothing of it is left."""
        self._work.start(self._from_cluster(run), f"what came from the cluster of {run.id}")

    def touch(self, run: Run) -> None:
        """Notify of a change that need not be saved, such as a new position in the queue."""
        if run.outcome is None:
            self._notify(run.record)

    def show_attention(self, record: RunRecord) -> None:
        """Notify of a permission request of a live run that was opened or answered."""
        run = self.live(record.task.id)
        if run is not None:
            self.show(run)

    def show_position(self, record: RunRecord) -> None:
        """Notify of the new position of a launch in the queue."""
        run = self.live(record.task.id)
        if run is not None:
            run.record.task.queue_position = record.task.queue_position
            self.touch(run)

    def show_waiting(self, record: RunRecord) -> None:
        """Save and notify of why a launch in the queue waits now."""
        run = self.live(record.task.id)
        if run is not None:
            run.record.task.waiting = record.task.waiting
            self.show(run)

    async def emit(self, run: Run, event: dict[str, Any]) -> None:
        """Log one event of a live run. Drop events after the end, but count their tokens."""
        if run.accepts(event):
            await self._events.append(run.id, event)

    async def add_late_usage(self, run: Run) -> None:
        """Record the tokens and the cost that an agent reported only after its run had ended.

        The same for the changes that came back from a cluster then.
        """
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
        changed = run.counted_changes is not None and not run.record.has_changes
        if (late != before or changed) and run.recorded.done():
            run.record.task.progress = late
            await self.add_from_cluster(run.record, run.counted_changes)

    async def add_usage(self, record: RunRecord, used: Mapping[str, Any]) -> None:
        """Record what an ended run used, which was not known before: members of its progress."""
        newest = self._recent_ends.newest(record)
        newest.task.progress = msgspec.structs.replace(newest.task.progress, **used)
        await self._journal.save_again(newest)
        self._notify(newest)

    def in_background(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Start work that writes to the disk and ends before the registry closes; log its errors."""
        self._work.start(work, name)

    async def add_from_cluster(
        self, record: RunRecord, changes: Changes | None = None, *, has_left: bool = False
    ) -> None:
        """Record what an ended run changed, as git counted it, and that nothing of it is left there."""
        newest = self._recent_ends.newest(record)
        newest.has_left |= has_left
        if changes is not None:
            newest.task.changes, newest.has_changes = changes, True
        await self._journal.save_again(newest)
        self._notify(newest)

    async def _from_cluster(self, run: Run) -> None:
        with contextlib.suppress(StorageError):  # the registry tries again
            await self.recorded(run.id)
        known = (run.record.has_changes, run.record.has_left)
        if run.recorded.done() and (run.counted_changes is not None, run.has_left) != known:
            await self.add_from_cluster(run.record, run.counted_changes, has_left=run.has_left)

    def conclude(self, task_id: str, outcome: Outcome) -> bool:
        """End a live run and stop what executes it; return False if it has ended already.

        Await `recorded` to wait for the journal.
        """
        run = self._live.get(task_id)
        if run is None or not run.conclude(outcome):
            return False
        self.concluded.emit(run)
        self._work.start(self._record_end(run, outcome), f"end of {task_id}")
        return True

    async def recorded(self, task_id: str) -> None:
        """Wait like `settled`, but raise StorageError as soon as the journal cannot be written."""
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

    def show_lost(self, ended: RunRecord) -> None:
        """Show a run as ended before its end is on disk, after a crash or without a journal.

        A crash cannot take that back: the next start finds the same end.
        """
        self._recent_ends.add_lost(ended)
        self._journal.show(ended.task.id, ended.task.status)

    def transcript_written(self, task_id: str) -> None:
        """Note that the stored task of a lost run shows its end."""
        self._recent_ends.transcript_written(task_id)

    def pending_ends(self) -> Mapping[str, TaskStatus]:
        """Return the statuses of lost runs whose stored tasks do not show their ends. For any thread."""
        return self._recent_ends.pending()

    def abandon(self, outcome: Outcome) -> None:
        """Stop every live run and report its end without recording it, after the root was lost."""
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
        """Wait, at most `limit` seconds, until every end is durable."""
        self._transcripts.close()
        await self._work.aclose(limit)

    async def _record_end(self, run: Run, outcome: Outcome) -> None:
        """Make the end durable, then write it into the transcript, then notify of it."""
        ended = run.ended_record(self._now())
        try:
            await self._events.end(ended, end_event(ended.task, outcome.words))
            run.record = ended  # at once: readers of the events already have the end
            await self._transcripts.finish(run, ended)
        except StorageError as error:
            # Only when the Host ends: until then the journal tries again.
            logger.error("the end of run %s could not be recorded: %s", run.id, error)
            return
        if self._live.pop(run.id, None) is None:
            return
        self._recent_ends.add(ended)
        run.release()
        self.ended.emit(run)
        self._notify(ended)
        run.recorded.set_result(None)

    async def _log_state(self, run: Run) -> None:
        await self._events.append(run.id, {"type": "state", "status": run.record.task.status})

    def _notify(self, record: RunRecord) -> None:
        self._on_change(self.current(record))
