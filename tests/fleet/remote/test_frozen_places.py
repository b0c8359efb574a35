"""A node that freezes before it has a run does not hold that run up."""

import asyncio

from sidecar.subagents.runners.contract import RunResult
from tests.fleet.conftest import MakeWorld
from tests.fleet.fakes.agents import ScriptedRun
from tests.fleet.fakes.gateway import probe
from tests.fleet.fakes.ray import FakeNode
from tests.fleet.fakes.virtual_time import run_virtually, until
from tests.fleet.fakes.world import World


async def short(agent: ScriptedRun) -> None:
    await agent.open()
    await agent.count(3, 0.1)


def with_second_node(here: World) -> FakeNode:
    second = FakeNode("B", 1)
    here.ray.nodes.append(second)
    here.gateways.probes["B"] = probe()
    return second


def test_a_run_for_a_frozen_node_is_placed_on_another_one(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(short)
        second = with_second_node(here)
        here.node.thawed.clear()
        run = await here.launch()
        assert await run.result() == RunResult("GOAL", "done", {}, None)
        assert asyncio.get_running_loop().time() < 31
        assert here.values == [1, 2, 3] and len(here.agents.runs) == 1
        assert here.actor.node is second and here.node.free == 1
        here.node.thawed.set()
        await asyncio.sleep(5)
        assert len(here.agents.runs) == 1
        nodes = (await here.link.status(5))["nodes"]
        assert [node["probe"]["problem"] for node in nodes] == [None, None]

    run_virtually(main)


def test_a_run_whose_only_node_is_frozen_is_lost_in_time(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(short)
        here.node.thawed.clear()
        result = await (await here.launch()).result()
        assert result.is_lost and "lost before its agent started" in str(result.error)
        assert "ray status" in str(result.error) and here.person.states[-1] == "lost"
        assert asyncio.get_running_loop().time() < 31
        here.node.thawed.set()
        await until(here.is_clean)
        assert not here.agents.runs

    run_virtually(main)


def test_a_node_that_freezes_while_the_workspace_travels_ends_the_run_as_lost(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(short)
        run = await here.launch()
        await until(lambda: here.ops().count("put") == 2, step=0)
        here.node.thawed.clear()
        began = asyncio.get_running_loop().time()
        result = await run.result()
        assert result.is_lost and asyncio.get_running_loop().time() - began <= 31
        assert not here.agents.runs

    run_virtually(main)


def test_a_gateway_that_hangs_while_a_run_waits_for_a_place_does_not_hold_it_up(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(short)
        here.node.free = 0
        run = await here.launch()
        await until(lambda: here.ops().count("place") == 3)
        here.gateways.processes[-1].passed_on = lambda line: None  # type: ignore[method-assign]
        began = asyncio.get_running_loop().time()
        result = await run.result()
        assert result.is_lost and asyncio.get_running_loop().time() - began <= 31
        assert not here.agents.runs

    run_virtually(main)


def test_a_run_waits_for_a_slot_as_long_as_its_nodes_answer(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(short)
        here.node.free = 0
        run = await here.launch()
        await asyncio.sleep(600)
        here.node.free = 1
        here.node.changed.set()
        assert (await run.result()).terminate_reason == "GOAL" and len(here.agents.runs) == 1

    run_virtually(main)
