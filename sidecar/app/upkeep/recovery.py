"""Recover from a crash before the first answer to a client. Requires the root's lock."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import cast, get_args

from sidecar.api.errors import SidecarError
from sidecar.api.runs.async_tasks import AsyncTask, EndReason
from sidecar.app.outbound.reminders import Reminders
from sidecar.storage.layout import OwnRoot
from sidecar.storage.task_folder import sweep_staging
from sidecar.subagents.fold import RunFold
from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.runners.process.marker import sweep
from sidecar.subagents.runs.registry.registry import RunRegistry
from sidecar.subagents.runs.run import end_event, with_outcome
from sidecar.subagents.tasks.outcome import LOST, LOST_IN_QUEUE, Outcome
from sidecar.subagents.transcript.transcript import STORED_OUTCOMES, Transcript

logger = logging.getLogger(__name__)

SWEEP_SECONDS = 5.0
RETRY_SECONDS = 2.0
"""The delay before an incomplete recovery is tried again."""
_PAGE_EVENTS = 1000
_USUAL_REASONS: Mapping[str, EndReason] = {
    "completed": "goal",
    "failed": "error",
    "cancelled": "cancelledByUser",
}
"""Replaces an end reason that only another version knows."""


class Recovery:
    """Mark unfinished runs as lost, restore undelivered results, and finish stored tasks.

    A run that cannot be recovered is logged and left unchanged. It does not prevent the recovery of others.
    """

    def __init__(
        self,
        root: OwnRoot,
        journal: Journal,
        reminders: Reminders,
        now: Callable[[], int],
        registry: RunRegistry,
    ) -> None:
        self._root = root
        self._registry = registry
        self._journal = journal
        self._reminders = reminders
        self._now = now
        self._lost_ids: frozenset[str] | None = None
        """The runs that an earlier process left; None until the journal can be read."""
        self._restored: set[str] = set()
        self._has_restored = False
        self._has_deliveries = False
        self._is_complete = True
        self._follows_clusters = True
        self.found: list[RunRecord] = []
        """The runs that may still work on a cluster, after `run`."""

    async def run(self, *, after_kill: bool) -> bool:
        """Recover once; return False if the journal could not be read or written and `again` is needed.

        `after_kill` stops all processes of runs, even of ended ones: a run ends before its processes exit.
        """
        self._is_complete = True
        await self._attempt(lambda: asyncio.to_thread(sweep_staging, self._root))
        if after_kill:
            await self._attempt(self._sweep_processes)
        await self._attempt(self._close_unreadable)
        await self._attempt(self._end_lost)
        await self._attempt(self._finish_transcripts)
        await self._attempt(self._restore_pending)
        await self._attempt(self._restore_deliveries)
        return self._is_complete

    async def show_lost(self) -> None:
        """Show unfinished runs as lost without recording it, because a newer version wrote the journal."""
        self._follows_clusters = False
        for record in await self._lost():
            fold, outcome = await _read(record, self._journal)
            self._registry.show_lost(_ended(record, outcome, fold))

    async def again(self) -> list[str]:
        """Retry until everything is recovered; return the IDs of the runs that ended meanwhile."""
        while True:
            await asyncio.sleep(RETRY_SECONDS)
            if await self.run(after_kill=False):
                return [*(self._lost_ids or ())]

    async def _attempt(self, step: Callable[[], Awaitable[None]]) -> None:
        try:
            await step()
        except (SidecarError, OSError) as error:
            self._is_complete = False
            logger.error("after a crash: %s", error)
        except Exception:
            logger.exception("after a crash, a step failed")

    async def _sweep_processes(self) -> None:
        unfinished = await self._journal.unfinished()
        # This machine may be the node of a run that continues.
        elsewhere = {record.task.id for record in unfinished if _is_elsewhere(record)}
        report = await asyncio.to_thread(sweep, await self._journal.ids() - elsewhere, SWEEP_SECONDS)
        if report.survivors:
            logger.warning("processes of earlier runs that cannot be stopped: %s", report.survivors)

    async def _close_unreadable(self) -> None:
        """End the runs of unreadable rows, so that none counts as running forever."""
        task_ids = await self._journal.unreadable()
        if task_ids:
            logger.error("records of runs that cannot be read: %s", ", ".join(task_ids))
            event = {"type": "state", "status": "failed", "endReason": "error", "ts": self._now()}
            await self._journal.close_unreadable(task_ids, event)

    async def _lost(self) -> list[RunRecord]:
        """Return the unfinished runs from before this process started. Later ones are its own."""
        records = await self._journal.unfinished()
        if self._follows_clusters:
            self.found = [record for record in records if _is_elsewhere(record)]
            records = [record for record in records if not _is_elsewhere(record)]
        if self._lost_ids is None:
            self._lost_ids = frozenset(record.task.id for record in records)
        return [record for record in records if record.task.id in self._lost_ids]

    async def _end_lost(self) -> None:
        for record in await self._lost():
            try:
                await self._end(record)
            except SidecarError as error:
                self._is_complete = False
                logger.error("run %s: %s", record.task.id, error)
            except Exception:
                logger.exception("run %s could not be recovered", record.task.id)

    async def _end(self, record: RunRecord) -> None:
        """Record the end that the events of a run show; without one, record the run as lost."""
        task = record.task
        fold, outcome = await _read(record, self._journal)
        ended = _ended(record, outcome, fold)
        self._registry.show_lost(ended)  # before it is written, in case the disk is full
        if outcome is None:
            seq = await self._journal.last_seq(task.id) + 1
            stamp = {"seq": seq, "ts": max(self._now(), ended.task.completed_at or 0)}
            await self._journal.end_now(ended, {**end_event(ended.task, None), **stamp})
        else:
            await self._journal.save_end(ended)  # earlier versions wrote the event first

    async def _finish_transcripts(self) -> None:
        for record in await self._journal.unfinished_transcripts():
            try:
                await self._finish_transcript(record)
            except SidecarError as error:  # the next start tries again
                logger.error("run %s: %s", record.task.id, error.message)

    async def _finish_transcript(self, record: RunRecord) -> None:
        task = record.task
        if task.launched_at is not None:
            fold, _ = await _read(record, self._journal)
            await Transcript.recover(
                self._root.path,
                task.id,
                STORED_OUTCOMES[task.status],
                task.error,
                at=task.completed_at or task.launched_at,
                final_message=(task.output or {}).get("final_message"),
                changes=fold.changes.files(),
            )
        await self._journal.transcript_finished(task.id)
        self._registry.transcript_written(task.id)

    async def _restore_pending(self) -> None:
        undelivered = await self._journal.undelivered()
        if unconcerned := [record.task.id for record in undelivered if not record.concerns_model]:
            # Earlier versions kept every end for the model.
            await self._journal.mark_notified(unconcerned, self._now())
        for record in undelivered:
            if not record.concerns_model:
                continue
            if record.task.id in self._restored or (self._has_restored and not record.restored):
                continue  # a run of this process, or already restored
            self._restored.add(record.task.id)
            try:
                self._reminders.restore(record)
            except ValueError as error:
                logger.error("run %s is not reported again: %s", record.task.id, error)
        self._has_restored = True

    async def _restore_deliveries(self) -> None:
        if not self._has_deliveries:
            await self._reminders.restore_deliveries()
            self._has_deliveries = True


def _ended(record: RunRecord, outcome: Outcome | None, fold: RunFold) -> RunRecord:
    """Return the record with the outcome that its events show, else as lost."""
    task = record.task
    task.progress, task.changes = fold.progress(), fold.changes.result()
    record.restored = True
    outcome = outcome or (LOST_IN_QUEUE if task.launched_at is None else LOST)
    return with_outcome(record, outcome, fold, fold.last_activity_at or _began_at(task))


async def _read(record: RunRecord, journal: Journal) -> tuple[RunFold, Outcome | None]:
    task, seq = record.task, 0
    fold, outcome = RunFold(task.launched_at or task.queued_at or 0, task.workspace_dir), None
    while True:
        page = await journal.read_events(task.id, seq, _PAGE_EVENTS)
        for event in page.events:
            outcome = _outcome_in(event, fold) or outcome
            fold.take(event)
        if not page.more:
            return fold, outcome
        seq = page.last_seq


def _outcome_in(event: dict[str, object], fold: RunFold) -> Outcome | None:
    """Return the end in a state event, with the output of the run up to it."""
    status, reason = event.get("status"), event.get("endReason")
    if event["type"] != "state" or not isinstance(status, str) or status not in STORED_OUTCOMES:
        return None
    partial = fold.partial()
    produced = {"terminate_reason": "GOAL", "emitted_vars": partial.emitted_vars}
    if partial.final_message is not None:
        produced["final_message"] = partial.final_message
    error = "The run failed; the sidecar was killed before it recorded why." if status == "failed" else None
    known = reason if reason in get_args(EndReason) else _USUAL_REASONS[status]
    return Outcome(
        STORED_OUTCOMES[status],
        cast(EndReason, known),
        error,
        output=produced if status == "completed" else None,
    )


def _is_elsewhere(record: RunRecord) -> bool:
    """Return whether a cluster was asked to start the run, so that it may still work there."""
    return record.remote is not None and bool(record.remote.get("isGoing"))


def _began_at(task: AsyncTask) -> int:
    return task.launched_at or task.queued_at or 0
