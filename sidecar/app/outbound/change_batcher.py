"""Batch changes of stored tasks: send the first at once, the others at most four times a second."""

import asyncio
from collections.abc import Callable
from typing import Literal

INTERVAL_SECONDS = 0.25
MOST_ANNOUNCED = 1_000
"""How many announced tasks are remembered. A scan finds a new task within seconds."""

Change = Literal["added", "changed", "removed"]


class ChangeBatcher:
    """Collect the IDs of changed tasks and announce them in batches.

    `announce(added, changed, removed)` is called in the event loop.
    """

    def __init__(self, announce: Callable[[list[str], list[str], list[str]], None]) -> None:
        self._announce = announce
        self._pending: dict[str, Change] = {}
        self._announced: dict[str, None] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    def record(self, task_id: str, change: Change) -> None:
        """Add one change, merged with pending changes of the same task.

        Runs of the sidecar are announced when they start, so a later "added" from a scan becomes "changed".
        """
        if self._closed:
            return
        if change == "added" and task_id in self._announced:
            change = "changed"
        known = self._pending.get(task_id)
        if known == "added" and change == "removed":
            del self._pending[task_id]
        elif known != "added":
            self._pending[task_id] = change
        if self._timer is None and self._pending:
            self._flush()

    def close(self) -> None:
        """Stop, and drop pending changes."""
        self._closed = True
        self._pending.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _flush(self) -> None:
        batch, self._pending = self._pending, {}
        for task_id, change in batch.items():
            self._announced.pop(task_id, None)
            if change != "removed":
                self._announced[task_id] = None
        while len(self._announced) > MOST_ANNOUNCED:
            del self._announced[next(iter(self._announced))]
        self._announce(*([each for each, kind in batch.items() if kind == change] for change in _CHANGES))
        self._timer = asyncio.get_running_loop().call_later(INTERVAL_SECONDS, self._quiet)

    def _quiet(self) -> None:
        self._timer = None
        if self._pending:
            self._flush()


_CHANGES: tuple[Change, ...] = ("added", "changed", "removed")
