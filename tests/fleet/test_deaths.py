"""Whatever is killed, a run on a cluster is found again or named lost, and leaves nothing."""

import asyncio
import os
import signal
from pathlib import Path

import psutil
import pytest

from tests.fleet.conftest import Fleet
from tests.fleet.test_runs import emitted, git, is_contiguous

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

SLOWLY = (
    "echo begun > begun.txt; for i in $(seq 100); do "
    'echo "{\\"type\\": \\"emit\\", \\"name\\": \\"n\\", \\"value\\": $i}"; sleep 0.05; done'
)


async def begun(fleet: Fleet) -> str:
    """Launch a run and wait for its first events."""
    run = await fleet.launch("script", SLOWLY)
    await fleet.until(lambda: fleet.events(run), lambda events: len(emitted(events)) > 5)
    return run


def gateways(parent: int) -> list[psutil.Process]:
    return [each for each in psutil.Process(parent).children() if "sidecar.fleet.gateway" in each.cmdline()]


def worker(run: str) -> int:
    """Return the process of a run's actor: the writer of its journal."""
    for process in psutil.process_iter():
        try:
            files = [os.readlink(each) for each in Path(f"/proc/{process.pid}/fd").iterdir()]
        except OSError:
            continue
        if any(file.endswith(f"{run}/journal.ndjson") for file in files):
            return process.pid
    raise LookupError(run)


async def test_a_killed_gateway_loses_and_repeats_nothing(fleet: Fleet) -> None:
    run = await begun(fleet)
    for process in gateways(fleet.client.pid):
        process.kill()
    task, events = await fleet.ended(run), await fleet.events(run)
    assert task["status"] == "completed"
    assert emitted(events) == list(range(1, 101)) and is_contiguous(events)


async def test_a_killed_sidecar_finds_its_run_again(fleet: Fleet) -> None:
    run = await begun(fleet)
    os.kill(fleet.client.pid, signal.SIGKILL)
    await fleet.client.close()
    await fleet.open()
    task, events = await fleet.ended(run), await fleet.events(run)
    assert task["status"] == "completed"
    assert emitted(events) == list(range(1, 101)) and is_contiguous(events)
    assert git(fleet, "show", f"refs/sidecar/{run}:begun.txt") == "begun"


async def test_a_killed_worker_is_lost_with_its_events_and_changes(fleet: Fleet) -> None:
    run = await begun(fleet)
    os.kill(await asyncio.to_thread(worker, run), signal.SIGKILL)
    task, events = await fleet.ended(run), await fleet.events(run)
    assert (task["status"], task["endReason"]) == ("failed", "lost")
    assert emitted(events) == list(range(1, len(emitted(events)) + 1)) and is_contiguous(events)
    assert task["changes"]["files"] == 1
    assert git(fleet, "show", f"refs/sidecar/{run}:begun.txt") == "begun"


async def test_a_dead_node_ends_its_runs_as_lost(fleet: Fleet) -> None:
    await fleet.client.close()
    fleet.labels = {"fleet.name": "A"}
    await fleet.open(lostAfterSeconds=15)
    run = await begun(fleet)
    await asyncio.to_thread(lambda: fleet.cluster.command(kill="A"))
    task = await fleet.ended(run)
    assert (task["status"], task["endReason"], task["placement"]["state"]) == ("failed", "lost", "lost")
    await fleet.nothing_left()
    await asyncio.to_thread(lambda: fleet.cluster.command(start="A"))
