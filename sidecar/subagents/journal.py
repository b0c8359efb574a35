"""The journal of async tasks: records, events and deliveries, safe once a call returns."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

from sidecar.api.async_tasks import AsyncStatus
from sidecar.api.errors import StorageError
from sidecar.subagents.records import Delivery, DeliveryState, RunRecord

Records = list[RunRecord]
Deliveries = list[Delivery]
Ids = list[str]


class JournalMissing(StorageError):
    """There is no journal to read yet; `ps` and second processes may show nothing instead."""


class RecordPage(NamedTuple):
    """A page of records, newest launch first; `next_cursor` is None on the last page."""

    records: list[RunRecord]
    next_cursor: str | None


class EventPage(NamedTuple):
    """Events in order; `last_seq` is that of the page's last event (of the journal's, if it is empty)."""

    events: list[dict[str, Any]]
    last_seq: int
    more: bool


class Journal:
    """The asyncio face of `<root>/sidecar.db`; any call may raise StorageError."""

    @classmethod
    async def open(
        cls, path: Path, *, read_only: bool = False, on_failure: Callable[[StorageError], None] | None = None
    ) -> Self:
        """Open or create the journal at `path`; `on_failure` hears of every failed write, in the loop."""
        raise NotImplementedError

    async def aclose(self, limit: float = 5.0) -> None:
        """Write what is queued and close; takes at most `limit` seconds. Idempotent."""
        raise NotImplementedError

    @property
    def depth(self) -> int:
        """How many requests and events are queued, for `health`."""
        raise NotImplementedError

    async def save(self, record: RunRecord) -> None:
        """Make the record durable; concurrent saves share a commit. A set `notified_at` is never unset."""
        raise NotImplementedError

    async def get(self, task_id: str) -> RunRecord | None:
        """Return the record with exactly this id."""
        raise NotImplementedError

    async def by_prefix(self, prefix: str, limit: int = 20) -> Records:
        """Return up to `limit` records whose id starts with `prefix`, newest launch first."""
        raise NotImplementedError

    async def list(
        self, statuses: Sequence[AsyncStatus] | None = None, cursor: str | None = None, limit: int = 200
    ) -> RecordPage:
        """Return a page, newest launch first (a queued task by queued_at); a bad cursor is InvalidParams."""
        raise NotImplementedError

    async def counts(self) -> dict[AsyncStatus, int]:
        """Return how many tasks there are in each of the five states."""
        raise NotImplementedError

    async def unfinished(self) -> Records:
        """Return running and queued records, oldest first; right after `open`, what a crash left."""
        raise NotImplementedError

    async def undelivered(self) -> Records:
        """Return ended tasks the model has not been told of and is to be, oldest end first."""
        raise NotImplementedError

    async def mark_notified(self, task_ids: Sequence[str], at: int) -> Ids:
        """Set `notified_at` where it is unset; return the ids that were."""
        raise NotImplementedError

    async def record_delivery(
        self, delivery_id: str, task_ids: Sequence[str], at: int, state: DeliveryState
    ) -> None:
        """Keep one delivery, or its new state; only the newest thousand are kept."""
        raise NotImplementedError

    async def deliveries(self, limit: int = 200) -> Deliveries:
        """Return the newest deliveries, newest first."""
        raise NotImplementedError

    async def append(self, task_id: str, events: Sequence[dict[str, Any]]) -> None:
        """Queue events, which carry `seq` and `ts`; waits while too much is queued.

        They are committed within some 20 ms. If that fails, this and `flush` raise for the task ever after.
        """
        raise NotImplementedError

    async def flush(self) -> None:
        """Return when everything queued before is durable."""
        raise NotImplementedError

    async def read_events(
        self, task_id: str, after_seq: int = 0, limit: int = 200, max_bytes: int = 1 << 20
    ) -> EventPage:
        """Return events after `after_seq`: at most `limit`, about `max_bytes` of JSON, but at least one."""
        raise NotImplementedError

    async def last_seq(self, task_id: str) -> int:
        """Return the newest event's seq, 0 if there is none."""
        raise NotImplementedError
