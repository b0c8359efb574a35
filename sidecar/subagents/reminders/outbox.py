"""Tracks which ends the model has yet to be notified of, and their deliveries, without I/O."""

import time
import uuid
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sidecar.subagents.reminders.deliveries import (
    REMEMBERED_ITEMS,
    Delivery,
    DeliveryHistory,
    DeliveryState,
    ItemState,
    NextReminder,
    OutboxItem,
    Recipient,
    ReminderOptions,
)
from sidecar.subagents.reminders.reminder import render_reminder
from sidecar.subagents.tasks.manager import AsyncTaskManager
from sidecar.subagents.tasks.model import AsyncTaskInfo

TRIGGER_SECONDS = 60
"""How long an unanswered trigger keeps its IDs from `next`."""


@dataclass(frozen=True)
class _Trigger:
    """A delivery that waits for its answer; `until` is when its tasks are free for `next`."""

    delivery: Delivery
    until: float


class Outbox:
    """Hands out reminders until they are acknowledged, and marks exactly the acknowledged tasks.

    What one recipient holds unacknowledged is not handed to another until the first one leaves.
    `on_delivery` is called with every delivery and each change of its state, `on_marked(ids, at)` with the
    tasks that were just marked; a Host persists both. `on_freed` is called when tasks are free for other
    recipients, because a delivery failed or a newer one leaves them out. `elapsed` returns seconds that only
    increase: the clock of the manager may jump, which must not free or withhold a trigger.
    """

    def __init__(
        self,
        manager: AsyncTaskManager,
        options: ReminderOptions | None = None,
        *,
        on_delivery: Callable[[Delivery], object] = lambda delivery: None,
        on_marked: Callable[[Sequence[str], int], object] = lambda task_ids, at: None,
        on_freed: Callable[[], object] = lambda: None,
        new_id: Callable[[], str] = lambda: str(uuid.uuid4()),
        elapsed: Callable[[], float] = time.monotonic,
    ) -> None:
        self.options = options or ReminderOptions()
        self._manager = manager
        self._on_delivery = on_delivery
        self._on_marked = on_marked
        self._on_freed = on_freed
        self._new_id = new_id
        self._elapsed = elapsed
        self._cancelled: dict[str, AsyncTaskInfo] = {}
        self._cancelled_by: dict[str, str] = {}
        self._restored: set[str] = set()
        self._everyone = Recipient(options=lambda: self.options)
        self._recipients: list[Recipient] = [self._everyone]
        self._triggers: dict[str, _Trigger] = {}
        self._history = DeliveryHistory()
        self._unconcerned: deque[str] = deque(maxlen=REMEMBERED_ITEMS)

    def note_cancelled(self, task: AsyncTaskInfo, client_id: str = "") -> bool:
        """Report a cancellation that the model did not request; return False if the settings forbid it.

        The recipient with the ID `client_id` requested it.
        """
        if self.options.notify_cancelled:
            self._cancelled[task.id] = task
            if client_id:
                self._cancelled_by[task.id] = client_id
        return self.options.notify_cancelled

    def dismiss(self, task_id: str) -> None:
        """Note that an end does not concern the model: it is never pending and may be trimmed."""
        self._manager.mark_notified(task_id)
        self._unconcerned.append(task_id)

    def restore(self, task: AsyncTaskInfo) -> bool:
        """Add an end that is pending in the journal: `next` carries it, but it never triggers a turn.

        Return False for a cancellation that the settings do not report. A completed or failed one enters the
        manager; raises ValueError as `AsyncTaskManager.restore` does.
        """
        if task.status == "cancelled":
            return self.note_cancelled(task)
        self._manager.restore(task)
        self._restored.add(task.id)
        return True

    def restore_deliveries(self, deliveries: Sequence[Delivery]) -> None:
        """Add the deliveries of earlier processes, oldest first. Open ones can no longer be acknowledged."""
        self._history.restore(deliveries, self._pending_ids())

    def join(self, recipient: Recipient) -> None:
        """Add a recipient."""
        self._recipients.append(recipient)

    def leave(self, recipient: Recipient) -> None:
        """Remove a recipient; what it did not acknowledge is free for others."""
        if recipient in self._recipients:
            self._recipients.remove(recipient)
        if recipient.open is not None:
            self.release(recipient.open.delivery_id, recipient)

    def release(self, delivery_id: str, recipient: Recipient) -> None:
        """Note that the recipient's newest `next`, if this is its ID, did not reach the model."""
        delivery = recipient.open
        if delivery is not None and delivery.delivery_id == delivery_id:
            recipient.open = None
            self._settle(delivery, "failed")
            self._on_freed()

    def deliverable(self, recipient: Recipient) -> list[str]:
        """Return the tasks that `next` would report to a recipient."""
        withheld = self._withheld(recipient)
        return [task.id for task in self._pending(recipient) if task.id not in withheld]

    def next(self, recipient: Recipient | None = None, max_chars: int | None = None) -> NextReminder:
        """Return what is pending and not with another; until acknowledged it is repeated under a new ID.

        `max_chars` shortens a text for which the recipient has less room than its options say.
        """
        reader = recipient or self._everyone
        withheld = self._withheld(reader)
        ended = [task for task in self._pending(reader) if task.id not in withheld]
        before = reader.open
        if before is not None:
            self._settle(before, "superseded")
        text, reader.open = self._give_out(ended, reader, max_chars)
        if before is not None and not set(before.task_ids).issubset(text.task_ids):
            self._on_freed()
        return text

    def carried_by(self, delivery_id: str, recipient: Recipient | None = None) -> list[str]:
        """Return the still pending tasks of the recipient's newest `next`, if this is its ID."""
        delivery = (recipient or self._everyone).open
        if delivery is None or delivery.delivery_id != delivery_id:
            return []
        pending = self._pending_ids()
        return [task_id for task_id in delivery.task_ids if task_id in pending]

    def delivered(self, delivery_id: str, recipient: Recipient | None = None) -> list[str]:
        """Mark the tasks of the recipient's newest `next`, if this is its ID; return those newly marked."""
        reader = recipient or self._everyone
        if reader.open is None or reader.open.delivery_id != delivery_id:
            return []
        delivery, reader.open = reader.open, None
        return self._acknowledge(delivery)

    def has_triggerable(self, recipient: Recipient | None = None) -> bool:
        """Return whether an ended task may start a turn of this recipient."""
        return bool(self._triggerable(recipient or self._everyone))

    def begin_trigger(self, recipient: Recipient | None = None) -> NextReminder | None:
        """Open a trigger with the tasks that may start a turn, None if there are none. Answer it later."""
        reader = recipient or self._everyone
        ended = self._triggerable(reader)
        if not ended:
            return None
        text, delivery = self._give_out(ended, reader)
        assert delivery is not None
        self._triggers[delivery.delivery_id] = _Trigger(delivery, self._elapsed() + TRIGGER_SECONDS)
        return text

    def trigger_answered(self, delivery_id: str, accepted: bool) -> list[str]:
        """Close a trigger: if accepted, its tasks are delivered; otherwise they are free again at once."""
        trigger = self._triggers.pop(delivery_id, None)
        if trigger is None:
            return []
        if accepted:
            return self._acknowledge(trigger.delivery)
        self._settle(trigger.delivery, "failed")
        self._on_freed()
        return []

    def items(self) -> list[OutboxItem]:
        """Return every pending task, the latest delivered ones and those that do not concern the model."""
        pending = dict.fromkeys(task.id for task in self._all_pending())
        triggering = self._triggering()
        return [
            *(
                self._item(task_id, "triggering" if task_id in triggering else "pending")
                for task_id in pending
            ),
            *(self._item(task_id, "delivered") for task_id in self._history.delivered(pending)),
            *(self._item(task_id, "none") for task_id in self._unconcerned),
        ]

    def _item(self, task_id: str, state: ItemState) -> OutboxItem:
        return OutboxItem(task_id, state, self._history.of(task_id))

    def _all_pending(self) -> list[AsyncTaskInfo]:
        return [*self._manager.get_pending_notifications(), *self._cancelled.values()]

    def _pending_ids(self) -> set[str]:
        return {task.id for task in self._all_pending()}

    def _pending(self, recipient: Recipient) -> list[AsyncTaskInfo]:
        return [
            task
            for task in self._all_pending()
            if recipient.concerns(task.id) and self._cancelled_by.get(task.id) != recipient.client_id
        ]

    def _triggerable(self, recipient: Recipient) -> list[AsyncTaskInfo]:
        spared = self._restored | {
            id for trigger in self._triggers.values() for id in trigger.delivery.task_ids
        }
        spared |= self._held_by_others(recipient)
        return [
            task
            for task in self._manager.get_pending_notifications()
            if task.id not in spared and recipient.concerns(task.id)
        ]

    def _withheld(self, recipient: Recipient) -> set[str]:
        return self._triggering() | self._held_by_others(recipient)

    def _held_by_others(self, recipient: Recipient) -> set[str]:
        others = [each.open for each in self._recipients if each is not recipient and each.open is not None]
        return {task_id for delivery in others for task_id in delivery.task_ids}

    def _triggering(self) -> set[str]:
        now = self._elapsed()
        open_triggers = [each.delivery for each in self._triggers.values() if each.until > now]
        return {task_id for delivery in open_triggers for task_id in delivery.task_ids}

    def _give_out(
        self, ended: Sequence[AsyncTaskInfo], recipient: Recipient, max_chars: int | None = None
    ) -> tuple[NextReminder, Delivery | None]:
        running = sum(recipient.concerns(task.id) for task in self._manager.get_running_tasks())
        options = recipient.options()
        most = min((size for size in (options.max_chars, max_chars) if size is not None), default=None)
        reminder = render_reminder(ended, running, options.enrich, most, options.detail)
        if not reminder.task_ids:
            return NextReminder(reminder.text), None
        delivery = Delivery(self._new_id(), reminder.task_ids, self._manager.now(), client=recipient.name)
        self._record(delivery)
        return NextReminder(reminder.text, reminder.task_ids, delivery.delivery_id), delivery

    def _acknowledge(self, delivery: Delivery) -> list[str]:
        pending = self._pending_ids()
        marked = [task_id for task_id in delivery.task_ids if task_id in pending]
        for task_id in marked:
            self._manager.mark_notified(task_id)
            self._cancelled.pop(task_id, None)
            self._cancelled_by.pop(task_id, None)
            self._restored.discard(task_id)
        self._settle(delivery, "delivered")
        if marked:
            self._on_marked(marked, self._manager.now())
        self._history.forget_oldest(self._pending_ids())
        return marked

    def _settle(self, delivery: Delivery, state: DeliveryState) -> None:
        self._record(replace(delivery, state=state))

    def _record(self, delivery: Delivery) -> None:
        """Keep the newest state of a delivery with each of its tasks, and pass it on."""
        self._history.add(delivery)
        self._on_delivery(delivery)
