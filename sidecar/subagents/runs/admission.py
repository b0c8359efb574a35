"""The line in front of the limit: first come, first served, and no slot lost on the way."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.limits.runner_quota import RunnerQuota
from sidecar.subagents.runs.driving import RunPlan
from sidecar.subagents.tasks.manager import AsyncTaskManager
from sidecar.subagents.tasks.slots import Slot

if TYPE_CHECKING:
    from sidecar.subagents.runs.catalogue import Plan

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Prepared:
    """A launch with everything it needs but a slot."""

    record: RunRecord
    plan: "Plan"
    run: RunPlan


class Admission:
    """Keep prepared launches in order until slots come free.

    `start(prepared, slot)` launches one; it owns the slot from then on. `moved(record)` is called with every
    record whose place in the line changed.
    """

    def __init__(
        self,
        manager: AsyncTaskManager,
        start: Callable[[Prepared, Slot], Awaitable[None]],
        moved: Callable[[RunRecord], None],
        room: RunnerQuota,
    ) -> None:
        self._manager = manager
        self._room = room
        self._start = start
        self._moved = moved
        self._waiting: list[Prepared] = []
        self._ready: set[str] = set()
        self._starting: set[asyncio.Task[None]] = set()
        self._closed = False

    def __len__(self) -> int:
        """How many launches wait."""
        return len(self._waiting)

    def can_take_slot(self, prepared: Prepared) -> bool:
        """Return whether a new launch could start now: neither its runner nor the limit is reached.

        It could not while others wait that could start.
        """
        is_next = self._may_start(prepared) and not any(map(self._may_start, self._waiting))
        return is_next and self._manager.can_launch_async().allowed

    def take_slot(self, prepared: Prepared) -> Slot | None:
        """Reserve a slot for a new launch, if it can start now."""
        return self._reserve(prepared) if self.can_take_slot(prepared) else None

    def enqueue(self, prepared: Prepared) -> int:
        """Put a launch at the end of the line and return its place, counted from 1.

        It keeps its place, and those behind it theirs, until `make_ready` says that its record is durable.
        """
        self._waiting.append(prepared)
        prepared.record.task.queue_position = len(self._waiting)
        return len(self._waiting)

    def make_ready(self, task_id: str) -> None:
        """Let a launch in line start as soon as it is its turn."""
        self._ready.add(task_id)
        self.pump()

    def remove(self, task_id: str) -> bool:
        """Take a launch out of the line; False if it is not there."""
        for index, prepared in enumerate(self._waiting):
            if prepared.record.task.id == task_id:
                del self._waiting[index]
                self._ready.discard(task_id)
                self._renumber(index)
                return True
        return False

    def move(self, task_id: str, position: int) -> int | None:
        """Move a launch to a place, counted from 1, or to the end of the line; None if it is not there."""
        old = next((n for n, each in enumerate(self._waiting) if each.record.task.id == task_id), None)
        if old is None:
            return None
        new = min(position, len(self._waiting)) - 1
        self._waiting.insert(new, self._waiting.pop(old))
        self._renumber(min(old, new), max(old, new) + 1)
        self.pump()
        return new + 1

    def waiting(self) -> list[RunRecord]:
        """Return the records in line, the next one first."""
        return [prepared.record for prepared in self._waiting]

    def pump(self) -> None:
        """Start what slots and runners allow. Called whenever a slot may have come free."""
        while not self._closed:
            place = next((n for n, each in enumerate(self._waiting) if self._may_start(each)), None)
            if place is None or self._waiting[place].record.task.id not in self._ready:
                return
            slot = self._reserve(self._waiting[place])
            if slot is None:
                return
            prepared = self._waiting.pop(place)
            self._ready.discard(prepared.record.task.id)
            self._renumber(place)
            starting = asyncio.create_task(self._launch(prepared, slot))
            self._starting.add(starting)
            starting.add_done_callback(self._starting.discard)

    def close(self) -> list[RunRecord]:
        """Start nothing more; return what still waited."""
        self._closed = True
        waiting, self._waiting = self.waiting(), []
        return waiting

    async def aclose(self, limit: float) -> list[RunRecord]:
        """Start nothing more, wait for what is starting, and return what still waited."""
        waiting = self.close()
        if self._starting:
            await asyncio.wait(set(self._starting), timeout=limit)
        return waiting

    def _may_start(self, prepared: Prepared) -> bool:
        return self._room.has(prepared.record.task.runner)

    def _reserve(self, prepared: Prepared) -> Slot | None:
        slot = self._manager.reserve_slot()
        if slot is not None:
            self._room.take(prepared.record.task.runner, prepared.record.task.id)
        return slot

    async def _launch(self, prepared: Prepared, slot: Slot) -> None:
        with slot:
            try:
                await self._start(prepared, slot)
            except Exception:
                logger.exception("queued run %s could not be launched", prepared.record.task.id)
        self.pump()

    def _renumber(self, start: int, end: int | None = None) -> None:
        for index, prepared in enumerate(self._waiting[start:end], start):
            if prepared.record.task.queue_position == index + 1:
                continue
            prepared.record.task.queue_position = index + 1
            self._moved(prepared.record)
