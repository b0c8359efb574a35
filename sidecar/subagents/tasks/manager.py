"""The state machine of async tasks: pure, single-threaded, without a loop, a disk or a process."""

import time
from bisect import insort
from collections.abc import Callable
from itertools import count
from typing import Any

from sidecar.subagents.tasks.model import AsyncTaskInfo, LaunchPermission, Output, PrefixMatch, Status
from sidecar.subagents.tasks.signals import Signal, call_safely
from sidecar.subagents.tasks.slots import Slot

UNLIMITED = -1
UNLIMITED_HISTORY = 10
"""How many ended tasks are kept without a limit; with a limit, twice the limit is kept."""

TRANSITIONS: dict[Status, frozenset[Status]] = {
    "running": frozenset({"completed", "failed", "cancelled"}),
    "completed": frozenset(),
    "failed": frozenset(),
    "cancelled": frozenset(),
}


def wall_clock_ms() -> int:
    """Return the current time in ms since the epoch."""
    return time.time_ns() // 1_000_000


class AsyncTaskManager:
    """Keep running and ended tasks in the order of registration.

    Queries return live records. `now` returns integer ms since the epoch. With `trim_past_pending`, pending
    notifications neither count as kept tasks nor prevent the removal of later tasks, so that a result that
    nobody asks for does not make the history grow.
    """

    def __init__(
        self,
        max_async_tasks: int = 5,
        now: Callable[[], int] = wall_clock_ms,
        *,
        trim_past_pending: bool = False,
    ) -> None:
        self.now = now
        self._trim_past_pending = trim_past_pending
        self._max = _valid_max(max_async_tasks)
        self._tasks: dict[str, AsyncTaskInfo] = {}
        self._numbers: dict[str, int] = {}
        self._next_number = count()
        self._ended_tasks: list[tuple[int, int, AsyncTaskInfo]] = []
        """Sorted by end, then by registration. Inserting in order is cheaper than sorting at each end."""
        self._aborts: dict[str, Callable[[], object]] = {}
        self._slots: set[Slot] = set()
        self._kept_slots: set[str] = set()
        self._ended: dict[Status, Signal[AsyncTaskInfo]] = {
            "completed": Signal(),
            "failed": Signal(),
            "cancelled": Signal(),
        }

    @property
    def max_async_tasks(self) -> int:
        """How many tasks may run at once; -1 for no limit, 0 for none."""
        return self._max

    @property
    def slots_taken(self) -> int:
        """How many slots running tasks, launches, and ended tasks with remaining processes take."""
        running = {task.id for task in self._tasks.values() if task.status == "running"}
        return len(self._slots) + len(running | self._kept_slots)

    @property
    def ended_with_slot(self) -> frozenset[str]:
        """The IDs of ended tasks that keep their slots until their processes have exited."""
        return frozenset(id for id in self._kept_slots if not self._is_running(id))

    def keep_slot(self, id: str) -> None:
        """Keep the slot of a task after its end, until `free_slot`."""
        self._kept_slots.add(id)

    def free_slot(self, id: str) -> None:
        """Free the slot of an ended task, or of a running task when it ends."""
        self._kept_slots.discard(id)

    def set_max_async_tasks(self, max_async_tasks: int) -> None:
        """Change the limit for later launches and trim the ended tasks. Running tasks continue.

        Raises ValueError unless the limit is -1 or a whole number of at least 0.
        """
        self._max = _valid_max(max_async_tasks)
        self._trim()

    def can_launch_async(self) -> LaunchPermission:
        """Return whether a slot is free now. Use `reserve_slot` to take one."""
        if self._max == UNLIMITED or self.slots_taken < self._max:
            return LaunchPermission(True)
        return LaunchPermission(False, f"Max async tasks ({self._max}) reached")

    def reserve_slot(self, *, over_limit: bool = False) -> Slot | None:
        """Take a slot for the duration of a launch; return None at the limit, unless it may be exceeded."""
        return Slot(self._slots) if over_limit or self.can_launch_async().allowed else None

    def register_task(
        self,
        *,
        id: str,
        subagent_name: str,
        goal_prompt: str,
        abort: Callable[[], object],
        slot: Slot | None = None,
    ) -> AsyncTaskInfo:
        """Add a running task; `abort` is called when it is cancelled.

        Consumes the slot; without a slot, the limit is ignored. An ended task with the same ID is replaced
        and keeps its position. Raises ValueError if a task with this ID runs, or if the slot was used before
        or belongs to another manager.
        """
        known = self._tasks.get(id)
        if known is not None and known.status == "running":
            raise ValueError(f"async task {id!r} is already running; give each run its own ID")
        if slot is not None:
            self._consume(slot)
        if known is not None:
            self._ended_tasks = [row for row in self._ended_tasks if row[2] is not known]
        task = AsyncTaskInfo(id, subagent_name, goal_prompt, "running", self.now())
        self._enter(task)
        self._aborts[id] = abort
        return task

    def restore(self, task: AsyncTaskInfo) -> None:
        """Add a task that ended in an earlier process, without an event or trimming.

        Raises ValueError if the task is running or its ID is already known.
        """
        if task.status == "running":
            raise ValueError(f"async task {task.id!r} is still running; only an ended one can be restored")
        if task.id in self._tasks:
            raise ValueError(f"async task {task.id!r} is already known")
        self._enter(task)
        self._note_end(task)

    def complete_task(self, id: str, output: Output) -> bool:
        """End a task with its output, whatever its terminate_reason; return False if it was not running."""
        return self._end(id, "completed", output=output)

    def fail_task(self, id: str, error: str, output: Output | None = None) -> bool:
        """End a task as failed with its output so far; return False if it was not running."""
        return self._end(id, "failed", output=output, error=error)

    def cancel_task(self, id: str) -> bool:
        """End a task as cancelled and abort it; return False if it was not running."""
        return self._end(id, "cancelled")

    def get_task(self, id: str) -> AsyncTaskInfo | None:
        """Return the task with exactly this ID."""
        return self._tasks.get(id)

    def get_task_by_prefix(self, prefix: str) -> PrefixMatch:
        """Return the task whose ID has this prefix, or all candidates. Callers try the exact ID first."""
        found = [task for task in self._tasks.values() if task.id.startswith(prefix)]
        return PrefixMatch(found[0]) if len(found) == 1 else PrefixMatch(None, found)

    def get_all_tasks(self) -> list[AsyncTaskInfo]:
        """Return all tasks in the order of registration."""
        return list(self._tasks.values())

    def get_running_tasks(self) -> list[AsyncTaskInfo]:
        """Return the running tasks."""
        return [task for task in self._tasks.values() if task.status == "running"]

    def get_pending_notifications(self) -> list[AsyncTaskInfo]:
        """Return the completed and failed tasks of which the model was not notified yet."""
        return [task for task in self._tasks.values() if _is_pending(task)]

    def mark_notified(self, id: str) -> None:
        """Note that the model was notified of the end of a task.

        Unknown IDs, repeated calls and running tasks are ignored: the end of those is still to be reported.
        """
        task = self._tasks.get(id)
        if task is not None and task.status != "running" and task.notified_at is None:
            task.notified_at = self.now()
            self._trim()

    def on_task_completed(self, handler: Callable[[AsyncTaskInfo], Any]) -> Callable[[], None]:
        """Subscribe to completions; return a function that unsubscribes."""
        return self._ended["completed"].subscribe(handler)

    def on_task_failed(self, handler: Callable[[AsyncTaskInfo], Any]) -> Callable[[], None]:
        """Subscribe to failures; return a function that unsubscribes."""
        return self._ended["failed"].subscribe(handler)

    def on_task_cancelled(self, handler: Callable[[AsyncTaskInfo], Any]) -> Callable[[], None]:
        """Subscribe to cancellations; return a function that unsubscribes."""
        return self._ended["cancelled"].subscribe(handler)

    def _is_running(self, id: str) -> bool:
        return id in self._tasks and self._tasks[id].status == "running"

    def _enter(self, task: AsyncTaskInfo) -> None:
        self._tasks[task.id] = task
        self._numbers.setdefault(task.id, next(self._next_number))

    def _note_end(self, task: AsyncTaskInfo) -> None:
        insort(self._ended_tasks, (task.completed_at or 0, self._numbers[task.id], task))

    def _consume(self, slot: Slot) -> None:
        if not (slot.belongs_to(self._slots) and slot.held):
            raise ValueError(
                "the slot was used before or belongs to another manager; reserve a new one for each launch"
            )
        slot.release()

    def _end(self, id: str, status: Status, output: Output | None = None, error: str | None = None) -> bool:
        task = self._tasks.get(id)
        if task is None or status not in TRANSITIONS[task.status]:
            return False
        task.status = status
        task.completed_at = max(self.now(), task.launched_at)  # the clock may be set back
        task.output = output
        task.error = error
        abort = self._aborts.pop(id, None)
        if status == "cancelled" and abort is not None:
            call_safely(abort)
        self._note_end(task)
        self._ended[status].emit(task)
        self._trim()
        return True

    def _trim(self) -> None:
        """Remove the oldest ended tasks beyond the limit, but stop at a pending notification."""
        limit = UNLIMITED_HISTORY if self._max == UNLIMITED else 2 * self._max
        if self._trim_past_pending:
            self._trim_notified(limit)
            return
        while len(self._ended_tasks) > limit and not _is_pending(self._ended_tasks[0][2]):
            self._remove(0)

    def _trim_notified(self, limit: int) -> None:
        """Keep every pending notification, and the newest `limit` of the other ended tasks."""
        if len(self._ended_tasks) <= limit:
            return
        notified = [place for place, row in enumerate(self._ended_tasks) if not _is_pending(row[2])]
        for place in reversed(notified[: max(0, len(notified) - limit)]):
            self._remove(place)

    def _remove(self, place: int) -> None:
        task = self._ended_tasks.pop(place)[2]
        del self._tasks[task.id], self._numbers[task.id]


def _is_pending(task: AsyncTaskInfo) -> bool:
    return task.status in ("completed", "failed") and task.notified_at is None


def _valid_max(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < UNLIMITED:
        raise ValueError(
            f"max_async_tasks must be -1 (unlimited) or a whole number of at least 0, not {value!r}"
        )
    return value
