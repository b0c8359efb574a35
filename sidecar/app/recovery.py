"""What a crash left, put in order before the first client is answered. Only under the root's lock."""

import asyncio
import logging

from sidecar.api.async_tasks import PartialResult
from sidecar.app.reminders import Reminders
from sidecar.storage.layout import OwnRoot
from sidecar.storage.task_folder import sweep_staging
from sidecar.subagents.event_log import EventLog
from sidecar.subagents.journal import Journal
from sidecar.subagents.partial import PartialFold
from sidecar.subagents.records import RunRecord
from sidecar.subagents.runners.marker import sweep
from sidecar.subagents.transcript import Transcript

logger = logging.getLogger(__name__)

LOST_TEXT = "The sidecar was killed while this run was under way; what it had said until then is kept."
SWEEP_SECONDS = 5.0
_PAGE_EVENTS = 1000


async def recover(
    root: OwnRoot, journal: Journal, events: EventLog, reminders: Reminders, *, after_kill: bool
) -> None:
    """End the runs that are left as lost, keep untold ends untold; `after_kill` leave no process of any run.

    Not only of the lost ones: a cancelled run has ended before its processes have.
    """
    await asyncio.to_thread(sweep_staging, root)
    if after_kill:
        report = await asyncio.to_thread(sweep, await journal.ids(), SWEEP_SECONDS)
        if report.survivors:
            logger.warning("processes of earlier runs that cannot be ended: %s", report.survivors)
    for record in await journal.unfinished():
        await _end_as_lost(record, root, journal, events)
    for record in await journal.undelivered():
        reminders.restore(record)


async def _end_as_lost(record: RunRecord, root: OwnRoot, journal: Journal, events: EventLog) -> None:
    task = record.task
    task.partial, last_at = await _said(task.id, journal)
    task.status, task.end_reason, task.error = "failed", "lost", LOST_TEXT
    task.completed_at = last_at or task.launched_at or task.queued_at
    task.queue_position = task.attention = None
    task.progress.current_tool = None
    record.restored = True
    await events.append(task.id, {"type": "state", "status": "failed", "endReason": "lost"})
    events.close_task(task.id)
    if task.launched_at is not None:
        await Transcript.recover(
            root.path, task.id, "failed", LOST_TEXT, at=task.completed_at or task.launched_at
        )
    await journal.save(record)


async def _said(task_id: str, journal: Journal) -> tuple[PartialResult, int | None]:
    fold, seq, last_at = PartialFold(), 0, None
    while True:
        page = await journal.read_events(task_id, seq, _PAGE_EVENTS)
        for event in page.events:
            fold.take(event)
            last_at = event["ts"]
        if not page.more:
            return fold.result(), last_at
        seq = page.last_seq
