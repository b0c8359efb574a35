"""What ended runs left on a cluster is removed as soon as their nodes answer."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest

from sidecar.api.runs.async_tasks import Changes
from sidecar.app.upkeep import fleet_leftovers
from sidecar.app.upkeep.fleet_leftovers import FleetLeftovers
from sidecar.subagents.journal.event_log import EventLog
from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.runners.contract import RunnerUnavailable
from sidecar.subagents.runners.remote import leftovers
from sidecar.subagents.runners.remote.link import FleetLink
from sidecar.subagents.runs.registry.registry import RunRegistry
from tests.app.upkeep.records import record
from tests.fleet.fakes.virtual_time import run_virtually


class Cluster:
    """A cluster whose nodes answer only after `failures` calls; see `FleetLink`."""

    def __init__(self, runs: list[str], failures: int = 0) -> None:
        self.runs = runs
        self.failures = failures
        self.asked: list[str] = []
        self.is_connected = True
        self.expected: dict[str, str] = {}

    async def status(self, limit: float) -> dict[str, Any]:
        self.asked.append("status")
        return {"runs": self.runs, "nodes": []}

    async def request(self, op: str, limit: float, run: str, nodeId: str) -> None:
        self.asked.append(op)
        if self.failures:
            self.failures -= 1
            raise TimeoutError("the node does not answer")
        self.runs.remove(run)


@pytest.fixture
async def journal(tmp_path: Path) -> AsyncIterator[Journal]:
    journal = await Journal.open(tmp_path / "sidecar.db")
    yield journal
    await journal.aclose()


@pytest.fixture
async def registry(journal: Journal) -> AsyncIterator[RunRegistry]:
    registry = RunRegistry(journal, EventLog(journal, lambda: 5), lambda: 5, lambda _: None)
    yield registry
    await registry.aclose(1)


async def cleaned(registry: RunRegistry, cluster: Cluster) -> None:
    cleaning = FleetLeftovers(registry)
    cleaning.clean(cast(FleetLink, cluster))
    await asyncio.gather(*cleaning._cleaning.values())


async def test_an_ended_run_is_removed_once_its_node_answers(
    journal: Journal, registry: RunRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fleet_leftovers, "_AGAIN_SECONDS", 0)
    ended, running = record(status="failed", completed_at=2_000), record()
    await journal.save(ended)
    await registry.add(running)
    cluster = Cluster([running.task.id, ended.task.id, "of another sidecar"], failures=2)
    await cleaned(registry, cluster)
    assert cluster.runs == [running.task.id, "of another sidecar"]
    assert cluster.asked == ["status", "drop"] * 3
    kept = await journal.get(ended.task.id)
    assert kept is not None and kept.has_left


@pytest.mark.parametrize("is_back", [False, True])
async def test_changes_are_taken_unless_git_has_counted_them(
    journal: Journal, registry: RunRegistry, monkeypatch: pytest.MonkeyPatch, is_back: bool
) -> None:
    ended = record(status="failed", completed_at=2_000, changes=Changes(files=9, additions=9, deletions=9))
    ended.has_changes = is_back
    await journal.save(ended)
    counted, taken = Changes(files=1, additions=2, deletions=3), []

    async def collect(link: object, run: str, remote: object, brought_back: Any) -> None:
        taken.append(brought_back is not None)
        if brought_back is not None:
            await brought_back(counted)
        cluster.runs.remove(run)

    monkeypatch.setattr(leftovers, "collect", collect)
    cluster = Cluster([ended.task.id])
    await cleaned(registry, cluster)
    kept = await journal.get(ended.task.id)
    assert kept is not None and kept.has_changes and kept.has_left and taken == [not is_back]
    assert (kept.task.changes == counted) is not is_back


class NoRuns:
    """A registry without runs; see `RunRegistry`."""

    def live(self, task_id: str) -> None:
        """Return none."""

    async def find(self, task_id: str) -> None:
        """Return none."""


class JoinedNode(Cluster):
    """A cluster whose node describes itself from the `count`-th status on, and that a run is expected of."""

    def __init__(self, count: int) -> None:
        super().__init__([])
        self.expected = {"run": "a"}
        self._count = count
        self.times: list[float] = []

    async def status(self, limit: float) -> dict[str, Any]:
        self.times.append(asyncio.get_running_loop().time())
        if len(self.times) == 6:
            self.is_connected, self.expected = False, {}
        probe: dict[str, Any] | None = {"runs": []} if len(self.times) >= self._count else None
        head = {"nodeId": "head", "slots": 0, "probe": None}
        return {"runs": [], "nodes": [{"nodeId": "b", "slots": 2, "probe": probe}, head]}


@pytest.mark.parametrize(
    ("described", "times"), [(1, [0, 15, 45, 75, 105, 135]), (5, [0, 15, 30, 45, 60, 75])]
)
def test_a_node_that_has_not_described_itself_is_asked_more_often(described: int, times: list[float]) -> None:
    cluster = JoinedNode(described)
    run_virtually(partial(cleaned, cast(RunRegistry, NoRuns()), cluster))
    assert cluster.times == times


def test_a_cluster_is_not_clean_before_all_nodes_have_described_themselves() -> None:
    cluster = JoinedNode(3)
    cluster.expected = {}
    run_virtually(partial(cleaned, cast(RunRegistry, NoRuns()), cluster))
    assert cluster.times == [0, 15, 30]


@pytest.mark.parametrize("expected", [{}, {"run": "a"}])
async def test_the_host_waits_while_a_run_is_expected(
    registry: RunRegistry, expected: dict[str, str]
) -> None:
    cleaning, changes = FleetLeftovers(registry), []
    cleaning.changed = lambda: changes.append(cleaning.awaits_until)
    cluster = Cluster([])
    cluster.expected, cluster.is_connected = expected, False
    now = asyncio.get_running_loop().time()
    cleaning.clean(cast(FleetLink, cluster))
    assert cleaning.awaits_until == changes[0] and (changes[0] > now + 60) is bool(expected)
    cluster.expected = {}
    assert cleaning.awaits_until == 0
    await cleaning.aclose()


class DeadCluster(Cluster):
    """A cluster that is started again after some time, with the changes of a run that is expected of it."""

    def __init__(self, after: float) -> None:
        super().__init__([])
        self.is_connected, self.expected = False, {"run": "a"}
        self._after = after
        self.times: list[float] = []

    async def status(self, limit: float) -> dict[str, Any]:
        self.times.append(asyncio.get_running_loop().time())
        if self.times[-1] < self._after:
            raise RunnerUnavailable("no cluster answers")
        self.is_connected, self.expected = True, {}
        return {"runs": [], "nodes": []}


@pytest.mark.parametrize("seconds", [0, 40, 3600, 80_000])
def test_a_cluster_that_is_down_is_tried_again_while_a_run_is_expected(seconds: float) -> None:
    cluster = DeadCluster(seconds)
    run_virtually(partial(cleaned, cast(RunRegistry, NoRuns()), cluster))
    assert seconds <= cluster.times[-1] <= seconds + 120 and not cluster.expected
    assert all(later - earlier >= 15 for earlier, later in pairwise(cluster.times))


async def test_without_a_connection_nothing_is_asked(registry: RunRegistry) -> None:
    cluster = Cluster([])
    cluster.is_connected = False
    await cleaned(registry, cluster)
    assert cluster.asked == []
