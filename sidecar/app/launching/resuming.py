"""Prepare the input for a run that continues an ended one."""

from itertools import takewhile

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
        chain = await self._chain(ended)
        cost = 0 if session_id is None else _session_cost(chain)
        runs = tuple(each.task.id for each in chain if _has_changes_elsewhere(each))
        return Resumption(fold.replay.text(), session_id, cost, text, runs)

    async def _chain(self, newest: RunRecord) -> list[RunRecord]:
        """Return a run, the one that it resumed, and so on."""
        chain = [newest]
        while (resumed := chain[-1].task.resumes) is not None:
            before = await self._registry.find(resumed)
            if before is None:
                break
            chain.append(before)
        return chain


def _has_changes_elsewhere(record: RunRecord) -> bool:
    """Return whether a run worked on a cluster, and may have changed something there."""
    if record.remote is None or not record.remote.get("isGoing"):
        return False
    changes = record.task.changes
    return not record.has_changes or changes is None or changes.files > 0


def _session_cost(chain: list[RunRecord]) -> float:
    """Return the cost of the runs of the newest one's session, in USD."""
    session = takewhile(lambda record: record.session_id == chain[0].session_id, chain)
    return sum(record.task.progress.cost or 0 for record in session)
