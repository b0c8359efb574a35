"""Remind the model of one client."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from sidecar.api import model as api
from sidecar.api.settings import SettingsSource
from sidecar.app.outbound.reminders import Reminders, options_of
from sidecar.model_text import escape_json
from sidecar.subagents.reminders.deliveries import OutboxItem, Recipient, ReminderOptions
from sidecar.subagents.reminders.summary import render_status_summary
from sidecar.subagents.reminders.trigger_loop import TriggerLoop

SendTurn = Callable[[str, list[str], str], Awaitable[bool]]


class ClientReminders:
    """Remind the model of one client of the ends that concern it."""

    def __init__(
        self,
        reminders: Reminders,
        settings: SettingsSource,
        concerns: Callable[[str], bool],
        is_busy: Callable[[], bool],
        send: SendTurn,
        *,
        name: str | None = None,
        client_id: str = "",
        enrich: bool = False,
    ) -> None:
        """`send` starts a turn of the client's agent, unless `is_busy`. `name` is shown with deliveries.

        `client_id` identifies the connection, whose model knows which runs it cancelled itself. `enrich` adds
        name, goal and partial result to each block, whatever the settings say.
        """
        self._all = reminders
        self._settings = settings
        self._enrich = enrich
        self._recipient = Recipient(concerns, self._options, name, client_id)
        self._loop = TriggerLoop(
            reminders.manager,
            reminders.outbox,
            is_agent_busy=is_busy,
            send=lambda text, *rest: send(escape_json(text), *rest),
            recipient=self._recipient,
        )

    def _options(self) -> ReminderOptions:
        options = options_of(self._settings.current.reminders)
        return replace(options, enrich=True) if self._enrich else options

    def start(self) -> None:
        """Start turns from now on."""
        self._all.outbox.join(self._recipient)
        self._all.join(self._loop)

    def agent_became_idle(self) -> None:
        """Send ends that wait for an idle agent."""
        self._loop.agent_became_idle()

    def status(self) -> str:
        """Return the summary for the system instruction, within `reminders.maxChars`."""
        concerns = self._recipient.concerns
        return render_status_summary(
            [task for task in self._all.manager.get_all_tasks() if concerns(task.id)],
            [task for task in self._all.queued() if concerns(task.id)],
            self._settings.current.reminders.max_chars,
            self._enrich or self._settings.current.reminders.enrich,
        )

    def deliverable(self) -> list[str]:
        """Return the tasks that `next` would report."""
        return self._all.outbox.deliverable(self._recipient)

    async def next(self, max_chars: int | None = None) -> api.NextReminder:
        """Return the reminder for the next turn, within `max_chars` if the settings allow more."""
        reminder = self._all.outbox.next(self._recipient, max_chars)
        await self._all.written()
        return api.NextReminder(
            text=escape_json(reminder.text),
            task_ids=list(reminder.task_ids),
            delivery_id=reminder.delivery_id,
        )

    async def delivered(self, delivery_id: str) -> None:
        """Note durably that a reminder reached the model.

        Raises StorageError if that cannot be recorded; the reminder then stays pending.
        """
        await self._all.mark(self._all.outbox.carried_by(delivery_id, self._recipient))
        self._all.outbox.delivered(delivery_id, self._recipient)
        await self._all.written()

    def release(self, delivery_id: str) -> None:
        """Note that a reminder did not reach the model, and offer it to other clients."""
        self._all.outbox.release(delivery_id, self._recipient)

    async def items(self) -> list[api.OutboxItem]:
        """Return every end that concerns this client with the state of its reminder."""
        items = self._all.outbox.items()
        gone = await self._all.owners.learn(item.task_id for item in items)
        concerns = self._recipient.concerns
        return [_item(item) for item in items if item.task_id not in gone and concerns(item.task_id)]

    async def aclose(self) -> None:
        """Stop starting turns, and offer other clients what the model did not acknowledge."""
        await self._loop.aclose(0.3)
        self._all.outbox.leave(self._recipient)
        self._all.leave(self._loop)


def _item(item: OutboxItem) -> api.OutboxItem:
    return api.OutboxItem(
        task_id=item.task_id,
        state=item.state,
        deliveries=[
            api.Delivery(delivery_id=each.delivery_id, at=each.at, state=each.state, client=each.client)
            for each in item.deliveries
        ],
    )
