"""A run on a cluster passes through its stages in order, and is stopped at any of them."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sidecar.subagents.runners.contract import RunResult
from sidecar.subagents.runners.remote import workspace
from sidecar.subagents.runners.remote.gateway_process import GatewayRefused
from sidecar.subagents.runners.remote.job import Tree
from tests.fleet.conftest import MakeWorld
from tests.fleet.fakes.agents import Script, ScriptedRun
from tests.fleet.fakes.gateway import Cut
from tests.fleet.fakes.virtual_time import VirtualLoop, run_virtually, until
from tests.fleet.fakes.world import CHANGES, World


def counting(count: int = 20) -> Script:
    async def script(agent: ScriptedRun) -> None:
        await agent.open()
        await agent.count(count, 0.1)

    return script


def test_a_run_is_placed_transferred_followed_and_brought_back(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(counting())
        assert await (await here.launch()).result() == RunResult("GOAL", "done", {}, None)
        assert here.values == list(range(1, 21))
        assert here.brought == [CHANGES] and here.person.changes[0].files == 1
        assert here.person.states == ["starting", "running", "ended"]
        assert [record["isGoing"] for record in here.person.records] == [False, True]
        await until(here.is_clean)
        assert len(here.agents.runs) == 1 and here.ops().count("put") == 3

    run_virtually(main)


def test_a_run_is_starting_while_git_packs_its_workspace(
    world: MakeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        here, states = world(counting(1)), []
        prepare = workspace.prepare

        def noting(folder: Path) -> Tree:
            states.extend(here.person.states)
            return prepare(folder)

        monkeypatch.setattr(workspace, "prepare", noting)
        await (await here.launch()).result()
        assert states == ["starting"]

    run_virtually(main)


def test_a_run_without_a_free_slot_says_that_it_waits_for_a_node(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(counting())
        here.node.free = 0
        run = await here.launch()
        await until(lambda: here.person.states == ["starting", "waiting"])
        here.node.free = 1
        here.node.changed.set()
        await run.result()
        assert here.person.states == ["starting", "waiting", "starting", "running", "ended"]

    run_virtually(main)


def test_an_agent_on_a_node_gets_what_the_launch_chose(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(counting(1), model="large", mode="plan", effort="high")
        await (await here.launch()).result()
        spec = here.agents.runs[0].spec
        assert (spec.model, spec.mode, spec.effort) == ("large", "plan", "high")

    run_virtually(main)


STEPS = ["status", "place", "put", "find", "go", "follow", "take", "drop"]


@pytest.mark.parametrize("kind", ["asked", "answered"])
def test_a_gateway_that_dies_at_any_step_is_replaced(world: MakeWorld, kind: str) -> None:
    async def main(op: str) -> None:
        here = world(counting())
        here.gateways.cuts = [Cut(kind, op, 2 if op == "put" else 1)]
        run = await here.launch()
        result = await run.result()
        assert (op, result) == (op, RunResult("GOAL", "done", {}, None))
        assert (op, here.values) == (op, list(range(1, 21)))
        assert (op, here.brought, len(here.agents.runs)) == (op, [CHANGES], 1)
        await until(here.is_clean)
        await until(lambda: len(here.gateways.processes) == 2)
        assert here.person.states[-1] == "ended"

    for op in STEPS:
        run_virtually(partial(main, op))


@pytest.mark.parametrize("batch", [1, 2, 7, 21])
def test_a_gateway_that_dies_while_lines_come_loses_and_repeats_none(world: MakeWorld, batch: int) -> None:
    async def main() -> None:
        here = world(counting())
        here.gateways.cuts = [Cut("lines", count=batch), Cut("lines", count=batch + 1)]
        assert (await (await here.launch()).result()).terminate_reason == "GOAL"
        assert here.values == list(range(1, 21)) and len(here.agents.runs) == 1
        assert "reconnecting" in here.person.states

    run_virtually(main)


async def forever(agent: ScriptedRun) -> None:
    await agent.open()
    await agent.count(10_000, 1)


def test_a_stop_before_placing_creates_nothing(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(forever)
        run = await here.launch()
        await run.stop()
        assert "stopped before its agent started" in str((await run.result()).error)
        assert "place" not in here.ops() and not here.ray.actors

    run_virtually(main)


def test_a_stop_while_the_cluster_is_full_leaves_nothing(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(forever)
        here.node.free = 0
        run = await here.launch()
        await until(lambda: "place" in here.ops())
        await run.stop()
        assert "stopped before its agent started" in str((await run.result()).error)
        await until(lambda: here.actor.died.is_set())
        assert not here.agents.runs and here.node.free == 0

    run_virtually(main)


def test_a_gateway_that_dies_while_the_cluster_is_full_does_not_lose_the_run(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(counting(3))
        here.node.free = 0
        run = await here.launch()
        await asyncio.sleep(100)
        here.gateways.kill()
        await asyncio.sleep(5)
        here.node.free = 1
        here.node.changed.set()
        assert (await run.result()).terminate_reason == "GOAL" and here.values == [1, 2, 3]

    run_virtually(main)


@pytest.mark.parametrize(("op", "count"), [("place", 1), ("put", 2), ("find", 1)])
def test_a_stop_before_the_start_never_starts_the_agent(world: MakeWorld, op: str, count: int) -> None:
    async def main() -> None:
        here = world(forever)
        run = await here.launch()
        await until(lambda: here.ops().count(op) == count, step=0)
        await run.stop()
        assert "stopped before its agent started" in str((await run.result()).error)
        await until(here.is_clean)
        assert not here.agents.runs

    run_virtually(main)


def test_a_stop_ends_a_running_agent_and_brings_its_changes_back(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(forever)
        run = await here.launch()
        await until(lambda: len(here.values) == 3)
        await run.stop()
        assert (await run.result()).error == "the agent was stopped" and here.brought == [CHANGES]
        await until(here.is_clean)
        await run.stop()
        assert here.ops().count("stop") == 1

    run_virtually(main)


@pytest.mark.parametrize("kind", ["asked", "answered"])
@pytest.mark.parametrize("op", ["go", "stop"])
def test_a_stop_survives_the_death_of_its_gateway(world: MakeWorld, kind: str, op: str) -> None:
    async def main() -> None:
        here = world(forever)
        here.gateways.cuts = [Cut(kind, op)]
        run = await here.launch()
        if op == "go":
            await until(lambda: "go" in here.ops(), step=0)
        else:
            await until(lambda: len(here.values) == 3)
        await run.stop()
        assert (await run.result()).terminate_reason == "ERROR"
        await until(here.is_clean)
        assert len(here.agents.runs) <= 1 and len(here.values) < 5

    run_virtually(main)


def test_lines_that_a_late_stream_brings_do_not_count(world: MakeWorld) -> None:
    """The old stream continues for a while when a run is followed again through the same gateway."""

    async def main() -> None:
        here = world(counting(60))
        run = await here.launch()
        await until(lambda: len(here.values) == 5)
        here.node.thawed.clear()
        await asyncio.sleep(26)
        here.node.thawed.set()
        assert (await run.result()).terminate_reason == "GOAL"
        assert here.values == list(range(1, 61)) and here.ops().count("follow") >= 2
        assert len(here.gateways.processes) == 1

    run_virtually(main)


def test_missing_lines_end_the_run_as_lost(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(counting())
        here.gateways.loss = Cut("lines", count=4)
        result = await (await here.launch()).result()
        assert result.is_lost and "of the run's journal are missing" in str(result.error)
        assert here.values == list(range(1, len(here.values) + 1)) and len(here.values) < 20
        assert here.person.states[-1] == "lost"

    run_virtually(main)


def test_a_node_that_stays_silent_is_lost_at_the_limit(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(forever)
        run = await here.launch()
        await until(lambda: len(here.values) == 3)
        began = asyncio.get_running_loop().time()
        here.node.thawed.clear()
        result = await run.result()
        assert result.is_lost and "A did not answer for 30 s (fleet.lostAfterSeconds)" in str(result.error)
        assert 29 <= asyncio.get_running_loop().time() - began <= 31
        assert here.person.states[-2:] == ["reconnecting", "lost"]

    run_virtually(main)


def test_a_gateway_that_is_slower_than_the_limit_loses_no_run(world: MakeWorld) -> None:
    async def main(op: str) -> None:
        here = world(counting(100))
        here.gateways.cuts = [Cut("answered", op)]
        run = await here.launch()
        await until(lambda: here.gateways.processes != [])
        here.gateways.connect_seconds = 50
        assert await run.result() == RunResult("GOAL", "done", {}, None), op
        assert here.values == list(range(1, 101)) and len(here.agents.runs) == 1

    for op in ("status", "place", "find", "go", "follow"):
        run_virtually(partial(main, op))


def test_a_silent_run_is_lost_soon_after_a_slow_gateway_asked_for_it(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(forever)
        run = await here.launch()
        await until(lambda: len(here.values) == 3)
        began = asyncio.get_running_loop().time()
        here.node.thawed.clear()
        here.gateways.connect_seconds = 50
        here.gateways.kill()
        assert (await run.result()).is_lost
        assert 50 <= asyncio.get_running_loop().time() - began <= 61

    run_virtually(main)


def test_a_run_is_lost_at_the_limit_when_no_gateway_connects(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(forever)
        run = await here.launch()
        await until(lambda: len(here.values) == 3)
        began = asyncio.get_running_loop().time()
        here.gateways.connect_seconds = 10_000
        here.gateways.kill()
        assert (await run.result()).is_lost
        assert asyncio.get_running_loop().time() - began <= 62

    run_virtually(main)


def test_a_node_that_answers_before_the_limit_continues(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(counting(100))
        run = await here.launch()
        await until(lambda: len(here.values) == 3)
        here.node.thawed.clear()
        await asyncio.sleep(29)
        here.node.thawed.set()
        assert (await run.result()).terminate_reason == "GOAL"
        assert here.values == list(range(1, 101))

    run_virtually(main)


def test_the_silence_of_the_sidecar_itself_loses_no_run(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(counting(1000))
        run = await here.launch()
        await until(lambda: len(here.values) == 3)
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        loop.skip(3600)  # the process was suspended
        assert await run.result() == RunResult("GOAL", "done", {}, None)
        assert here.values == list(range(1, 1001))

    run_virtually(main)


def test_a_silent_agent_is_heard_all_the_time(world: MakeWorld) -> None:
    async def silent(agent: ScriptedRun) -> None:
        await agent.open()
        await asyncio.sleep(3000)

    async def main() -> None:
        here = world(silent)
        assert (await (await here.launch()).result()).terminate_reason == "GOAL"
        assert here.ops().count("follow") == 1 and "reconnecting" not in here.person.states

    run_virtually(main)


def test_a_cluster_that_cannot_be_reached_any_more_loses_the_run_at_the_limit(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(forever)
        run = await here.launch()
        await until(lambda: len(here.values) == 3)
        began = asyncio.get_running_loop().time()
        here.gateways.cuts = [Cut("asked", "connect", count) for count in range(1, 1000)]
        here.gateways.kill()
        assert (await run.result()).is_lost
        assert 24 <= asyncio.get_running_loop().time() - began <= 30
        assert len(here.gateways.processes) < 60

    run_virtually(main)


async def freeze(here: World) -> None:
    """Let the node answer nothing any more."""
    here.node.thawed.clear()


async def freeze_behind_another_gateway(here: World) -> None:
    """The same, with a gateway that asks the node first."""
    here.node.thawed.clear()
    here.gateways.kill()


async def cut_off(here: World) -> None:
    """Let no gateway start any more."""
    here.gateways.cuts = [Cut("started", count=count) for count in range(1, 1000)]
    here.gateways.kill()


async def unreachable(here: World) -> None:
    """Let gateways start that die at the first request about the run."""
    here.gateways.cuts = [Cut("asked", "find", count) for count in range(1, 1000)]
    here.gateways.kill()


async def unreachable_behind_slow_gateways(here: World) -> None:
    """The same, with gateways that take a while to connect."""
    here.gateways.connect_seconds = 2
    await unreachable(here)


async def frozen_at_the_end(here: World) -> None:
    """Let the node freeze when a gateway has been missing for most of the time."""
    await cut_off(here)
    await asyncio.sleep(24.7)
    here.node.thawed.clear()
    here.gateways.cuts = []


@pytest.mark.parametrize(
    "lose",
    [
        freeze,
        freeze_behind_another_gateway,
        cut_off,
        unreachable,
        unreachable_behind_slow_gateways,
        frozen_at_the_end,
    ],
)
@pytest.mark.parametrize("limit", [30.0, 4.0])
def test_a_lost_run_is_named_at_the_limit_after_its_last_word(
    world: MakeWorld, lose: Callable[[World], Coroutine[Any, Any, None]], limit: float
) -> None:
    async def main() -> None:
        here = world(forever)
        here.settings.lost_after_seconds = limit
        run = await here.launch()
        await until(lambda: len(here.values) == 3, step=0.001)
        loop = asyncio.get_running_loop()
        heard = loop.time()
        losing = asyncio.create_task(lose(here))
        assert (await run.result()).is_lost
        late = 3 * here.gateways.connect_seconds  # one try more
        assert limit - 0.1 <= loop.time() - heard <= limit + late + 0.1
        losing.cancel()

    run_virtually(main)


def test_a_sidecar_that_is_suspended_while_it_reconnects_asks_again(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(counting(1000))
        run = await here.launch()
        await until(lambda: len(here.values) == 3)
        here.gateways.cuts = [Cut("started", count=count) for count in range(1, 1000)]
        here.gateways.kill()
        await until(lambda: here.person.states[-1] == "reconnecting")
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        loop.skip(3600)
        here.gateways.cuts = []
        assert await run.result() == RunResult("GOAL", "done", {}, None)
        assert here.values == list(range(1, 1001))

    run_virtually(main)


def test_a_killed_process_leaves_its_lines_and_changes(world: MakeWorld) -> None:
    async def main(cuts: list[Cut]) -> None:
        here = world(forever)
        run = await here.launch()
        await until(lambda: len(here.values) == 3)
        here.gateways.cuts = cuts
        here.kill_worker()
        result = await run.result()
        assert result.is_lost and "its process on A is gone" in str(result.error)
        assert here.values == list(range(1, len(here.values) + 1)) and len(here.values) >= 3
        assert here.brought == [CHANGES] and here.person.states[-1] == "lost"
        await until(here.is_clean)

    for op in ("salvage", "take", "drop"):
        for kind in ("asked", "answered"):
            run_virtually(partial(main, [Cut(kind, op)]))


def test_a_killed_process_without_a_tree_is_only_lost(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(forever)
        run = await here.launch()
        await until(lambda: len(here.values) == 3)
        here.body._run.tree.remove()
        here.kill_worker()
        assert (await run.result()).is_lost and here.brought == [] and here.log == ""

    run_virtually(main)


def test_a_process_killed_after_its_result_has_ended_in_order(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(counting(3))
        run = await here.launch()
        await until(lambda: "put" in here.ops())
        await until(lambda: here.actor.body is not None and here.body._run.is_over, step=0.01)
        here.kill_worker()
        assert (await run.result()).terminate_reason == "GOAL"
        assert here.values == [1, 2, 3] and here.brought == [CHANGES]

    run_virtually(main)


def test_changes_that_cannot_be_brought_back_stay_on_the_node(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(counting())
        here.bring_back_fails = True
        run = await here.launch()
        assert (await run.result()).terminate_reason == "GOAL"
        assert "could not be brought back: git unbundle: no space left on device. Its node keeps" in here.log
        await asyncio.sleep(60)
        assert not here.actor.died.is_set() and "drop" not in here.ops()
        here.bring_back_fails = False
        assert await here.collect() and here.brought == [CHANGES]
        await until(here.is_clean)

    run_virtually(main)


def test_changes_that_the_node_cannot_save_are_saved_later(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(counting())
        run = await here.launch()
        await until(lambda: here.values)
        here.body._run.tree.is_full = True  # type: ignore[attr-defined]
        assert (await run.result()).terminate_reason == "GOAL"
        assert "The node could not save the changes of this run: the disk is full. Its node" in here.log
        with pytest.raises(GatewayRefused, match="has not saved the changes"):
            await here.collect()
        assert not here.actor.died.is_set()
        here.body._run.tree.is_full = False  # type: ignore[attr-defined]
        assert await here.collect()
        await until(here.is_clean)

    run_virtually(main)
