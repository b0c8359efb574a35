"""A lost run is expected until its node has answered that it has nothing of it."""

import asyncio
import shutil
from collections.abc import Callable
from typing import cast

import pytest

from sidecar.app.upkeep.fleet_leftovers import FleetLeftovers
from sidecar.subagents.runs.registry.registry import RunRegistry
from tests.fleet.conftest import MakeWorld
from tests.fleet.fakes.gateway import Cut
from tests.fleet.fakes.virtual_time import run_virtually, until
from tests.fleet.fakes.world import RUN, World
from tests.fleet.remote.test_frozen_places import short
from tests.fleet.remote.test_remote_run import forever

HOUR = 3600


class NoRuns:
    """A registry without runs; see `RunRegistry`."""

    def live(self, task_id: str) -> None:
        """Return none."""

    async def find(self, task_id: str) -> None:
        """Return none."""


async def lost(here: World) -> None:
    """Lose a run on a frozen node, and clean the cluster from then on."""
    leftovers = FleetLeftovers(cast(RunRegistry, NoRuns()))
    run = await here.launch()
    await until(lambda: len(here.values) == 3)
    here.link._clean = leftovers.clean
    here.node.thawed.clear()
    assert (await run.result()).is_lost
    await until(lambda: here.link.expected == {RUN: "id-A"})


def removed(here: World) -> None:
    here.kill_worker()
    shutil.rmtree(here.folder / "fleet" / "runs" / RUN)


def test_a_run_of_which_its_node_has_nothing_is_not_asked_for_any_more(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(forever)
        await lost(here)
        removed(here)
        here.node.thawed.set()
        await until(lambda: not here.link.expected)
        asked = len(here.ops())
        await asyncio.sleep(HOUR)
        assert len(here.ops()) == asked

    run_virtually(main)


def stays(here: World) -> None:
    """Do nothing: the process of the run is still there."""
    here.node.thawed.set()


def leaves(here: World) -> None:
    """Lose the node after the folder was removed: the machine may have a copy of it."""
    removed(here)
    here.node.is_dead = True


def freezes(here: World) -> None:
    """Leave the node frozen, so that it cannot say what it has."""
    removed(here)


@pytest.mark.parametrize("then", [stays, leaves, freezes])
def test_a_run_that_may_be_left_stays_expected(world: MakeWorld, then: Callable[[World], None]) -> None:
    async def main() -> None:
        here = world(forever)
        await lost(here)
        then(here)
        await asyncio.sleep(HOUR)
        assert here.link.expected == {RUN: "id-A"}

    run_virtually(main)


def test_a_run_that_never_had_a_node_is_not_expected(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(short)
        here.gateways.cuts = [Cut("asked", "place", count) for count in range(1, 1000)]
        run = await here.launch()
        await until(lambda: "place" in here.ops())
        here.gateways.answer_seconds = 10_000
        await run.stop(100)
        assert here.link.expected == {}

    run_virtually(main)
