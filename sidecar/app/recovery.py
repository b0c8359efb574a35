"""Put in order what a crash left, before the first client is answered. Only under the root's lock."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from sidecar.api.errors import SidecarError
from sidecar.app.reminders import Reminders
from sidecar.storage.layout import OwnRoot
from sidecar.storage.task_folder import sweep_staging
from sidecar.subagents.event_log import EventLog
from sidecar.subagents.fold import RunFold
from sidecar.subagents.journal import Journal
from sidecar.subagents.outcome import LOST, Outcome
from sidecar.subagents.records import RunRecord
from sidecar.subagents.run import end_event, with_outcome
from sidecar.subagents.runners.marker import sweep
from sidecar.subagents.transcript import STORED_OUTCOMES, Transcript

logger = logging.getLogger(__name__)

SWEEP_SECONDS = 5.0
_PAGE_EVENTS = 1000


async def recover(
    root: OwnRoot, journal: Journal, events: EventLog, reminders: Reminders, *, after_kill: bool
) -> None:
    """End the runs that a crash left as lost, keep pending ends pending; after a kill leave no process.

    Processes of every run are swept, because a cancelled run ends before its processes do. What cannot be
    put in order is logged and left as it is: one bad run, or a damaged journal, does not stop the others.
    """
    steps: tuple[Callable[[], Awaitable[None]], ...] = (
        lambda: asyncio.to_thread(sweep_staging, root),
        lambda: _sweep_processes(journal) if after_kill else _nothing(),
        lambda: _close_unreadable(journal),
        lambda: _end_lost(root, journal, events),
        lambda: _finish_transcripts(root, journal),
        lambda: _restore_pending(journal, reminders),
    )
    for step in steps:
        try:
            await step()
        except (SidecarError, OSError) as error:
            logger.error("after a crash: %s", error)


async def _sweep_processes(journal: Journal) -> None:
    report = await asyncio.to_thread(sweep, await journal.ids(), SWEEP_SECONDS)
    if report.survivors:
        logger.warning("processes of earlier runs that cannot be ended: %s", report.survivors)


async def _close_unreadable(journal: Journal) -> None:
    """Let no row that cannot be read count as running: nobody could ever end it."""
    task_ids = await journal.unreadable()
    if task_ids:
        logger.error("records of runs that cannot be read: %s", ", ".join(task_ids))
        await journal.close_unreadable(task_ids)


async def _end_lost(root: OwnRoot, journal: Journal, events: EventLog) -> None:
    for record in await journal.unfinished():
        try:
            await _end(record, journal, events)
        except SidecarError as error:
            logger.error("run %s: %s", record.task.id, error.message)


async def _end(record: RunRecord, journal: Journal, events: EventLog) -> None:
    """End a run as its events tell, else as lost."""
    task = record.task
    fold, outcome = await _read(record, journal)
    at = fold.last_activity_at if fold.last_activity_at else task.launched_at or task.queued_at or 0
    task.progress, task.changes = fold.progress(), fold.changes.result()
    record.restored = True
    ended = with_outcome(record, outcome or LOST, fold, at)
    if outcome is None:
        await events.end(ended, end_event(ended.task, None))
    else:
        await journal.save(ended)  # versions before this one wrote the event first


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
    """Return the end that a state event tells, with what the run had said before it."""
    status, reason = event.get("status"), event.get("endReason")
    if event["type"] != "state" or status not in STORED_OUTCOMES or not isinstance(reason, str):
        return None
    partial = fold.partial()
    produced = {"terminate_reason": "GOAL", "emitted_vars": partial.emitted_vars}
    if partial.final_message is not None:
        produced["final_message"] = partial.final_message
    error = "The run failed; the sidecar was killed before it recorded why." if status == "failed" else None
    return Outcome(status, reason, error, output=produced if status == "completed" else None)  # type: ignore[arg-type]


async def _finish_transcripts(root: OwnRoot, journal: Journal) -> None:
    for record in await journal.unfinished_transcripts():
        task = record.task
        message = (task.output or {}).get("final_message")
        try:
            if task.launched_at is not None:
                fold, _ = await _read(record, journal)
                await Transcript.recover(
                    root.path,
                    task.id,
                    STORED_OUTCOMES[task.status],
                    task.error,
                    at=task.completed_at or task.launched_at,
                    final_message=message,
                    changes=fold.changes.files(),
                )
            await journal.transcript_finished(task.id)
        except SidecarError as error:
            logger.error("run %s: %s", task.id, error.message)


async def _restore_pending(journal: Journal, reminders: Reminders) -> None:
    for record in await journal.undelivered():
        try:
            reminders.restore(record)
        except ValueError as error:
            logger.error("run %s is not reported again: %s", record.task.id, error)


async def _nothing() -> None:
    """Do nothing, in place of a step that is not needed."""
