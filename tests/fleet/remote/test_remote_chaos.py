"""Whatever dies or freezes, in any order: each line counts once and in order, and nothing runs twice."""

import asyncio
import random
from functools import partial

import pytest

from sidecar.subagents.permissions.question import Question
from sidecar.subagents.runners.contract import RunResult
from tests.fleet.conftest import MakeWorld
from tests.fleet.fakes.agents import ScriptedRun
from tests.fleet.fakes.gateway import Cut
from tests.fleet.fakes.virtual_time import run_virtually, until
from tests.fleet.fakes.world import BASE, CHANGES, RUN, FakeTree, World

OPS = ["version", "connect", "find", "go", "follow", "take", "drop"]


async def working(agent: ScriptedRun) -> None:
    await agent.open()
    await agent.count(80, 0.5)


@pytest.mark.parametrize("seed", range(12))
def test_random_deaths_lose_and_repeat_nothing(world: MakeWorld, seed: int) -> None:
    async def main() -> None:
        chance, here = random.Random(seed), world(working)
        await here.launch()
        await until(lambda: here.person.records[-1:] and here.person.records[-1]["isGoing"], step=0)
        await until(lambda: here.agents.runs)
        for _ in range(6):
            await asyncio.sleep(chance.choice([0, 0.1, 0.7, 3]))
            await trouble(here, chance)
        assert await here.handle.result() == RunResult("GOAL", "done", {}, None)
        assert here.values == list(range(1, 81)) and len(here.agents.runs) == 1
        numbers = [event["nodeSeq"] for event in here.events if "nodeSeq" in event]
        assert numbers == sorted(set(numbers)) and here.brought == [CHANGES]
        await until(here.is_clean)

    run_virtually(main)


async def trouble(here: World, chance: random.Random) -> None:
    """Let one thing go wrong."""
    match chance.choice(["gateway", "request", "batch", "node", "sidecar"]):
        case "gateway":
            here.gateways.kill()
        case "request":
            here.gateways.cuts.append(Cut(chance.choice(["asked", "answered"]), chance.choice(OPS)))
            here.gateways.kill()
        case "batch":
            here.gateways.cuts.append(Cut("lines", count=chance.randrange(1, 9)))
        case "node":
            here.node.thawed.clear()
            await asyncio.sleep(chance.uniform(0, 20))
            here.node.thawed.set()
        case "sidecar":
            here.abandon()
            await here.find()


def test_a_run_of_an_earlier_sidecar_that_never_started_is_lost(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(working)
        here.gateways.cuts = [Cut("asked", "go")]
        await here.launch()
        await until(lambda: "go" in here.ops(), step=0)
        here.abandon()
        result = await (await here.find()).result()
        assert result.is_lost and "killed before the cluster started this run" in str(result.error)
        await until(here.is_clean)
        assert not here.agents.runs

    run_virtually(main)


def test_a_run_whose_time_is_over_is_stopped_by_its_node(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(working, timeout_seconds=10)
        await here.launch()
        await until(lambda: here.values)
        here.abandon()
        await asyncio.sleep(100)
        result = await (await here.find()).result()
        assert (result.terminate_reason, here.agents.runs[0].stops > 0) == ("TIMEOUT", True)

    run_virtually(main)


@pytest.mark.slow
def test_a_question_that_nobody_comes_to_answer_ends_after_a_day(world: MakeWorld) -> None:
    async def asking(agent: ScriptedRun) -> None:
        await agent.open()
        await agent.observer.ask(Question(request_id="1", title="write", options=()))

    async def main() -> None:
        here = world(asking, timeout_seconds=10)
        await here.launch()
        await until(lambda: here.person.asked)
        await asyncio.sleep(30 * 3600)  # a person may take long while a sidecar follows
        assert here.person.withdrawn == [] and not here.is_clean()
        here.abandon()
        await asyncio.sleep(23 * 3600)
        assert here.agents.runs[0].stops == 0
        await asyncio.sleep(2 * 3600)
        assert here.agents.runs[0].stops > 0
        await asyncio.sleep(25 * 3600)
        assert here.is_clean()

    run_virtually(main)


def test_a_run_that_nobody_comes_for_is_removed_after_a_day(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(working)
        await here.launch()
        await until(lambda: here.values)
        here.abandon()
        await asyncio.sleep(23 * 3600)
        assert (here.folder / "fleet" / "runs").exists() and not here.is_clean()
        await asyncio.sleep(3600 + 900)
        assert here.is_clean()

    run_virtually(partial(main))


@pytest.mark.parametrize("hours", [0.25, 23])
@pytest.mark.parametrize("has_changes", [True, False])
def test_an_ended_run_that_nobody_comes_for_frees_its_slot_and_keeps_its_result(
    world: MakeWorld, monkeypatch: pytest.MonkeyPatch, hours: float, has_changes: bool
) -> None:
    if not has_changes:
        monkeypatch.setattr(FakeTree, "save", lambda *_: (BASE, b""))

    async def main() -> None:
        here = world(working)
        await here.launch()
        await until(lambda: here.values)
        here.abandon()
        assert here.node.free == 0
        await asyncio.sleep(hours * 3600)
        assert here.node.free == 1 and not (here.folder / "fleet" / "runs" / RUN / "tree").exists()
        run = await here.find()
        assert (await run.result()).terminate_reason == "GOAL"
        assert here.values == list(range(1, 81)) and bool(here.brought[0]) is has_changes
        await until(here.is_clean)

    run_virtually(main)
