"""Starts turns of an editor's agent when the outbox has results."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from sidecar.subagents.reminders.deliveries import Recipient
from sidecar.subagents.reminders.delivery_loop import BACK_OFF_SECONDS, DeliveryLoop
from sidecar.subagents.reminders.outbox import TRIGGER_SECONDS, Outbox
from sidecar.subagents.tasks.manager import AsyncTaskManager


class TriggerLoop:
    """Sends ended tasks through `send(text, task_ids, delivery_id)` while the agent is idle.

    `send` returns whether the turn was accepted; False, an error or no answer in `answer_seconds` is a
    failed delivery, tried again after `delays` seconds and when the agent turns idle. The owner calls
    `start`, reports idleness, and calls `aclose`.
    """

    def __init__(
        self,
        manager: AsyncTaskManager,
        outbox: Outbox,
        *,
        is_agent_busy: Callable[[], bool],
        send: Callable[[str, list[str], str], Awaitable[bool]],
        recipient: Recipient | None = None,
        delays: Sequence[float] = BACK_OFF_SECONDS,
        answer_seconds: float = TRIGGER_SECONDS,
    ) -> None:
        self._manager = manager
        self._outbox = outbox
        self._recipient = recipient
        self._is_agent_busy = is_agent_busy
        self._send = send
        self._answer_seconds = answer_seconds
        self._loop = DeliveryLoop(self._ready, self._attempt, delays)
        self._unsubscribe: list[Callable[[], None]] = []

    def start(self) -> None:
        """Begin to trigger; tasks that ended earlier and may trigger are sent too."""
        self._unsubscribe = [
            self._manager.on_task_completed(lambda task: self._loop.wake()),
            self._manager.on_task_failed(lambda task: self._loop.wake()),
        ]
        self._loop.open()
        self._loop.wake()

    def agent_became_idle(self) -> None:
        """Send tasks that ended in the meantime and failed deliveries."""
        self._loop.wake()

    def wake(self) -> None:
        """Send tasks that became pending without an event of the manager."""
        self._loop.wake()

    def tasks_freed(self) -> None:
        """Send tasks that another recipient did not take. After a failure of its own, the loop waits."""
        self._loop.nudge()

    def close(self) -> None:
        """Stop; a trigger in flight is cancelled and counts as failed."""
        for unsubscribe in self._unsubscribe:
            unsubscribe()
        self._loop.close()

    async def aclose(self, limit: float = 1.0) -> None:
        """Stop, and wait at most `limit` seconds for a trigger in flight."""
        self.close()
        await self._loop.aclose(limit)

    def _ready(self) -> bool:
        return not self._is_agent_busy() and self._outbox.has_triggerable(self._recipient)

    async def _attempt(self) -> bool:
        trigger = self._outbox.begin_trigger(self._recipient)
        if trigger is None or trigger.delivery_id is None:
            return True
        accepted = False
        try:
            async with asyncio.timeout(self._answer_seconds):
                accepted = await self._send(trigger.text, trigger.task_ids, trigger.delivery_id)
        finally:
            self._outbox.trigger_answered(trigger.delivery_id, accepted)
        return accepted
