"""Starts a turn of the agent when a result is available and the agent is idle."""

from collections.abc import Awaitable, Callable, Sequence

from sidecar.subagents.reminders.delivery_loop import BACK_OFF_SECONDS, DeliveryLoop
from sidecar.subagents.reminders.reminder import AsyncTaskReminderService
from sidecar.subagents.tasks.manager import AsyncTaskManager


class AsyncTaskAutoTrigger:
    """Delivers reminders through `trigger_agent_turn`, one at a time; each ID once.

    Completed and failed tasks trigger, cancelled ones never do. A failed delivery marks nothing and is
    tried again after `delays` seconds and when the agent becomes idle. The agent's owner must call
    `agent_became_idle`: tasks that end while `is_agent_busy()` wait for it.
    """

    def __init__(
        self,
        manager: AsyncTaskManager,
        reminder: AsyncTaskReminderService,
        *,
        is_agent_busy: Callable[[], bool],
        trigger_agent_turn: Callable[[str], Awaitable[object]],
        delays: Sequence[float] = BACK_OFF_SECONDS,
    ) -> None:
        self._manager = manager
        self._reminder = reminder
        self._is_agent_busy = is_agent_busy
        self._trigger_agent_turn = trigger_agent_turn
        self._loop = DeliveryLoop(self._ready, self._attempt, delays)
        self._subscriptions: set[object] = set()
        self._unsubscribe: list[Callable[[], None]] = []

    def subscribe(self) -> Callable[[], None]:
        """Begin to trigger. The last returned callable that is called stops it and any delivery in flight."""
        if not self._subscriptions:
            self._unsubscribe = [
                self._manager.on_task_completed(lambda task: self._loop.wake()),
                self._manager.on_task_failed(lambda task: self._loop.wake()),
            ]
            self._loop.open()
        key = object()
        self._subscriptions.add(key)

        def unsubscribe() -> None:
            if key in self._subscriptions:
                self._subscriptions.remove(key)
                if not self._subscriptions:
                    self._close()

        return unsubscribe

    def agent_became_idle(self) -> None:
        """Deliver tasks that ended in the meantime and failed deliveries."""
        self._loop.wake()

    def _close(self) -> None:
        for unsubscribe in self._unsubscribe:
            unsubscribe()
        self._loop.close()

    def _ready(self) -> bool:
        return not self._is_agent_busy() and self._reminder.has_pending_notifications()

    async def _attempt(self) -> bool:
        reminder = self._reminder.generate_reminder()
        await self._trigger_agent_turn(reminder.text)
        self._reminder.mark_notified(reminder.task_ids)
        return True
