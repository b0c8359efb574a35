"""Kill gateway, sidecar, worker or node at random, again and again: no event is lost or repeated.

`FLEET_SEED` repeats a failure, and `FLEET_ROUNDS` sets the number of rounds.
"""

import asyncio
import os
import random
import signal
import sys
import time

import pytest

from tests.fleet.conftest import Fleet
from tests.fleet.real.test_deaths import gateways, worker
from tests.fleet.real.test_runs import emitted, git, is_contiguous

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

ROUNDS = int(os.environ.get("FLEET_ROUNDS", "30"))
SEED = int(os.environ.get("FLEET_SEED", "17"))
PATIENCE = 25
"""`lostAfterSeconds`: a run whose node stays silent is lost then."""
NAMED_SECONDS = 30
"""How long after a kill a lost run is named at the latest, whatever was killed."""
LINES = 40
SCRIPT = (
    'echo "$SUBAGENT_SIDECAR_TASK" >> "{starts}"; echo begun > begun.txt; for i in $(seq 40); do '
    'echo "{{\\"type\\": \\"emit\\", \\"name\\": \\"n\\", \\"value\\": $i}}"; sleep 0.03; done'
)


async def test_random_deaths_lose_repeat_and_leave_nothing(fleet: Fleet) -> None:
    chance = random.Random(SEED)
    await fleet.client.close()
    fleet.labels = {"fleet.name": "A"}
    await fleet.connected(lostAfterSeconds=PATIENCE)
    starts = fleet.home / "starts"
    ends: list[str] = []
    for number in range(ROUNDS):
        victim = chance.choice(["gateway", "sidecar", "worker", "gateway", "sidecar", "worker", "raylet"])
        run = await fleet.launch("script", SCRIPT.format(starts=starts))
        await fleet.until_event(run, lambda event: event["type"] == "emit")
        await asyncio.sleep(chance.uniform(0, 1))
        killed_at = time.time()
        await _kill(fleet, victim, run)
        task, events = await fleet.ended(run), await fleet.events(run)
        seconds = task["completedAt"] / 1000 - killed_at
        ended = f"{task['status']} after {seconds:.1f} s {task.get('error')}"
        shown = f"round {number}, seed {SEED}, {victim}: {ended}"
        sys.stdout.write(f"{shown}\n")
        values = emitted(events)
        assert values == list(range(1, len(values) + 1)) and is_contiguous(events), shown
        if task["status"] == "completed":
            assert len(values) == LINES, shown
        else:
            assert task["endReason"] == "lost" and victim in ("worker", "raylet"), shown
            assert seconds <= NAMED_SECONDS, shown
        ends.append(task["endReason"])
        if victim == "raylet":
            await asyncio.to_thread(lambda: fleet.cluster.command(start="A"))
        await fleet.nothing_left()
        assert git(fleet, "show", f"refs/sidecar/{run}:begun.txt") == "begun", shown
    started = starts.read_text().split()
    assert len(started) == len(set(started)) == ROUNDS
    assert {"goal", "lost"} <= set(ends)


async def _kill(fleet: Fleet, victim: str, run: str) -> None:
    if victim == "gateway":
        for process in gateways(fleet.client.pid):
            process.kill()
    elif victim == "sidecar":
        os.kill(fleet.client.pid, signal.SIGKILL)
        await fleet.client.close()
        await fleet.connected(lostAfterSeconds=PATIENCE)
    elif victim == "raylet":
        await asyncio.to_thread(lambda: fleet.cluster.command(kill="A"))
    else:
        try:
            os.kill(await asyncio.to_thread(worker, run), signal.SIGKILL)
        except LookupError:
            return  # the run has ended meanwhile
