"""Number the events of runs, keep them, and pass them to watchers."""

import logging
from collections import deque
from collections.abc import AsyncIterator, Callable
from itertools import islice
from typing import Any

from sidecar.api.errors import StorageError
from sidecar.subagents.journal import codec
from sidecar.subagents.journal.journal import EventPage, Journal
from sidecar.subagents.journal.records import RunRecord

Watcher = Callable[[dict[str, Any]], None]

log = logging.getLogger(__name__)


class EventLog:
    """Number the events of every run from 1 without gaps and write them to the journal.

    Reads are complete at any time. The journal writes queued events before it serves a later read, so a
    numbered event is either in the tail in memory or in the journal.
    """

    def __init__(self, journal: Journal, now: Callable[[], int], *, tail_bytes: int = 256 << 10) -> None:
        """`now` returns ms since the epoch; `tail_bytes` limits the JSON in memory for each open task."""
        self._journal = journal
        self._now = now
        self._tail_bytes = tail_bytes
        self._tails: dict[str, _Tail] = {}
        self._watchers: dict[str, list[Watcher]] = {}

    async def append(self, task_id: str, event: dict[str, Any]) -> int:
        """Add `seq` and `ts` to `event`, keep it and notify the watchers; return the seq.

        Wait while the journal's queue is full. Raises StorageError if the disk does not keep up.
        """
        await self._journal.wait_for_room()
        tail = await self._tail(task_id)
        # No await from here on, so that numbers, the journal and the watchers have the same order.
        stamped, body = self._stamped(tail, event)
        self._journal.enqueue(task_id, [(stamped["seq"], body)])
        self._publish(task_id, tail, stamped, len(body))
        return tail.last_seq

    async def end(self, record: RunRecord, event: dict[str, Any]) -> None:
        """Log the last event of a run and its record in one transaction, and close the task.

        Return once both are durable, even if the disk stays full for a long time. Raises StorageError if the
        journal closes first.
        """
        task_id = record.task.id
        tail = await self._tail(task_id)
        stamped, body = self._stamped(tail, event)
        ended = self._journal.end(record, stamped["seq"], body)
        self._publish(task_id, tail, stamped, len(body))
        await ended
        self.close_task(task_id)

    def end_unrecorded(self, task_id: str, event: dict[str, Any]) -> None:
        """Log the last event of a run only in memory, because the journal is gone or has another owner.

        Do nothing for a task without events.
        """
        tail = self._tails.get(task_id)
        if tail is None:
            return
        stamped, body = self._stamped(tail, event)
        tail.is_final = True
        self._publish(task_id, tail, stamped, len(body))

    def is_over(self, task_id: str) -> bool:
        """Return whether the last event of a task was logged by `end_unrecorded`."""
        tail = self._tails.get(task_id)
        return tail is not None and tail.is_final

    def newest(self, task_id: str) -> int | None:
        """Return the latest seq of an open task, durable or not; None for any other task."""
        tail = self._tails.get(task_id)
        return None if tail is None else tail.last_seq

    def watch(self, task_id: str, watcher: Watcher) -> Callable[[], None]:
        """Call `watcher` in the loop with every later event, in order; return the function that removes it.

        A watcher must not block and must not change the event. If it raises, the error is logged and the
        watcher stays.
        """
        self._watchers.setdefault(task_id, []).append(watcher)

        def unwatch() -> None:
            watchers = self._watchers.get(task_id, [])
            if watcher in watchers:
                watchers.remove(watcher)
            if not watchers:
                self._watchers.pop(task_id, None)

        return unwatch

    async def last_seq(self, task_id: str) -> int:
        """Return the seq of the latest durable event, or 0. Make queued events durable first."""
        tail = self._tails.get(task_id)
        if tail is None:
            return await self._journal.last_seq(task_id)
        last_seq = tail.last_seq
        if tail.is_final:
            return last_seq
        return last_seq if await self._is_durable(urgent=True) else await self._journal.last_seq(task_id)

    async def read(
        self,
        task_id: str,
        after_seq: int = 0,
        limit: int = 200,
        max_bytes: int = 1 << 20,
        *,
        urgent: bool = True,
    ) -> EventPage:
        """Return events after `after_seq`; see `Journal.read_events`, and `Journal.flush` for `urgent`.

        The events are durable when this returns, because a reader that continues from the last `seq` it saw
        must not find another event under that number after a crash. On a full disk, omit the latest events.
        """
        tail = self._tails.get(task_id)
        if tail is not None and tail.covers(after_seq):
            page = tail.page(after_seq, limit, max_bytes)
            if not page.events or tail.is_final or await self._is_durable(urgent):
                return page
        page = await self._journal.read_events(task_id, after_seq, limit, max_bytes)
        is_short = tail is not None and tail.is_final and bool(page.events)
        return page._replace(more=True) if is_short else page

    async def _is_durable(self, urgent: bool) -> bool:
        try:
            await self._journal.flush(urgent=urgent)
        except StorageError:
            return False
        return True

    async def all_of(self, task_id: str) -> AsyncIterator[dict[str, Any]]:
        """Yield every event of a task that has ended."""
        page = await self.read(task_id)
        while page.events:
            for event in page.events:
                yield event
            page = await self.read(task_id, page.last_seq)

    def close_task(self, task_id: str) -> None:
        """Drop the tail of an ended task. Later reads use the journal, and watchers stay."""
        self._tails.pop(task_id, None)

    async def _tail(self, task_id: str) -> "_Tail":
        tail = self._tails.get(task_id)
        if tail is not None:
            return tail
        last_seq = await self._journal.last_seq(task_id)
        return self._tails.setdefault(task_id, _Tail(last_seq, self._tail_bytes))

    def _stamped(self, tail: "_Tail", event: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        stamped = {**event, "seq": tail.last_seq + 1, "ts": max(self._now(), tail.last_ts)}
        return stamped, codec.encode(stamped)

    def _publish(self, task_id: str, tail: "_Tail", event: dict[str, Any], size: int) -> None:
        tail.add(event, size)
        for watcher in tuple(self._watchers.get(task_id, ())):
            try:
                watcher(event)
            except Exception:
                log.exception("a watcher of task %s failed", task_id)


class _Tail:
    """The latest events of one task, up to a size in bytes."""

    def __init__(self, last_seq: int, max_bytes: int) -> None:
        self.last_seq = last_seq
        self.last_ts = 0
        """The latest time. No event gets an earlier one, even if the clock is set back."""
        self.is_final = False
        """Whether the last event is only in memory and not in the journal."""
        self._max_bytes = max_bytes
        self._bytes = 0
        self._kept: deque[tuple[dict[str, Any], int]] = deque()

    def add(self, event: dict[str, Any], size: int) -> None:
        self.last_seq, self.last_ts = event["seq"], event["ts"]
        self._kept.append((event, size))
        self._bytes += size
        while self._bytes > self._max_bytes:
            self._bytes -= self._kept.popleft()[1]

    def covers(self, after_seq: int) -> bool:
        return after_seq >= self.last_seq - len(self._kept)

    def page(self, after_seq: int, limit: int, max_bytes: int) -> EventPage:
        first = max(0, after_seq - (self.last_seq - len(self._kept)))
        events: list[dict[str, Any]] = []
        for event, size in islice(self._kept, first, first + limit):
            max_bytes -= size
            if events and max_bytes < 0:
                break
            events.append(event)
        last = events[-1]["seq"] if events else self.last_seq
        return EventPage(events, last, last < self.last_seq)
