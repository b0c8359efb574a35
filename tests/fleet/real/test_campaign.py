"""Kill gateway, sidecar, worker or node at random, again and again: no event is lost or repeated.

`FLEET_SEED` repeats a failure, and `FLEET_ROUNDS` sets the number of rounds. Three sidecars share them.
"""

import asyncio
import os
import random
import sys
from collections import deque
from itertools import cycle, islice
from pathlib import Path

import pytest

from tests.fleet.conftest import ClusterUnderTest, prepared
from tests.fleet.real.lanes import Lane, Round

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900), pytest.mark.xdist_group("campaign")]

ROUNDS = int(os.environ.get("FLEET_ROUNDS", "30"))
SEED = int(os.environ.get("FLEET_SEED", "17"))
VICTIMS = ["gateway", "sidecar", "worker", "gateway", "sidecar", "worker", "raylet"]
"""How often each is killed compared with the others. A node takes longest to come back."""


async def test_random_deaths_lose_repeat_and_leave_nothing(cluster: ClusterUnderTest, tmp_path: Path) -> None:
    sys.stdout.write(f"seed {SEED}\n")
    chance = random.Random(SEED)
    victims = list(islice(cycle(VICTIMS), ROUNDS))
    chance.shuffle(victims)
    drawn = [Round(number, victim, chance.uniform(0, 1)) for number, victim in enumerate(victims)]
    deaths = deque(each for each in drawn if each.victim == "raylet")
    others = deque(each for each in drawn if each.victim != "raylet")
    # Node A dies with the runs of one sidecar only, which has no other ones then.
    shares = [("A", [deaths, others]), ("B", [others]), ("B", [others])]
    lanes = [
        Lane(prepared(cluster, tmp_path / f"sidecar-{number}", node), tmp_path, queues)
        for number, (node, queues) in enumerate(shares)
    ]
    async with asyncio.TaskGroup() as playing:
        for lane in lanes:
            playing.create_task(lane.play())
    ends = [end for lane in lanes for end in lane.ends]
    started = (tmp_path / "starts").read_text().split()
    assert len(started) == len(set(started)) == len(ends) >= ROUNDS
    assert {"goal", "lost"} <= set(ends)
