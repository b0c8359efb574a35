"""Send the events of runs to one client, pulled from the log so that none is lost, repeated or piled up."""

import asyncio
import contextlib
import logging
from typing import Protocol

from sidecar.api.runs.async_tasks import AsyncTaskDidOutput
from sidecar.app.outbound.changes import ChangeHub
from sidecar.subagents.journal.event_log import EventLog
from sidecar.subagents.runs.registry.registry import RunRegistry

logger = logging.getLogger(__name__)

BATCH_SECONDS = 0.05
"""The shortest time between two notifications about one task: at most 20 a second."""
SHARED_SECONDS = 0.005
"""The same time, multiplied by the number of subscriptions: at most 200 a second for all tasks."""
STALL_SECONDS = 1.0
"""The delay before events are read again that a full disk kept back."""
LAST_SECONDS = 0.2
"""How long a client may take at shutdown to read the final output of runs."""
BATCH_EVENTS = 500
BATCH_BYTES = 512 * 1024
"""The limits of one notification, so that a burst does not delay the answers after it."""


class Client(Protocol):
    """The connection to one client."""

    async def notify_paced(self, method: str, params: AsyncTaskDidOutput) -> None:
        """Send a notification when the client is ready. Raises ConnectionClosed."""


class OutputPump:
    """Send the event logs to which one client subscribed.

    A slow client delays only its own pumps. `poll_seconds` is the interval for reading events of another
    process, which cannot notify this one.
    """

    def __init__(
        self,
        events: EventLog,
        client: Client,
        changes: ChangeHub,
        registry: RunRegistry,
        poll_seconds: float | None = None,
    ) -> None:
        self._events = events
        self._client = client
        self._changes = changes
        self._registry = registry
        self._poll_seconds = poll_seconds
        self._pumps: dict[str, asyncio.Task[None]] = {}

    async def subscribe(self, task_id: str, after_seq: int | None) -> int:
        """Send the events after `after_seq`, or from now on if None; return the number of the last event.

        A second subscription to a task replaces the first.
        """
        last = await self._events.last_seq(task_id)
        self.unsubscribe(task_id)
        pump = asyncio.create_task(self._pump(task_id, last if after_seq is None else after_seq))
        self._pumps[task_id] = pump
        pump.add_done_callback(lambda done: self._forget(task_id, done))
        return last

    def unsubscribe(self, task_id: str) -> None:
        """Stop sending the events of a task; do nothing without a subscription."""
        pump = self._pumps.pop(task_id, None)
        if pump is not None:
            pump.cancel()

    async def aclose(self) -> None:
        """End all subscriptions, and send the final output of ended runs if that is quick."""
        pumps = list(self._pumps.values())
        if pumps:
            await asyncio.wait(pumps, timeout=LAST_SECONDS)
        for task_id in list(self._pumps):
            self.unsubscribe(task_id)
        if pumps:
            await asyncio.wait(pumps, timeout=1)

    async def _pump(self, task_id: str, cursor: int) -> None:
        changed, timeout = asyncio.Event(), self._poll_seconds
        changed.set()
        unwatch = self._events.watch(task_id, lambda event: changed.set())
        try:
            while True:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(timeout):
                        await changed.wait()
                changed.clear()
                live = await self._registry.is_live(task_id)
                cursor = await self._send_after(task_id, cursor)
                if not live and not changed.is_set():
                    return
                is_behind = (self._events.newest(task_id) or 0) > cursor
                timeout = STALL_SECONDS if is_behind else self._poll_seconds
        finally:
            unwatch()

    async def _send_after(self, task_id: str, cursor: int) -> int:
        while True:
            page = await self._events.read(task_id, cursor, BATCH_EVENTS, BATCH_BYTES, urgent=False)
            if not page.events:
                return cursor
            cursor = page.events[-1]["seq"]
            output = AsyncTaskDidOutput(task_id=task_id, events=page.events, revision=self._changes.revision)
            await self._client.notify_paced("asyncTasks/didOutput", output)
            await asyncio.sleep(max(BATCH_SECONDS, SHARED_SECONDS * len(self._pumps)))

    def _forget(self, task_id: str, pump: asyncio.Task[None]) -> None:
        if self._pumps.get(task_id) is pump:
            del self._pumps[task_id]
        if not pump.cancelled() and (error := pump.exception()) is not None:
            logger.warning("the output of run %s is no longer sent: %s", task_id, error)
