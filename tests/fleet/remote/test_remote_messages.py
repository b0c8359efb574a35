"""A message to an agent on a node is delivered once, in order."""

import asyncio
from functools import partial

from tests.fleet.conftest import MakeWorld
from tests.fleet.fakes.agents import ScriptedRun
from tests.fleet.fakes.gateway import Cut
from tests.fleet.fakes.virtual_time import run_virtually, until
from tests.fleet.fakes.world import World

CUTS = [Cut("none"), Cut("asked", "send", 2), Cut("answered", "send", 2)]


async def listening(agent: ScriptedRun) -> None:
    await agent.open()
    await asyncio.sleep(100)


def test_messages_are_delivered_once_and_in_order(world: MakeWorld) -> None:
    async def main(cut: Cut) -> None:
        here = world(listening)
        here.gateways.cuts = [Cut(cut.kind, cut.op, cut.count)]
        run = await here.launch()
        channel = run.channel
        assert channel is not None and not channel.send("too early")
        await until(lambda: channel.listens)
        texts = ["one", "two", "three", "two"]
        assert all(channel.send(text) for text in texts)
        await run.result()
        assert here.agents.runs[0].messages == texts and not channel.send("too late")

    for cut in CUTS:
        run_virtually(partial(main, cut))


def test_a_last_turn_is_taken_once(world: MakeWorld) -> None:
    async def main(kind: str) -> None:
        here = world(listening)
        here.gateways.cuts = [Cut(kind, "lastTurn")]
        run = await here.launch()
        channel = run.channel
        assert channel is not None
        await until(lambda: channel.listens)
        await channel.last_turn(["summary"])
        assert here.agents.runs[0].last_turns == [["summary"]]
        await run.stop()

    for kind in ("none", "asked", "answered"):
        run_virtually(partial(main, kind))


def test_a_last_turn_ends_with_its_run(world: MakeWorld) -> None:
    async def main() -> None:
        here: World = world(listening)
        run = await here.launch()
        channel = run.channel
        assert channel is not None
        await until(lambda: channel.listens)
        here.gateways.cuts = [Cut("asked", "lastTurn", count) for count in range(1, 1000)]
        turn = asyncio.create_task(channel.last_turn([]))
        await asyncio.sleep(1)
        here.kill_worker()
        assert (await run.result()).is_lost
        await turn

    run_virtually(main)
