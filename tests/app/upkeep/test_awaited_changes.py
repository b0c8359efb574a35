"""After a restart, a sidecar asks clusters for the ended runs that it has not removed there."""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from sidecar.api.runs.async_tasks import Changes
from sidecar.api.settings import FleetSettings
from sidecar.app.clock import wall_clock_ms
from sidecar.app.upkeep.awaited_changes import await_changes
from sidecar.app.upkeep.fleet_leftovers import KEEP_SECONDS
from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.limits.constraints import RunConstraints
from sidecar.subagents.runners.contract import RunnerUnavailable
from sidecar.subagents.runners.fleet_links import FleetLinks
from sidecar.subagents.runners.remote.job import RemoteRecord, Tree, to_plain
from tests.app.upkeep.records import record

NOW = wall_clock_ms()
DAY, HOUR = round(KEEP_SECONDS * 1000), 3600 * 1000
"""The tests may run long after this module was imported."""


class Link:
    """A link to a cluster that cannot be reached; see `FleetLink`."""

    def __init__(self) -> None:
        self.expected: list[tuple[str, str]] = []
        self.connections = 0

    def expect(self, run: str, node_id: str) -> None:
        self.expected.append((run, node_id))

    async def gateway(self) -> None:
        self.connections += 1
        raise RunnerUnavailable("no route to the head")


class Links:
    """One link for each gateway; see `FleetLinks`."""

    def __init__(self) -> None:
        self.links: dict[str, Link] = {}

    def link(self, settings: FleetSettings, environment: Mapping[str, str]) -> Link:
        return self.links.setdefault((settings.gateway or [""])[0], Link())


def lost(gateway: str = "a", *, is_going: bool = True, has_left: bool = False, **members: Any) -> RunRecord:
    """Return the record of a run that was lost on a cluster."""
    ended = {"status": "failed", "end_reason": "lost", "completed_at": NOW - DAY + HOUR}
    known = record(**{**ended, **members})
    remote = RemoteRecord(
        gateway=[gateway],
        address="auto",
        namespace="n",
        heartbeat_seconds=5,
        lost_after_seconds=30,
        tree=Tree(root="/w", prefix="", base="b", repository="r"),
        runner_type="command",
        listens=False,
        policy="ask",
        constraints=RunConstraints(),
        is_going=is_going,
        node_id="node-1",
    )
    known.remote, known.has_left = to_plain(remote), has_left
    return known


@pytest.fixture
async def journal(tmp_path: Path) -> AsyncIterator[Journal]:
    journal = await Journal.open(tmp_path / "sidecar.db")
    yield journal
    await journal.aclose()


async def awaited(journal: Journal, *records: RunRecord) -> dict[str, Link]:
    for each in records:
        await journal.save(each)
    links = Links()
    await await_changes(journal, cast(FleetLinks, links), {})
    return links.links


async def test_each_cluster_of_lost_runs_is_asked_once(journal: Journal) -> None:
    first, second, other = lost(), lost(), lost("b")
    links = await awaited(journal, first, second, other)
    assert sorted(links["a"].expected) == sorted([(first.task.id, "node-1"), (second.task.id, "node-1")])
    assert links["b"].expected == [(other.task.id, "node-1")]
    assert [link.connections for link in links.values()] == [1, 1]


@pytest.mark.parametrize(
    ("status", "end_reason"),
    [
        ("cancelled", "cancelledByUser"),
        ("cancelled", "hostExit"),
        ("failed", "timeout"),
        ("completed", "goal"),
    ],
)
async def test_a_run_is_awaited_however_it_ended(journal: Journal, status: str, end_reason: str) -> None:
    named = Changes(files=1, additions=1, deletions=0)  # by the agent; git has not counted them
    known = lost(status=status, end_reason=end_reason, changes=named)
    links = await awaited(journal, known)
    assert links["a"].expected == [(known.task.id, "node-1")]


@pytest.mark.parametrize(
    "known",
    [
        lost(completed_at=NOW - DAY - HOUR),
        lost(has_left=True),
        lost(is_going=False),
        lost(status="running", completed_at=None),
        record(status="failed", end_reason="lost", completed_at=NOW),
    ],
    ids=["too old", "nothing is left", "not started", "not ended", "on this machine"],
)
async def test_other_runs_start_no_gateway(journal: Journal, known: RunRecord) -> None:
    assert await awaited(journal, known) == {}
