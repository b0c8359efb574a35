"""What an agent is held to as well as its prompt: outputs, a last turn, the refusal of tools."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from sidecar.subagents.fold import variables
from sidecar.subagents.runners.output import outputs

pytestmark = pytest.mark.slow  # each starts an agent

Agent = Callable[..., Awaitable[Any]]

OUTPUTS = {"count": "how many", "why": "the reason"}


def emitted(run: Any) -> list[tuple[str, Any]]:
    return [(event["name"], event["value"]) for event in run.events if event["type"] == "emit"]


async def test_outputs_are_emitted_and_are_not_part_of_the_message(agent: Agent) -> None:
    run = await agent(prompt="say done\nemit count 3\nemit why '\"so\"'", expected_outputs=OUTPUTS)
    result = await run.result()
    assert (result.terminate_reason, result.error) == ("GOAL", None)
    assert emitted(run) == [("count", 3), ("why", "so")]
    assert (result.emitted_vars, result.final_message) == ({"count": 3, "why": "so"}, "done")
    assert "```" not in run.text()


async def test_outputs_that_are_missing_are_asked_for_once_more(agent: Agent) -> None:
    prompt = "say done\nemit count 3\nthen 'emit why 1'"
    run = await agent(prompt=prompt, expected_outputs=OUTPUTS)
    result = await run.result()
    assert (result.terminate_reason, result.emitted_vars) == ("GOAL", {"count": 3, "why": 1})
    assert result.final_message == "done"


async def test_outputs_never_given_are_an_error_that_names_them_and_keeps_the_rest(agent: Agent) -> None:
    run = await agent(prompt="say done\nemit count 3\nthen 'say sorry'", expected_outputs=OUTPUTS)
    result = await run.result()
    assert (result.terminate_reason, result.emitted_vars) == ("ERROR", {"count": 3})
    assert result.error == "the run ended without its expected outputs: why"
    assert result.final_message == "sorry"


async def test_an_agent_is_informed_of_an_output_that_was_too_large_and_may_shorten_it(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(variables, "EMITTED_BYTES", 1_000)
    large = f"emit why '\"{'x' * 1_000}\"'"
    run = await agent(
        prompt=f"emit count 3\n{large}\nthen heard\nthen 'emit why 1'", expected_outputs=OUTPUTS
    )
    result = await run.result()
    assert (result.terminate_reason, result.emitted_vars) == ("GOAL", {"count": 3, "why": 1})
    assert "why was not kept: it has about 1,205 bytes" in run.text()
    assert "Shorten it, or write it to a file and hand over the path." in run.text()


async def test_an_agent_that_enlarges_an_output_when_it_is_asked_for_it_is_informed_too(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(variables, "EMITTED_BYTES", 1_000)
    large = f"emit why {'1' * 1_000}"
    prompt = f"emit count 3\nthen '{large}'\nthen 'then \"emit why 1\"'"
    run = await agent(prompt=prompt, expected_outputs=OUTPUTS)
    result = await run.result()
    assert (result.terminate_reason, result.emitted_vars) == ("GOAL", {"count": 3, "why": 1})


async def test_an_agent_is_informed_of_a_block_that_was_not_read(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outputs, "BLOCK_CHARS", 100)
    large = f"emit why '\"{'x' * 200}\"'"
    run = await agent(prompt=f"emit count 3\n{large}\nthen heard", expected_outputs=OUTPUTS)
    result = await run.result()
    reason = "it has more than 1,048,576 characters"
    assert f"The last block of outputs was not read: {reason}. Write a shorter one" in run.text()
    assert "expected outputs: why (its last block of outputs was not read: it " in str(result.error)


async def test_without_expected_outputs_a_block_stays_in_the_message(agent: Agent) -> None:
    run = await agent(prompt="emit count 3")
    result = await run.result()
    assert result.emitted_vars == {}
    assert run.text().startswith("\n```outputs\n")


async def test_the_last_turn_follows_the_one_it_cuts_short(agent: Agent) -> None:
    run = await agent(prompt="say begun\nthen 'emit count 3'\nthen 'say end'\nwait", expected_outputs=OUTPUTS)
    await run.until_it_speaks()
    async with asyncio.timeout(20):
        await run.run.channel.last_turn(["count", "why"])
    assert not run.run.channel.listens
    result = await run.result()
    assert (result.emitted_vars, result.final_message) == ({"count": 3}, "end")


async def test_questions_of_the_last_turn_are_refused_and_open_ones_taken_back(
    agent: Agent, person: Any
) -> None:
    run = await agent(prompt="then 'run ls'\nrun pwd")
    async with asyncio.timeout(20):
        await person.asked.wait()
        await run.run.channel.last_turn([])
    await run.result()
    assert [question.command for question in person.questions] == ["pwd"]
    assert "may only write a summary" in run.text()


async def test_a_last_turn_that_never_ends_does_not_hold_up_a_stop(agent: Agent) -> None:
    run = await agent(prompt="say begun\nthen 'say last'\nthen stay\nwait")
    await run.until_it_speaks()
    turn = asyncio.create_task(run.run.channel.last_turn([]))
    async with asyncio.timeout(20):
        while "last" not in run.text():
            run.shown.clear()
            await run.shown.wait()
    began = time.monotonic()
    assert await run.stop(3) < 3.2
    await asyncio.wait_for(turn, 1)
    assert time.monotonic() - began < 3.5


async def test_an_agent_that_is_starting_does_not_listen(agent: Agent) -> None:
    run = await agent("silent")
    assert not run.run.channel.listens


async def test_a_sent_message_is_the_next_prompt_and_precedes_its_answer(agent: Agent, person: Any) -> None:
    person.chooses = "yes"
    run = await agent(prompt="run 'sleep 0.5'\nsay begun")
    assert run.run.channel.send("say again")
    assert (await run.result()).final_message == "again"
    shown = [(event.get("role"), event["text"]) for event in run.events if event["type"] == "message"]
    assert shown == [(None, "begun"), ("user", "say again"), (None, "again")]
    assert not run.run.channel.send("too late")
