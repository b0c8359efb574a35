"""Whatever is killed, a run on a cluster is found again or named lost, and leaves nothing."""

import asyncio
import os
import signal
from pathlib import Path

import psutil
import pytest

from tests.fleet.conftest import PYTHON, Fleet
from tests.fleet.real.test_runs import emitted, git, is_contiguous

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.xdist_group("runs")]

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


async def test_a_gateway_killed_while_a_question_is_open_passes_the_answer_on(fleet: Fleet) -> None:
    run = await fleet.launch("agent", "write new.txt text\nsay bye")
    waiting = await fleet.until(lambda: fleet.task(run), lambda task: "attention" in task)
    for process in gateways(fleet.client.pid):
        process.kill()
    attention = waiting["attention"]
    allow = next(each["optionId"] for each in attention["options"] if each["kind"] == "allow_once")
    await fleet.request("asyncTasks/answer", taskId=run, requestId=attention["requestId"], optionId=allow)
    task = await fleet.ended(run)
    assert (task["status"], task["output"]["final_message"]) == ("completed", "bye")
    assert git(fleet, "show", f"refs/sidecar/{run}:new.txt") == "text"


async def test_runs_that_start_at_once_share_their_node(fleet: Fleet) -> None:
    runs = await asyncio.gather(*(fleet.launch("script", f"echo {number} > new.txt") for number in range(2)))
    for number, run in enumerate(runs):
        assert (await fleet.ended(run))["status"] == "completed"
        assert git(fleet, "show", f"refs/sidecar/{run}:new.txt") == str(number)


async def test_a_killed_sidecar_finds_its_run_again(fleet: Fleet) -> None:
    run = await begun(fleet)
    os.kill(fleet.client.pid, signal.SIGKILL)
    await fleet.client.close()
    await fleet.open()
    task, events = await fleet.ended(run), await fleet.events(run)
    assert task["status"] == "completed"
    assert emitted(events) == list(range(1, 101)) and is_contiguous(events)
    assert git(fleet, "show", f"refs/sidecar/{run}:begun.txt") == "begun"


async def test_a_sidecar_killed_after_a_cancel_gets_the_changes_at_its_next_start(fleet: Fleet) -> None:
    run = await begun(fleet)
    await fleet.request("asyncTasks/cancel", taskId=run)
    os.kill(fleet.client.pid, signal.SIGKILL)
    await fleet.client.close()
    await fleet.open()
    task = await fleet.until(lambda: fleet.task(run), lambda task: "changes" in task)
    assert task["status"] == "cancelled" and task["changes"]["files"] == 1
    assert git(fleet, "show", f"refs/sidecar/{run}:begun.txt") == "begun"
    await fleet.nothing_left()


async def test_a_killed_worker_is_lost_with_its_events_and_changes(fleet: Fleet) -> None:
    run = await begun(fleet)
    os.kill(await asyncio.to_thread(worker, run), signal.SIGKILL)
    task, events = await fleet.ended(run), await fleet.events(run)
    assert (task["status"], task["endReason"]) == ("failed", "lost")
    assert emitted(events) == list(range(1, len(emitted(events)) + 1)) and is_contiguous(events)
    assert task["changes"]["files"] == 1
    assert git(fleet, "show", f"refs/sidecar/{run}:begun.txt") == "begun"


async def test_a_dead_node_ends_its_runs_as_lost_and_gives_their_changes_back(fleet: Fleet) -> None:
    await fleet.client.close()
    fleet.labels = {"fleet.name": "A"}
    await fleet.open(lostAfterSeconds=15)
    run = await begun(fleet)
    await asyncio.to_thread(lambda: fleet.cluster.command(kill="A"))
    task = await fleet.ended(run)
    assert (task["status"], task["endReason"], task["placement"]["state"]) == ("failed", "lost", "lost")
    assert "its node died" in task["error"] and "If the node is back within a day" in task["error"]
    await asyncio.to_thread(lambda: fleet.cluster.command(start="A"))
    task = await fleet.until(lambda: fleet.task(run), lambda task: "changes" in task)
    assert task["changes"]["files"] == 1
    assert git(fleet, "show", f"refs/sidecar/{run}:begun.txt") == "begun"
    await fleet.nothing_left()


async def test_an_actor_whose_gateway_never_comes_back_leaves_nothing(
    fleet: Fleet,
) -> None:
    await fleet.client.close()
    await fleet.open(gateway=[str(PYTHON), "-m", "tests.fleet.real.impatient_gateway"])
    run = await fleet.launch("script", SLOWLY)
    await fleet.until(lambda: asyncio.sleep(0, fleet.cluster.folders()), lambda folders: run in folders)
    os.kill(fleet.client.pid, signal.SIGKILL)
    await fleet.client.close()
    await fleet.nothing_left()
    await fleet.open()
    status = await fleet.request("fleet/status")
    assert [node["freeSlots"] for node in status["nodes"] if node["name"] == "B"] == [2]


async def test_other_work_does_not_starve_the_agents_of_the_tests(fleet: Fleet) -> None:
    run = await fleet.launch("script", "nice")
    task = await fleet.ended(run)
    assert task["output"]["final_message"] == str(os.nice(0))
