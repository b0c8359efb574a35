"""Reminders attached to the results of tools, and the messages by which a client acknowledges them."""

import asyncio
import logging
from dataclasses import dataclass
from typing import Protocol

from sidecar.api.model import NextReminder
from sidecar.rpc.messages import MessageId

logger = logging.getLogger(__name__)


class PendingReminders(Protocol):
    """The reminders of one client."""

    def deliverable(self) -> list[str]:
        """Return the tasks that `next` would report."""

    async def next(self) -> NextReminder:
        """Return the next reminder."""

    async def delivered(self, delivery_id: str) -> None:
        """Note that a reminder was received."""

    def release(self, delivery_id: str) -> None:
        """Note that a reminder was lost."""


@dataclass
class _Attached:
    request_id: MessageId
    delivery_id: str
    task_ids: frozenset[str]
    flushed_at: int | None = None


class Piggyback:
    """Add the pending reminder of one client to a result, until the client's next message acknowledges it.

    A message acknowledges if the client began to send it after the result was written, unless it cancels that
    very request. A reminder whose result was lost is attached again.
    """

    def __init__(self, reminders: PendingReminders) -> None:
        self._reminders = reminders
        self._attached: _Attached | None = None
        self._attaching = asyncio.Lock()
        self._marking: asyncio.Task[None] | None = None

    async def attach(self, request_id: MessageId) -> NextReminder | None:
        """Return the reminder for the result of a request; None if nothing new is pending.

        Ends that are already attached to another result are repeated only together with new ends.
        """
        async with self._attaching:
            await self.settled()
            pending = self._reminders.deliverable()
            if not pending or (self._attached is not None and self._attached.task_ids.issuperset(pending)):
                return None
            reminder = await self._reminders.next()
            if reminder.delivery_id is None:
                return None
            self._attached = _Attached(request_id, reminder.delivery_id, frozenset(reminder.task_ids))
            return reminder

    def result_dropped(self, request_id: MessageId) -> None:
        """Note that the result of a request is not sent."""
        attached = self._attached
        if attached is not None and attached.request_id == request_id:
            self._lose(attached)

    def flushed(self, request_id: MessageId, position: int) -> None:
        """Note that the result of a request is written, when the client had sent `position` bytes.

        May be called in any thread.
        """
        attached = self._attached
        if attached is not None and attached.request_id == request_id:
            attached.flushed_at = position

    def heard(self, start: int, cancels: MessageId | None = None) -> None:
        """Note a message of the client that begins at an offset, and the request that it cancels."""
        attached = self._attached
        if attached is None:
            return
        came_later = attached.flushed_at is not None and start >= attached.flushed_at
        if cancels == attached.request_id and cancels is not None:
            if not came_later:  # the client ignores the result
                self._lose(attached)
        elif came_later:
            self._attached = None
            self._marking = asyncio.create_task(self._mark(attached.delivery_id, self._marking))

    def turn_ended(self) -> None:
        """Note that the model has read every result that was written, since its turn has ended."""
        attached = self._attached
        if attached is not None and attached.flushed_at is not None:
            self._attached = None
            self._marking = asyncio.create_task(self._mark(attached.delivery_id, self._marking))

    def _lose(self, attached: _Attached) -> None:
        self._attached = None
        self._reminders.release(attached.delivery_id)

    async def settled(self) -> None:
        """Wait until acknowledgements are durable."""
        if self._marking is not None:
            await asyncio.wait({self._marking})

    async def _mark(self, delivery_id: str, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait({before})
        try:
            await self._reminders.delivered(delivery_id)
        except Exception as error:
            logger.error("an acknowledged reminder could not be recorded: %s", error)
