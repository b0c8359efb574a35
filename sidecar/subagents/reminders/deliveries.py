"""The reminders handed out to models, their recipients, and the deliveries of each task."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

from sidecar.subagents.reminders.reminder import Detail

DeliveryState = Literal["open", "superseded", "failed", "delivered"]
ItemState = Literal["pending", "triggering", "delivered", "none"]

REMEMBERED_ITEMS = 200
"""Delivered tasks that `Outbox.items` still shows, and as many that do not concern the model."""
REMEMBERED_DELIVERIES = 20
"""Deliveries that `Outbox.items` shows of one task, the newest."""


@dataclass(frozen=True)
class ReminderOptions:
    """The `reminders` settings that shape a text; `max_chars` in characters."""

    detail: Detail = "full"
    max_chars: int | None = None
    notify_cancelled: bool = True
    enrich: bool = False


@dataclass(frozen=True)
class Delivery:
    """One reminder handed out under an ID, and its state; `at` in ms since the epoch."""

    delivery_id: str
    task_ids: list[str]
    at: int
    state: DeliveryState = "open"
    client: str | None = None
    """Who got it; None if the journal does not say."""


@dataclass(frozen=True)
class NextReminder:
    """A text for the model, the tasks it reports, and the ID to acknowledge it by if it reports any."""

    text: str
    task_ids: list[str] = field(default_factory=list)
    delivery_id: str | None = None


@dataclass(frozen=True)
class OutboxItem:
    """The state of one task's delivery and its latest deliveries, oldest first.

    `none` is an end that does not concern the model.
    """

    task_id: str
    state: ItemState
    deliveries: list[Delivery]


class Recipient:
    """One model to remind: which tasks concern it, how its texts look, and what it got last.

    `client_id` identifies its connection: it is not reminded of a run that it cancelled itself.
    """

    def __init__(
        self,
        concerns: Callable[[str], bool] = lambda task_id: True,
        options: Callable[[], ReminderOptions] = ReminderOptions,
        name: str | None = None,
        client_id: str = "",
    ) -> None:
        self.concerns = concerns
        self.options = options
        self.name = name
        self.client_id = client_id
        self.open: Delivery | None = None


class DeliveryHistory:
    """The latest deliveries of each task, the least recently delivered task first."""

    def __init__(self) -> None:
        self._deliveries: OrderedDict[str, list[Delivery]] = OrderedDict()

    def of(self, task_id: str) -> list[Delivery]:
        """Return the latest deliveries of a task, oldest first."""
        return list(self._deliveries.get(task_id, ()))

    def delivered(self, pending: Collection[str]) -> list[str]:
        """Return the tasks with deliveries that are not pending."""
        return [task_id for task_id in self._deliveries if task_id not in pending]

    def add(self, delivery: Delivery) -> None:
        """Keep a delivery or its new state with each of its tasks."""
        for task_id in delivery.task_ids:
            kept = self._deliveries.pop(task_id, [])
            others = [one for one in kept if one.delivery_id != delivery.delivery_id]
            self._deliveries[task_id] = [*others, delivery][-REMEMBERED_DELIVERIES:]

    def restore(self, deliveries: Iterable[Delivery], pending: Collection[str]) -> None:
        """Add deliveries of earlier processes, oldest first, of tasks that are pending or were delivered."""
        for delivery in deliveries:
            state = "failed" if delivery.state == "open" else delivery.state
            self.add(replace(delivery, state=state))
        for task_id in self.delivered(pending):
            if all(attempt.state != "delivered" for attempt in self._deliveries[task_id]):
                del self._deliveries[task_id]
        self.forget_oldest(pending)

    def forget_oldest(self, pending: Collection[str]) -> None:
        """Keep only the latest of the delivered tasks."""
        delivered = self.delivered(pending)
        for task_id in delivered[: max(0, len(delivered) - REMEMBERED_ITEMS)]:
            del self._deliveries[task_id]
