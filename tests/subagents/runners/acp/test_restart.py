"""An agent that fails before its session is open is started once more."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

Agent = Callable[..., Awaitable[Any]]

AGAIN = "starts it once more"


async def test_an_agent_that_dies_at_its_first_start_is_started_again(agent: Agent) -> None:
    run = await agent("die_once")
    result = await run.result()
    assert (result.terminate_reason, result.final_message) == ("GOAL", "hello")
    assert AGAIN in run.text("log")


@pytest.mark.parametrize("scenario", [("die_always",), ("fail_to_open", "-32603")])
async def test_a_second_failure_is_the_end(agent: Agent, tmp_path: Path, scenario: tuple[str, ...]) -> None:
    run = await agent(*scenario)
    result = await run.result()
    assert result.terminate_reason == "ERROR"
    assert (tmp_path / "starts").read_text() == "xx"


@pytest.mark.parametrize("code", ["-32000", "-32602"])
async def test_a_refusal_is_not_met_with_another_start(agent: Agent, tmp_path: Path, code: str) -> None:
    run = await agent("fail_to_open", code)
    assert (await run.result()).terminate_reason == "ERROR"
    assert (tmp_path / "starts").read_text() == "x"
    assert AGAIN not in run.text("log")


async def test_an_agent_that_dies_after_its_prompt_is_not_started_again(agent: Agent) -> None:
    run = await agent("crash")
    assert (await run.result()).terminate_reason == "ERROR"
    assert AGAIN not in run.text("log")


async def test_a_run_that_is_stopped_meanwhile_starts_no_agent(agent: Agent, tmp_path: Path) -> None:
    stopped = asyncio.Event()

    async def emit(event: dict[str, Any]) -> None:
        if AGAIN in event.get("text", ""):
            await stopped.wait()

    run = await agent("die_once", emit=emit)
    stopping = asyncio.create_task(run.stop(5.0))
    while not run.run.is_stopped:
        await asyncio.sleep(0)
    stopped.set()
    await stopping
    assert (await run.result()).terminate_reason == "ERROR"
