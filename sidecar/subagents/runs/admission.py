"""Queue launches while the limit of running tasks is reached, and start them in order."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from sidecar.api.errors import LimitReached
from sidecar.api.runs.async_tasks import Waiting
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.limits.runner_quota import RunnerQuota
from sidecar.subagents.runs.holds import RunnerHolds
from sidecar.subagents.runs.launch_queue import LaunchQueue
from sidecar.subagents.runs.lending import Lending
from sidecar.subagents.runs.lifecycle import LaunchAborted
from sidecar.subagents.runs.prepared import PreparedLaunch
from sidecar.subagents.tasks.manager import AsyncTaskManager
from sidecar.subagents.tasks.slots import Slot

logger = logging.getLogger(__name__)


class Starter(Protocol):
    """Start admitted launches."""

    async def start(self, prepared: PreparedLaunch, slot: Slot) -> None:
        """Start a run and take over the slot."""


class Admission:
    """Start launches while slots and runners allow, and queue the others.

    `on_move(record)` is called with every record whose position in the queue changed, and `on_wait(record)`
    with every queued record that waits for another reason or time.
    """

    def __init__(
        self,
        manager: AsyncTaskManager,
        quota: RunnerQuota,
        holds: RunnerHolds,
        starter: Starter,
        on_move: Callable[[RunRecord], None],
        on_wait: Callable[[RunRecord], None],
    ) -> None:
        self._manager = manager
        self._quota = quota
        self._holds = holds
        self._starter = starter
        self._on_wait = on_wait
        self._queue = LaunchQueue(on_move)
        self._starting: set[asyncio.Task[None]] = set()
        self._slot_freed = asyncio.Event()
        self._lending = Lending()
        self._closed = False
        holds.changed.subscribe(lambda _: self.pump())

    def __len__(self) -> int:
        """Return the number of queued launches."""
        return len(self._queue)

    def can_start(self, prepared: PreparedLaunch) -> bool:
        """Return whether a slot and the runner are free and no queued launch could start instead."""
        is_next = self._may_start(prepared) and not any(map(self._may_start, self._queue))
        return is_next and self._manager.can_launch_async().allowed

    def is_held(self, prepared: PreparedLaunch) -> bool:
        """Return whether only its runner's model or its cluster keeps a launch from starting."""
        is_within_limits = self._quota.has(prepared.runner_name) and self._manager.can_launch_async().allowed
        return is_within_limits and not self._has_place(prepared)

    async def until_can_start(self, prepared: PreparedLaunch) -> None:
        """Wait for the slots of ended runs whose processes still exit, unless the launch is held anyway.

        A client may launch a run as soon as it is notified of an end. This takes seconds at most.
        """
        await self._until_freed(
            lambda: self.can_start(prepared) or self.is_held(prepared) or not self._manager.ended_with_slot
        )

    async def start_now(self, prepared: PreparedLaunch) -> bool:
        """Start a launch if it can start now, and return whether it was started.

        If the start raises, the error propagates and the slot is free again.
        """
        slot = self._reserve(prepared) if self.can_start(prepared) else None
        if slot is None:
            return False
        await self._start(prepared, slot)
        return True

    def limit_reached(self, prepared: PreparedLaunch) -> LimitReached:
        """Return the error for a launch that cannot start now, with the limit and the number of runs."""
        try:
            self._quota.check(prepared.runner_name)
        except LimitReached as error:
            return error
        running, maximum = self._manager.slots_taken, self._manager.max_async_tasks
        return LimitReached(f"Max async tasks ({maximum}) reached", running=running, max=maximum)

    def enqueue(self, prepared: PreparedLaunch) -> int:
        """Append a launch to the queue and return its position, counted from 1.

        Neither it nor later launches start until `make_ready` confirms that its record is durable.
        """
        position = self._queue.append(prepared)
        prepared.record.task.waiting = self._why_waiting(prepared)
        return position

    def make_ready(self, task_id: str) -> None:
        """Allow a queued launch to start when its turn comes."""
        self._queue.make_ready(task_id)
        self.pump()

    def remove(self, task_id: str) -> bool:
        """Remove a launch from the queue; return False if it is not queued."""
        return self._queue.take(task_id) is not None

    def move(self, task_id: str, position: int) -> int | None:
        """Move a queued launch to a position, counted from 1, and return its new position.

        A position after the end means the end. Returns None if the launch is not queued.
        """
        new = self._queue.move(task_id, position)
        if new is not None:
            self.pump()
        return new

    async def start_over_limit(self, task_id: str) -> bool:
        """Start a queued launch whatever the limits; return False if it is not queued.

        Its slot is not given to the queue when it ends, as long as the limit is exceeded.
        """
        prepared = self._queue.ready(task_id)
        if prepared is None or self._closed:
            return False
        await asyncio.shield(self._start_over_limit(prepared))
        return True

    def waiting(self) -> list[RunRecord]:
        """Return the queued records in order."""
        return [prepared.record for prepared in self._queue]

    def pump(self) -> None:
        """Start as many queued launches as slots and runners allow. Call this when a slot may be free."""
        while not self._closed:
            prepared = next((each for each in self._queue if self._may_start(each)), None)
            if prepared is None or not self._queue.is_ready(prepared):
                break
            slot = self._manager.reserve_slot()
            if slot is None:
                break
            self._begin_start(prepared, slot)
        self._start_borrowers()
        self._show_waits()

    @contextmanager
    def waiting_for_children(self, task_id: str) -> Iterator[None]:
        """Let a queued child of a run start in the run's place while the run waits for its children."""
        with self._lending.waiting(task_id):
            self.pump()
            yield

    @contextmanager
    def place_of_parent(self, prepared: PreparedLaunch) -> Iterator[None]:
        """Give a launch for which its parent waits the parent's slot, or else a slot of its own.

        Raises LimitReached if neither is free.
        """
        parent = prepared.record.task.parent_task_id
        if parent is not None and not self._lending.has_lent(parent):
            self._lending.lend(parent, prepared.task_id)
            try:
                yield
            finally:
                self._lending.give_back(prepared.task_id)
                self.pump()
            return
        slot = self._manager.reserve_slot()
        if slot is None:
            raise self.limit_reached(prepared)
        with slot:
            yield
        self.pump()

    def adopt(self, prepared: PreparedLaunch) -> None:
        """Count a run that an earlier process launched."""
        self._take(prepared)

    def release(self, task_id: str) -> None:
        """Release the runner quota of an ended run, and start the next launch."""
        self._quota.release(task_id)
        self._lending.give_back(task_id)
        self.pump()

    def slot_freed(self) -> None:
        """Wake callers that wait for a slot or for the processes of a run."""
        self._slot_freed.set()

    def close(self) -> list[RunRecord]:
        """Stop starting launches, and return the records that are still queued."""
        self._closed = True
        self._holds.close()
        waiting = self.waiting()
        self._queue.clear()
        return waiting

    async def aclose(self, limit: float) -> list[RunRecord]:
        """Close, wait at most `limit` seconds for launches that are starting, and return queued records."""
        waiting = self.close()
        if self._starting:
            await asyncio.wait(set(self._starting), timeout=limit)
        return waiting

    async def _until_freed(self, is_done: Callable[[], bool]) -> None:
        while not is_done():
            self._slot_freed.clear()
            await self._slot_freed.wait()

    def _show_waits(self) -> None:
        """Show the new reasons and times of queued launches."""
        for prepared in () if self._closed else tuple(self._queue):
            task, waiting = prepared.record.task, self._why_waiting(prepared)
            if task.waiting != waiting:
                task.waiting = waiting
                self._on_wait(prepared.record)

    def _why_waiting(self, prepared: PreparedLaunch) -> Waiting | None:
        """Return why a launch waits although a slot of this Host may be free."""
        held = self._holds.waiting(prepared.account)
        return held or (None if prepared.target.has_place() else Waiting(reason="clusterSlots"))

    def _start_borrowers(self) -> None:
        """Start queued children in the places of parents that wait for them.

        A child of the same runner needs no place of that runner either.
        """
        for prepared in () if self._closed else tuple(self._queue):
            parent = prepared.record.task.parent_task_id
            if parent is None or not self._lending.can_lend(parent) or not self._queue.is_ready(prepared):
                continue
            runner = prepared.runner_name
            has_place = self._quota.has(runner) or self._quota.runner_of(parent) == runner
            if has_place and self._has_place(prepared):
                self._lending.lend(parent, prepared.task_id)
                self._start_over_limit(prepared)

    def _start_over_limit(self, prepared: PreparedLaunch) -> "asyncio.Task[None]":
        slot = self._manager.reserve_slot(over_limit=True)
        assert slot is not None, "no limit applies"
        return self._begin_start(prepared, slot)

    def _may_start(self, prepared: PreparedLaunch) -> bool:
        return self._quota.has(prepared.runner_name) and self._has_place(prepared)

    def _has_place(self, prepared: PreparedLaunch) -> bool:
        """Return whether the runner's model accepts requests, and a cluster has a free slot."""
        return self._holds.may_start(prepared.account) and prepared.target.has_place()

    def _reserve(self, prepared: PreparedLaunch) -> Slot | None:
        slot = self._manager.reserve_slot()
        if slot is not None:
            self._take(prepared)
        return slot

    def _take(self, prepared: PreparedLaunch) -> None:
        self._quota.take(prepared.runner_name, prepared.task_id)
        self._holds.enter(prepared.task_id, prepared.account)

    def _begin_start(self, prepared: PreparedLaunch, slot: Slot) -> "asyncio.Task[None]":
        self._queue.take(prepared.task_id)
        starting = asyncio.create_task(self._start_queued(prepared, slot))
        self._starting.add(starting)
        starting.add_done_callback(self._starting.discard)
        self._take(prepared)  # others may start because of it, after this one
        return starting

    async def _start(self, prepared: PreparedLaunch, slot: Slot) -> None:
        try:
            await self._starter.start(prepared, slot)
        except BaseException:
            self._quota.release(prepared.task_id)
            self._lending.give_back(prepared.task_id)
            self._holds.leave(prepared.task_id)
            raise

    async def _start_queued(self, prepared: PreparedLaunch, slot: Slot) -> None:
        try:
            with slot:
                await self._start(prepared, slot)
        except LaunchAborted as error:
            logger.info("queued run %s was stopped: %s", prepared.task_id, error)
        except Exception:
            logger.exception("queued run %s could not be launched", prepared.task_id)
        self.pump()
