"""Changes that a lost run left, or that take long, come later, and never delay the end of the run."""

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from sidecar.fleet.leftovers import salvage
from sidecar.fleet.leftovers.salvage import piece
from sidecar.fleet.node_run import NodeRun
from sidecar.subagents.runners.remote.gateway_process import GatewayRefused
from tests.fleet.conftest import MakeWorld
from tests.fleet.fakes.agents import ScriptedRun
from tests.fleet.fakes.virtual_time import run_virtually, until
from tests.fleet.fakes.world import CHANGES, RUN, World
from tests.fleet.remote.test_remote_run import counting, forever

LATER = "The changes of this run are brought back later"
IF_BACK = "If the node is back within a day, the changes of the run are brought back."


async def is_collected(here: World) -> None:
    """Bring back what a run left, as the sidecar does in the background."""
    assert here.link.expected == {RUN: "id-A"} and here.brought == []
    assert await here.collect()
    assert here.brought == [CHANGES] and here.link.expected == {}
    await until(here.is_clean)


async def begun(here: World) -> Any:
    run = await here.launch()
    await until(lambda: len(here.values) == 3)
    return run


def freeze(here: World) -> None:
    here.node.thawed.clear()


def kill_node(here: World) -> None:
    here.kill_worker()
    here.node.is_dead = True


@pytest.mark.parametrize(
    ("lose", "find"),
    [(freeze, lambda here: here.node.thawed.set()), (kill_node, lambda here: here.node.restart())],
)
def test_a_node_that_is_back_gives_the_changes_of_a_lost_run(
    world: MakeWorld, lose: Callable[[World], None], find: Callable[[World], None]
) -> None:
    async def main() -> None:
        here = world(forever)
        run = await begun(here)
        lose(here)
        result = await run.result()
        assert result.is_lost and IF_BACK in str(result.error)
        await until(lambda: here.link.expected)
        find(here)
        await asyncio.sleep(here.saving_seconds)
        await is_collected(here)
        assert len(here.agents.runs) == 1

    run_virtually(main)


def test_changes_that_cannot_be_saved_free_their_slot_and_come_later(world: MakeWorld) -> None:
    async def main() -> None:
        async def fill_the_disk(agent: ScriptedRun) -> None:
            await agent.open()
            here.body._run.tree.is_full = True  # type: ignore[attr-defined]

        here = world(fill_the_disk)
        run = await here.launch()
        assert (await run.result()).error is None
        assert "could not save the changes" in here.log and here.node.free < here.node.slots
        await until(lambda: here.node.free == here.node.slots)
        await asyncio.sleep(here.saving_seconds)
        await is_collected(here)

    run_virtually(main)


def test_changes_that_are_here_are_not_taken_again(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(forever)
        run = await begun(here)
        freeze(here)
        assert (await run.result()).is_lost
        await until(lambda: here.link.expected)
        here.node.thawed.set()
        assert await here.collect(takes_changes=False) == []
        assert "take" not in here.ops() and here.link.expected == {}
        await until(here.is_clean)

    run_virtually(main)


def test_a_node_that_dies_while_the_changes_come_gives_them_when_it_is_back(world: MakeWorld) -> None:
    async def at_once(agent: ScriptedRun) -> None:
        await agent.open()
        await agent.count(3)

    async def main() -> None:
        here = world(at_once)
        run = await here.launch()
        await until(lambda: "take" in here.ops(), step=0)
        kill_node(here)
        assert (await run.result()).terminate_reason == "GOAL" and here.values == [1, 2, 3]
        assert f"the process of the run is gone, and so is its node: node id-A is dead. {IF_BACK}" in here.log
        await until(lambda: here.link.expected)
        with pytest.raises(GatewayRefused, match="its node is not in the cluster"):
            await here.collect()
        here.node.restart()
        await is_collected(here)

    run_virtually(main)


def slow_pieces(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let a node take a while for each piece of the changes."""
    take = NodeRun.take

    async def slow(self: NodeRun, offset: int) -> dict[str, Any]:
        await asyncio.sleep(seconds)
        return await take(self, offset)

    monkeypatch.setattr(NodeRun, "take", slow)


def test_changes_may_take_longer_than_a_silence(world: MakeWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        slow_pieces(monkeypatch, 3)
        here = world(counting(3))
        here.settings.lost_after_seconds = 4
        run = await here.launch()
        assert (await run.result()).terminate_reason == "GOAL"
        assert here.brought == [CHANGES] and here.log == ""

    run_virtually(main)


def test_a_lost_run_is_named_while_its_node_still_saves(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(forever)
        here.saving_seconds = 300
        run = await begun(here)
        here.kill_worker()
        async with asyncio.timeout(15):
            assert (await run.result()).is_lost
        assert LATER in here.log
        with pytest.raises(GatewayRefused, match="has not saved the changes of run"):
            await here.collect()
        await asyncio.sleep(300)
        await is_collected(here)

    run_virtually(main)


def test_a_lost_run_is_named_while_its_changes_come(
    world: MakeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        here = world(forever)

        def stalling(*named: Any) -> dict[str, Any]:
            if next(calls) == 0:
                freeze(here)
            return piece(*named)

        calls = count()
        monkeypatch.setattr(salvage, "piece", stalling)
        run = await begun(here)
        here.kill_worker()
        async with asyncio.timeout(15):
            assert (await run.result()).is_lost
        assert LATER in here.log
        here.node.thawed.set()
        await is_collected(here)

    run_virtually(main)
