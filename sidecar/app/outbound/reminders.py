"""Remind the model of ended runs: keep the outbox durable, and start turns of an idle agent."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any

from sidecar.api import model as api
from sidecar.api.settings import RemindersSettings
from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.journal.records import Delivery as JournalledDelivery
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.reminders.outbox import Delivery, Outbox, OutboxItem, ReminderOptions
from sidecar.subagents.reminders.reminder import render_status_summary
from sidecar.subagents.reminders.trigger_loop import TriggerLoop
from sidecar.subagents.runs.admission import Admission
from sidecar.subagents.runs.run import Run
from sidecar.subagents.tasks.manager import AsyncTaskManager
from sidecar.subagents.tasks.model import AsyncTaskInfo, QueuedTask

logger = logging.getLogger(__name__)

SendTurn = Callable[[str, list[str], str], Awaitable[bool]]


class Reminders:
    """Answer `reminders/*` and start turns. Marks are durable before they are acknowledged."""

    def __init__(
        self,
        manager: AsyncTaskManager,
        journal: Journal,
        admission: Admission,
        settings: RemindersSettings,
    ) -> None:
        self._manager = manager
        self._journal = journal
        self._admission = admission
        self._writes: set[asyncio.Task[None]] = set()
        self._trigger: TriggerLoop | None = None
        self._max_chars = settings.max_chars
        self._outbox = Outbox(
            manager, _options(settings), on_delivery=self._keep_delivery, on_marked=self._keep_marks
        )

    def configure(self, settings: RemindersSettings) -> None:
        """Apply changed settings to later texts."""
        self._outbox.options = _options(settings)
        self._max_chars = settings.max_chars

    def restore(self, record: RunRecord) -> None:
        """Add an end that is pending from an earlier process. It never starts a turn."""
        if not self._outbox.restore(_info(record)):
            self._keep_marks([record.task.id], self._manager.now())

    async def restore_deliveries(self) -> None:
        """Add the deliveries in the journal to the outbox. Call it once, after the ends are restored."""
        kept = await self._journal.deliveries()
        self._outbox.restore_deliveries(
            [Delivery(each.delivery_id, each.task_ids, each.at, each.state) for each in reversed(kept)]
        )

    def run_ended(self, run: Run) -> None:
        """Decide whether the model is notified of an end that the manager has."""
        record, task = run.record, run.record.task
        if record.sync:
            return
        if not record.concerns_model:
            self._outbox.dismiss(task.id)
        elif task.status == "cancelled":
            self._note_cancelled(record)
        elif self._manager.get_task(task.id) is None:
            self._note_failed_launch(record)

    def _note_cancelled(self, record: RunRecord) -> None:
        if not (record.wants_notice and self._outbox.note_cancelled(_info(record))):
            self._keep_marks([record.task.id], self._manager.now())

    def _note_failed_launch(self, record: RunRecord) -> None:
        """Notify of a queued launch that failed. Callers of other launches got the error as the answer."""
        task = record.task
        if task.queued_at is None:
            self._keep_marks([task.id], self._manager.now())
            return
        self._manager.restore(_info(record))
        if self._trigger is not None:
            self._trigger.wake()

    def queued(self) -> list[QueuedTask]:
        """Return the queued launches in order."""
        return [
            QueuedTask(
                record.task.id,
                record.task.subagent_name,
                record.task.goal_prompt,
                record.task.queued_at or 0,
            )
            for record in self._admission.waiting()
        ]

    def status(self) -> str:
        """Return the summary for the system instruction, within `reminders.maxChars`."""
        return render_status_summary(self._manager.get_all_tasks(), self.queued(), self._max_chars)

    async def next(self) -> api.NextReminder:
        """Return the reminder for the next turn."""
        reminder = self._outbox.next()
        await self._written()
        return api.NextReminder(
            text=reminder.text, task_ids=list(reminder.task_ids), delivery_id=reminder.delivery_id
        )

    async def delivered(self, delivery_id: str) -> None:
        """Note durably that a reminder reached the model.

        Raises StorageError if that cannot be recorded; the reminder then stays pending.
        """
        task_ids = self._outbox.carried_by(delivery_id)
        if task_ids and not self._journal.read_only:
            await self._journal.mark_notified(task_ids, self._manager.now())
        self._outbox.delivered(delivery_id)
        await self._written()

    def items(self) -> list[api.OutboxItem]:
        """Return every end with the state of its reminder."""
        return [_item(item) for item in self._outbox.items()]

    def start_turns(self, is_busy: Callable[[], bool], send: SendTurn) -> TriggerLoop:
        """Start turns of an idle agent with `send` from now on."""
        self._trigger = TriggerLoop(self._manager, self._outbox, is_agent_busy=is_busy, send=send)
        self._trigger.start()
        return self._trigger

    def stop_turns(self) -> None:
        """Stop starting turns, and drop a pending request for one."""
        if self._trigger is not None:
            self._trigger.close()

    async def aclose(self) -> None:
        """Stop starting turns and finish writing, in bounded time."""
        if self._trigger is not None:
            await self._trigger.aclose(0.3)
        if self._writes:
            await asyncio.wait(set(self._writes), timeout=0.5)

    def _keep_delivery(self, delivery: Delivery) -> None:
        if self._journal.read_only:
            return
        kept = JournalledDelivery(delivery.delivery_id, delivery.task_ids, delivery.at, delivery.state)
        self._write(self._journal.record_delivery(*kept))

    def _keep_marks(self, task_ids: Sequence[str], at: int) -> None:
        if not self._journal.read_only:
            self._journal.keep_marks(task_ids, at)

    def _write(self, work: Coroutine[Any, Any, None]) -> None:
        write = asyncio.create_task(work)
        self._writes.add(write)
        write.add_done_callback(self._write_done)

    def _write_done(self, write: asyncio.Task[None]) -> None:
        self._writes.discard(write)
        if not write.cancelled() and write.exception() is not None:
            logger.error("the state of a reminder could not be written: %s", write.exception())

    async def _written(self) -> None:
        if self._writes:
            await asyncio.wait(set(self._writes))


def _options(settings: RemindersSettings) -> ReminderOptions:
    return ReminderOptions(
        detail=settings.detail,
        max_chars=settings.max_chars,
        notify_cancelled=settings.notify_cancelled,
        enrich=settings.enrich,
    )


def _info(record: RunRecord) -> AsyncTaskInfo:
    task = record.task
    assert task.status != "queued", "only ended runs are reported"
    return AsyncTaskInfo(
        id=task.id,
        subagent_name=task.subagent_name,
        goal_prompt=task.goal_prompt,
        status=task.status,
        launched_at=task.launched_at or task.queued_at or 0,
        completed_at=task.completed_at,
        notified_at=task.notified_at,
        output=task.output,
        error=task.error,
    )


def _item(item: OutboxItem) -> api.OutboxItem:
    return api.OutboxItem(
        task_id=item.task_id,
        state=item.state,
        deliveries=[
            api.Delivery(delivery_id=each.delivery_id, at=each.at, state=each.state)
            for each in item.deliveries
        ],
    )
