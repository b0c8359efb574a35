"""A question of an agent on a node is asked once, and its answer arrives, whatever dies meanwhile."""

import asyncio
from functools import partial

import pytest

from sidecar.subagents.permissions.question import Answer, Option, Question
from sidecar.subagents.runners.contract import RunResult
from tests.fleet.conftest import MakeWorld
from tests.fleet.fakes.agents import ScriptedRun
from tests.fleet.fakes.gateway import Cut
from tests.fleet.fakes.virtual_time import run_virtually, until

YES = Option("yes", "Allow", "allow_once")


def question(title: str) -> Question:
    return Question(request_id=title, title=title, options=(YES,), arguments={"path": "a.txt"})


async def asking(agent: ScriptedRun) -> RunResult:
    await agent.open()
    answer = await agent.observer.ask(question("first"))
    await asyncio.sleep(3)
    await agent.count(3, 1)
    return RunResult("GOAL", answer.option.option_id if answer.option else "denied", {}, None)


def test_an_answer_reaches_the_agent(world: MakeWorld) -> None:
    async def main(cut: Cut) -> None:
        here = world(asking)
        here.gateways.cuts = [cut]
        run = await here.launch()
        await until(lambda: here.person.asked)
        await asyncio.sleep(10)
        here.person.answers.put_nowait(Answer(YES))
        assert (await run.result()).final_message == "yes"
        assert here.person.asked == ["first"] and here.person.withdrawn == []

    for cut in (Cut("none"), Cut("asked", "answer"), Cut("answered", "answer")):
        run_virtually(partial(main, cut))


def test_an_open_question_stays_open_over_a_reconnection(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(asking)
        run = await here.launch()
        await until(lambda: here.person.asked)
        here.gateways.kill()
        await until(lambda: here.ops().count("follow") == 2)
        here.person.answers.put_nowait(Answer(YES))
        assert (await run.result()).final_message == "yes"
        assert here.person.asked == ["first"] and here.person.withdrawn == []

    run_virtually(main)


def test_a_withdrawn_question_is_closed(world: MakeWorld) -> None:
    async def impatient(agent: ScriptedRun) -> None:
        await agent.open()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(5):
                await agent.observer.ask(question("first"))
        await agent.count(3, 1)

    async def main(*, while_away: bool) -> None:
        here = world(impatient)
        run = await here.launch()
        await until(lambda: here.person.asked)
        if while_away:
            here.gateways.cuts = [Cut("asked", "connect", count) for count in range(1, 4)]
            here.gateways.kill()
        assert (await run.result()).terminate_reason == "GOAL"
        assert here.person.withdrawn == ["first"] and here.values == [1, 2, 3]

    run_virtually(partial(main, while_away=False))
    run_virtually(partial(main, while_away=True))


def test_a_new_sidecar_asks_what_is_open_and_not_what_was_answered(world: MakeWorld) -> None:
    async def twice(agent: ScriptedRun) -> None:
        await agent.open()
        await agent.observer.ask(question("first"))
        await agent.observer.ask(question("second"))

    async def main() -> None:
        here = world(twice)
        await here.launch()
        await until(lambda: here.person.asked == ["first"])
        here.person.answers.put_nowait(Answer(YES))
        await until(lambda: here.person.asked == ["first", "second"])
        here.abandon()
        run = await here.find()
        await until(lambda: len(here.person.asked) == 3)
        await asyncio.sleep(20)
        assert here.person.asked == ["first", "second", "second"]
        here.person.answers.put_nowait(Answer(YES))
        assert (await run.result()).terminate_reason == "GOAL"

    run_virtually(main)


def test_the_end_of_the_run_closes_its_questions(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(asking)
        run = await here.launch()
        await until(lambda: here.person.asked)
        await run.stop()
        await until(lambda: here.person.withdrawn == ["first"])

    run_virtually(main)
