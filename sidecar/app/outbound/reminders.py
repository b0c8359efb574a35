"""Keep what the models still have to be reminded of durable."""

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from typing import Any

from sidecar.api.errors import StorageError
from sidecar.api.runs.async_tasks import Owner
from sidecar.api.settings import RemindersSettings, SettingsSource
from sidecar.app.outbound.owners import Owners
from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.journal.records import Delivery as JournalledDelivery
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.reminders.deliveries import Delivery, ReminderOptions
from sidecar.subagents.reminders.outbox import Outbox
from sidecar.subagents.reminders.trigger_loop import TriggerLoop
from sidecar.subagents.runs.admission import Admission
from sidecar.subagents.runs.registry.registry import RunRegistry
from sidecar.subagents.runs.run import Run
from sidecar.subagents.tasks.manager import AsyncTaskManager
from sidecar.subagents.tasks.model import AsyncTaskInfo, QueuedTask

logger = logging.getLogger(__name__)


class Reminders:
    """The outbox of one Host. Marks are durable before they are acknowledged."""

    def __init__(
        self,
        manager: AsyncTaskManager,
        journal: Journal,
        admission: Admission,
        registry: RunRegistry,
        settings: SettingsSource,
    ) -> None:
        self.manager = manager
        self.outbox = Outbox(
            manager,
            options_of(settings.current.reminders),
            on_delivery=self._keep_delivery,
            on_marked=self._keep_marks,
            on_freed=self._offer_freed,
            elapsed=asyncio.get_running_loop().time,
        )
        self._journal = journal
        self._admission = admission
        self._registry = registry
        self.owners = Owners(registry, journal, self._shown)
        self._writes: set[asyncio.Task[None]] = set()
        self._loops: list[TriggerLoop] = []

    @property
    def read_only(self) -> bool:
        """Whether marks cannot be recorded, because another process owns the journal."""
        return self._journal.read_only

    def configure(self, settings: RemindersSettings) -> None:
        """Apply changed settings to later ends."""
        self.outbox.options = options_of(settings)

    def owner_of(self, task_id: str) -> Owner | None:
        """Return who launched a run that is live or that reminders and lists show; None if unknown."""
        return self.owners.of(task_id)

    def launcher_of(self, task_id: str) -> str | None:
        """Return the run that launched a run with the sidecar's tools, and alone is notified of its end."""
        return self.owners.launcher_of(task_id)

    async def recorded_end(self, task_id: str) -> AsyncTaskInfo | None:
        """Return an ended run that lists do not show, by its whole ID; None if there is none."""
        try:
            record = await self._registry.find(task_id)
        except StorageError as error:
            logger.warning("an ended run could not be read from the journal: %s", error)
            return None
        if record is None or record.task.completed_at is None:
            return None
        self.owners.know(record)
        return _info(record)

    def restore(self, record: RunRecord) -> None:
        """Add an end that is pending from an earlier process. It never starts a turn.

        The end of a run that another one launched concerns nobody: that one has ended too.
        """
        self.owners.know(record)
        if record.delegated or not self.outbox.restore(_info(record)):
            self._keep_marks([record.task.id], self.manager.now())

    async def restore_deliveries(self) -> None:
        """Add the deliveries in the journal to the outbox. Call it once, after the ends are restored."""
        kept = await self._journal.deliveries()
        self.outbox.restore_deliveries([Delivery(*each) for each in reversed(kept)])

    def run_ended(self, run: Run) -> None:
        """Decide whether the model is notified of an end that the manager has."""
        record, task = run.record, run.record.task
        if record.sync:
            return
        self.owners.know(record)
        for child in self.owners.children_of(task.id):
            self.outbox.dismiss(child)
        if not record.concerns_model or self._is_orphan(record):
            self.outbox.dismiss(task.id)
        elif task.status == "cancelled":
            self._note_cancelled(record, "" if run.outcome is None else run.outcome.client_id)
        elif self.manager.get_task(task.id) is None:
            self._note_failed_launch(record)

    def _is_orphan(self, record: RunRecord) -> bool:
        launcher = record.launcher
        run = None if launcher is None else self._registry.live(launcher)
        return launcher is not None and (run is None or run.outcome is not None)

    def _shown(self) -> list[str]:
        """Return the runs whose owners decide what a client sees."""
        listed = [task.id for task in self.manager.get_all_tasks()]
        return [*listed, *(item.task_id for item in self.outbox.items())]

    def _note_cancelled(self, record: RunRecord, client_id: str) -> None:
        if not (record.wants_notice and self.outbox.note_cancelled(_info(record), client_id)):
            self._keep_marks([record.task.id], self.manager.now())

    def _note_failed_launch(self, record: RunRecord) -> None:
        """Notify of a queued launch that failed. Callers of other launches got the error as the answer."""
        task = record.task
        if task.queued_at is None:
            self._keep_marks([task.id], self.manager.now())
            return
        self.manager.restore(_info(record))
        for loop in self._loops:
            loop.wake()

    def queued(self) -> list[QueuedTask]:
        """Return the queued launches in order."""
        return [
            QueuedTask(
                record.task.id,
                record.task.subagent_name,
                record.task.goal_prompt,
                record.task.queued_at or 0,
                record.task.waiting,
                record.task.placement,
            )
            for record in self._admission.waiting()
        ]

    async def mark(self, task_ids: Sequence[str]) -> None:
        """Record durably that a model was reminded of these ends. Raises StorageError."""
        if task_ids and not self._journal.read_only:
            await self._journal.mark_notified(list(task_ids), self.manager.now())

    async def written(self) -> None:
        """Wait until the states of deliveries are written."""
        if self._writes:
            await asyncio.wait(set(self._writes))

    def join(self, loop: TriggerLoop) -> None:
        """Start turns with a loop from now on."""
        self._loops.append(loop)
        loop.start()

    def leave(self, loop: TriggerLoop) -> None:
        """Stop starting turns with a loop, and drop its pending request for one."""
        if loop in self._loops:
            self._loops.remove(loop)
        loop.close()
        self._offer_freed()

    def stop_turns(self) -> None:
        """Stop starting turns, and drop pending requests for one."""
        for loop in list(self._loops):
            self._loops.remove(loop)
            loop.close()

    async def aclose(self) -> None:
        """Stop starting turns and finish writing, in bounded time."""
        loops, self._loops = self._loops, []
        await asyncio.gather(*(loop.aclose(0.3) for loop in loops))
        if self._writes:
            await asyncio.wait(set(self._writes), timeout=0.5)

    def _offer_freed(self) -> None:
        """Offer the other clients what one did not deliver."""
        for loop in self._loops:
            loop.tasks_freed()

    def _keep_delivery(self, delivery: Delivery) -> None:
        if self._journal.read_only:
            return
        kept = JournalledDelivery(
            delivery.delivery_id, delivery.task_ids, delivery.at, delivery.state, delivery.client
        )
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


def options_of(settings: RemindersSettings) -> ReminderOptions:
    """Return the settings that shape a reminder."""
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
