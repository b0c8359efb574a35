"""Prepare the input for a run that continues an ended one."""

from sidecar.subagents.fold import RunFold
from sidecar.subagents.journal.event_log import EventLog
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.runs.registry.registry import RunRegistry
from sidecar.subagents.tasks.launching import Resumption


class Resumptions:
    """Create resumptions from the events and records of ended runs."""

    def __init__(self, events: EventLog, registry: RunRegistry) -> None:
        self._events = events
        self._registry = registry

    async def of(self, ended: RunRecord, text: str | None, *, same_runner: bool) -> Resumption:
        """Return how to resume an ended run with a client's `text`. A session requires the same runner."""
        fold = RunFold(ended.task.progress.last_activity_at, with_replay=True)
        async for event in self._events.all_of(ended.task.id):
            fold.take(event)
        assert fold.replay is not None
        session_id = ended.session_id if same_runner else None
        cost = 0 if session_id is None else await self._session_cost(ended)
        return Resumption(fold.replay.text(), session_id, cost, text)

    async def _session_cost(self, newest: RunRecord) -> float:
        """Return the cost of all runs of a session up to this one, in USD."""
        cost, record = 0.0, newest
        while record.session_id == newest.session_id:
            cost += record.task.progress.cost or 0
            before = await self._registry.find(record.task.resumes) if record.task.resumes else None
            if before is None:
                break
            record = before
        return cost
