"""The events of runs: numbered, kept, and handed to whoever watches."""

from collections.abc import Callable
from typing import Any

from sidecar.subagents.journal import EventPage, Journal

Watcher = Callable[[dict[str, Any]], None]


class EventLog:
    """Numbers the events of every run from 1 without gaps and writes them to the journal."""

    def __init__(self, journal: Journal, now: Callable[[], int], *, tail_bytes: int = 256 << 10) -> None:
        """`now` gives ms since the epoch; `tail_bytes` bounds the JSON kept in memory for each open task."""
        raise NotImplementedError

    async def append(self, task_id: str, event: dict[str, Any]) -> int:
        """Stamp `event` with `seq` and `ts`, keep it and tell the watchers; return the seq.

        Waits while the journal is behind. Raises StorageError once events of this task were lost.
        """
        raise NotImplementedError

    def watch(self, task_id: str, watcher: Watcher) -> Callable[[], None]:
        """Call `watcher` with every later event, in order, in the loop; returns the call that ends it."""
        raise NotImplementedError

    async def last_seq(self, task_id: str) -> int:
        """Return the newest event's seq, 0 if there is none."""
        raise NotImplementedError

    async def read(
        self, task_id: str, after_seq: int = 0, limit: int = 200, max_bytes: int = 1 << 20
    ) -> EventPage:
        """Return events after `after_seq`; see `Journal.read_events`."""
        raise NotImplementedError

    def close_task(self, task_id: str) -> None:
        """Forget the task's tail: it has ended. Reading goes on from the journal; watchers stay."""
        raise NotImplementedError
