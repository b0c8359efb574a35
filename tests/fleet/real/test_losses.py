"""A node that freezes and a control service that dies: their runs are named lost within 30 s."""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.fleet.conftest import Fleet, Json, prepared, started_cluster
from tests.fleet.real.test_runs import emitted, git, is_contiguous

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400), pytest.mark.xdist_group("losses")]

FOREVER = (
    'i=0; while :; do i=$((i + 1)); echo "{\\"type\\": \\"emit\\", \\"name\\": \\"n\\", \\"value\\": $i}"; '
    "sleep 0.2; done"
)
LIMIT = 20
"""`lostAfterSeconds` of these tests: it leaves a busy machine 10 of the 30 seconds."""
NAMED_SECONDS = 30
"""How long after a death, or after the last sign of life, a lost run is named at the latest."""

SOON = {"RAY_gcs_rpc_server_reconnect_timeout_s": "45"}
"""How long the processes of Ray, and with them the run, continue without a control service, by default 60."""


@pytest.fixture
async def doomed(tmp_path: Path) -> AsyncIterator[Fleet]:
    """A sidecar with a cluster of its own, which the test destroys."""
    home = tmp_path / "cluster"
    home.mkdir()
    with started_cluster(home, **SOON) as cluster:
        fleet = prepared(cluster, tmp_path)
        fleet.variables = SOON
        await fleet.open(lostAfterSeconds=LIMIT)
        family = psutil.Process(cluster.pid).children(recursive=True)
        yield fleet
        await fleet.client.close()
        await fleet.nothing_left()
    for process in family:  # Ray leaves some when its control service dies
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


async def begun(fleet: Fleet, first: str = "") -> str:
    """Launch a run that never ends, and wait for its first events."""
    run = await fleet.launch("script", first + FOREVER)
    await fleet.until(lambda: fleet.events(run), lambda events: len(emitted(events)) > 3)
    return run


async def lost(fleet: Fleet, run: str) -> Json:
    """Wait until a run is lost, and check what is known of it then."""
    params = {"taskIds": [run], "timeoutSeconds": 200}
    waited = await fleet.client.request("asyncTasks/wait", params, timeout=210)
    task: Json = waited["tasks"][0]
    events = await fleet.events(run)
    assert (task["status"], task["endReason"], task["placement"]["state"]) == ("failed", "lost", "lost")
    assert task["completedAt"] - task["placement"]["lastHeardAt"] <= NAMED_SECONDS * 1000
    assert emitted(events) == list(range(1, len(emitted(events)) + 1)) and is_contiguous(events)
    return task


@contextmanager
def frozen(raylet: int) -> Iterator[None]:
    """Stop a raylet with its workers and their agents, and let them continue afterwards."""
    parent = psutil.Process(raylet)
    processes = [parent, *parent.children(recursive=True)]
    for process in processes:
        process.suspend()
    try:
        yield
    finally:
        for process in processes:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.resume()


async def test_a_run_on_a_frozen_node_is_lost_and_removed_when_the_node_is_back(fleet: Fleet) -> None:
    await fleet.client.close()
    await fleet.open(lostAfterSeconds=LIMIT)
    run = await begun(fleet, "echo begun > begun.txt; ")
    raylet = (await asyncio.to_thread(lambda: fleet.cluster.command(raylet="B")))["pid"]
    with frozen(raylet):
        task = await lost(fleet, run)
        assert "B did not answer for 20 s (fleet.lostAfterSeconds)" in task["error"]
    await fleet.until(lambda: fleet.task(run), lambda task: "changes" in task)
    assert git(fleet, "show", f"refs/sidecar/{run}:begun.txt") == "begun"
    await fleet.nothing_left()


async def test_a_run_that_a_frozen_node_got_first_works_once_on_another_one(fleet: Fleet) -> None:
    await fleet.client.close()
    await fleet.open(lostAfterSeconds=LIMIT)  # on B
    filling = [await fleet.launch("wait") for _ in range(2)]
    for run in filling:
        await fleet.until_event(run, lambda event: event["type"] == "message")
    await fleet.client.close()
    fleet.labels = {}
    await fleet.open(lostAfterSeconds=LIMIT)
    raylet = (await asyncio.to_thread(lambda: fleet.cluster.command(raylet="A")))["pid"]
    with frozen(raylet):
        run = await fleet.launch("script", "echo begun >> a.txt; echo done")
        await fleet.request("asyncTasks/cancel", taskId=filling[0])
        task = await fleet.ended(run)
        assert (task["status"], task["placement"]["node"]) == ("completed", "B"), task
        assert git(fleet, "show", f"refs/sidecar/{run}:a.txt") == "one\nbegun"
    await fleet.request("asyncTasks/cancel", taskId=filling[1])
    await fleet.until(lambda: fleet.request("fleet/status"), lambda status: free_slots(status, "A") == 2)
    assert (await fleet.task(run))["status"] == "completed"


def free_slots(status: Json, node: str) -> int:
    return int(next(each["freeSlots"] for each in status["nodes"] if each["name"] == node))


async def test_a_run_whose_only_node_froze_before_it_came_is_lost(fleet: Fleet) -> None:
    await fleet.client.close()
    await fleet.open(lostAfterSeconds=LIMIT)
    await fleet.request("fleet/status")
    raylet = (await asyncio.to_thread(lambda: fleet.cluster.command(raylet="B")))["pid"]
    with frozen(raylet):
        run = await fleet.launch("script", "echo begun")
        task = await fleet.ended(run)
        assert (task["status"], task["endReason"]) == ("failed", "lost"), task
        assert "lost before its agent started: node 'B' did not answer" in task["error"]
        assert task["completedAt"] - task["launchedAt"] <= 40_000
    await fleet.nothing_left()


async def test_runs_of_a_cluster_whose_control_service_dies_are_lost(doomed: Fleet) -> None:
    run = await begun(doomed)
    control = (await asyncio.to_thread(lambda: doomed.cluster.command(control="")))["pid"]
    killed_at = time.time()
    os.kill(control, signal.SIGKILL)
    task = await lost(doomed, run)
    assert task["completedAt"] / 1000 - killed_at <= NAMED_SECONDS, task
    assert "the control service of the cluster" in task["error"], task
