"""The queued launches in order, with the positions in their records."""

from collections.abc import Callable, Iterator

from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.runs.prepared import PreparedLaunch


class LaunchQueue:
    """Keep launches in order. Only the ready ones, whose records are durable, may leave it to start.

    `on_move(record)` is called with every record whose position changed.
    """

    def __init__(self, on_move: Callable[[RunRecord], None]) -> None:
        self._on_move = on_move
        self._launches: list[PreparedLaunch] = []
        self._ready: set[str] = set()

    def __len__(self) -> int:
        """Return the number of launches."""
        return len(self._launches)

    def __iter__(self) -> Iterator[PreparedLaunch]:
        """Iterate over the launches in order."""
        return iter(self._launches)

    def append(self, prepared: PreparedLaunch) -> int:
        """Append a launch that is not ready, and return its position, counted from 1."""
        self._launches.append(prepared)
        prepared.record.task.queue_position = len(self._launches)
        return len(self._launches)

    def make_ready(self, task_id: str) -> None:
        """Allow a launch to start, if it is still queued."""
        if self._index(task_id) is not None:
            self._ready.add(task_id)

    def is_ready(self, prepared: PreparedLaunch) -> bool:
        """Return whether a launch is queued and may start."""
        return prepared.task_id in self._ready

    def ready(self, task_id: str) -> PreparedLaunch | None:
        """Return a queued launch that may start; None if there is none with this ID."""
        return next((each for each in self if each.task_id == task_id and self.is_ready(each)), None)

    def take(self, task_id: str) -> PreparedLaunch | None:
        """Remove a launch and return it; None if it is not queued."""
        index = self._index(task_id)
        if index is None:
            return None
        prepared = self._launches.pop(index)
        self._ready.discard(task_id)
        self._renumber(index)
        return prepared

    def move(self, task_id: str, position: int) -> int | None:
        """Move a launch to a position, counted from 1, and return its new position.

        A position after the end means the end. Returns None if the launch is not queued.
        """
        old = self._index(task_id)
        if old is None:
            return None
        new = min(position, len(self._launches)) - 1
        self._launches.insert(new, self._launches.pop(old))
        self._renumber(min(old, new), max(old, new) + 1)
        return new + 1

    def clear(self) -> None:
        """Remove all launches; their records keep their positions."""
        self._launches.clear()

    def _index(self, task_id: str) -> int | None:
        return next((n for n, each in enumerate(self._launches) if each.task_id == task_id), None)

    def _renumber(self, start: int, end: int | None = None) -> None:
        for position, prepared in enumerate(self._launches[start:end], start + 1):
            if prepared.record.task.queue_position != position:
                prepared.record.task.queue_position = position
                self._on_move(prepared.record)
