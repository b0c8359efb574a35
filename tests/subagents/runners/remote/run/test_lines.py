"""What a node reports of a run before and after its agent starts."""

from typing import Any

from sidecar.api.runs.async_tasks import PlacementState
from sidecar.api.settings import FleetSettings
from sidecar.subagents.limits.constraints import RunConstraints
from sidecar.subagents.runners.contract import RunObserver
from sidecar.subagents.runners.fleet_links import FleetLinks
from sidecar.subagents.runners.remote.job import RemoteRecord, Tree
from sidecar.subagents.runners.remote.run.lines import RunLines
from sidecar.subagents.runners.remote.run.node import RunNode
from sidecar.subagents.runners.remote.run.requests import RunRequests

STATE: dict[str, Any] = {
    "started": True,
    "ready": None,
    "listens": False,
    "session": None,
    "timeLeft": None,
    "mode": None,
    "model": None,
    "effort": None,
    "last": 0,
    "open": [],
}


class Places(RunObserver):
    """Keep the states of the placement; see `RunObserver`."""

    def __init__(self) -> None:
        self.states: list[PlacementState] = []

    def placed(self, node: str | None, state: PlacementState) -> None:
        self.states.append(state)


async def ignore(event: dict[str, Any]) -> None:
    """Drop an event."""


def lines(observer: RunObserver) -> RunLines:
    record = RemoteRecord(
        gateway=["true"],
        address="auto",
        namespace="test",
        token_path=None,
        heartbeat_seconds=1,
        lost_after_seconds=30,
        tree=Tree(root="/w", prefix="", base="b", repository="r"),
        runner_type="command",
        listens=False,
        policy="ask",
        constraints=RunConstraints(),
    )
    requests = RunRequests(FleetLinks().link(FleetSettings(), {}), "run")
    return RunLines(record, RunNode(record, observer), requests, observer, ignore, 0, is_found=False)


async def test_a_run_whose_node_makes_its_tree_is_starting() -> None:
    places = Places()
    of_run = lines(places)
    of_run.take_over({**STATE, "begun": False})
    await of_run.take({"after": 0, "lines": []})
    await of_run.take({"after": 0, "lines": [{"event": {"type": "log"}}]})
    assert set(places.states) == {"starting"}
    await of_run.take({"after": 1, "lines": [{"begun": True}]})
    await of_run.take({"after": 2, "lines": []})
    assert places.states[-2:] == ["running", "running"]


async def test_a_run_whose_agent_had_started_when_it_was_found_is_running() -> None:
    places = Places()
    of_run = lines(places)
    of_run.take_over({**STATE, "begun": True})
    await of_run.take({"after": 0, "lines": []})
    assert places.states == ["running"]
