"""Real agents whose model fails, and what they count: an end is called by its name, and no token is lost.

The runs are driven through the runner alone. `scripts/agents` installs the agents.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from sidecar.api.settings import RunnerSettings
from sidecar.subagents.permissions.question import Answer, Question
from sidecar.subagents.runners.acp.restart import RestartableRun
from sidecar.subagents.runners.acp.runner import AcpRunner
from sidecar.subagents.runners.contract import RunObserver, RunResult, RunSpec
from sidecar.subagents.runners.process.marker import find, sweep
from tests.e2e.real.real_agents import AGENTS, MODELS, SECONDS, STOP_SECONDS, runners_in
from tests.model_server.failures import FAILURES, Failure, Place
from tests.model_server.server import ModelServer
from tests.model_server.usage import Usage

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.parametrize("agent", AGENTS)]

Json = dict[str, Any]
_PATIENCE = 12
"""How long an agent that retries in silence is watched."""

KINDS: dict[Failure, str] = {
    401: "auth",
    429: "rateLimit",
    500: "overloaded",
    "reset": "network",
    "cut": "network",
    "malformed": "network",
}
SILENT: dict[str, tuple[Failure, ...]] = {"qwen": (429, 500, "reset", "cut")}
"""Agents that repeat such a request, and say nothing of it anywhere."""
UNSEEN = ("qwen", "opencode")
"""Agents that repeat a request whose stream broke for ever or for minutes, and do not always say so."""


class Agreeable(RunObserver):
    """Allows everything."""

    async def ask(self, question: Question) -> Answer:
        return Answer(question.option_for("allow"))


@dataclass
class Driven:
    """A run under test, and what it has emitted."""

    run: RestartableRun
    events: list[Json]
    retried: asyncio.Event = field(default_factory=asyncio.Event)

    async def failure(self) -> RunResult:
        """Wait until the run ends or its agent is seen to retry; stop it then, and return its result."""
        ended = asyncio.create_task(self.run.result())
        retried = asyncio.create_task(self.retried.wait())
        await asyncio.wait({ended, retried}, timeout=SECONDS, return_when=asyncio.FIRST_COMPLETED)
        retried.cancel()
        await self.run.stop(STOP_SECONDS)
        return await ended


Drive = Callable[[str, str], Awaitable[Driven]]


@pytest.fixture
async def drive(home: Path, model: ModelServer) -> AsyncIterator[Drive]:
    """Start a real agent with a goal."""
    settings, started, task_ids = runners_in(home, model.url), list[RestartableRun](), list[str]()
    workspace = home / "workspace"

    async def drive(agent: str, goal: str) -> Driven:
        env = {"HOME": str(home), **settings[agent]["env"]}
        runner = AcpRunner(agent, RunnerSettings(type="acp", env=env))
        task_ids.append(str(uuid4()))
        spec = RunSpec(task_ids[-1], goal, workspace, model=MODELS[agent], observer=Agreeable())
        events: list[Json] = []
        retried = asyncio.Event()

        async def emit(event: Json) -> None:
            events.append(event)
            if "retrying" in event:
                retried.set()

        started.append(await runner.start(spec, emit))
        return Driven(started[-1], events, retried)

    yield drive
    for run in started:
        await run.stop(STOP_SECONDS)
    left = find(task_ids)
    sweep(task_ids, 2.0)
    assert not left, f"processes left by a run: {left}"


@pytest.mark.parametrize("failure", FAILURES)
async def test_a_model_that_fails_is_never_a_goal(
    drive: Drive, model: ModelServer, agent: str, failure: Failure
) -> None:
    model.failure = failure
    driven = await drive(agent, "SCENARIO:say:one two three")
    if failure in SILENT.get(agent, ()):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(driven.run.result(), _PATIENCE)
        await driven.run.stop(STOP_SECONDS)
        assert (await driven.run.result()).terminate_reason == "ERROR"
        return
    result = await driven.failure()
    assert (result.terminate_reason, result.error_kind) == ("ERROR", KINDS[failure]), result
    assert result.error is not None
    assert "\n    at " not in result.error


@pytest.mark.parametrize("place", ["start", "half", "torn", "end"])
async def test_a_stream_that_breaks_after_a_tool_call_is_never_a_goal(
    drive: Drive, model: ModelServer, agent: str, place: Place
) -> None:
    model.failure, model.failure_place, model.spares_first_answer = "cut", place, True
    driven = await drive(agent, "SCENARIO:shell:echo hi > out.txt")
    if agent in UNSEEN:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(driven.run.result(), _PATIENCE)
    else:
        await driven.failure()
    await driven.run.stop(STOP_SECONDS)
    assert (await driven.run.result()).terminate_reason == "ERROR"


@pytest.mark.parametrize("place", ["torn", "end"])
async def test_a_call_whose_stream_breaks_is_never_a_goal(
    drive: Drive, model: ModelServer, agent: str, place: Place
) -> None:
    model.failure, model.failure_place = "cut", place
    driven = await drive(agent, "SCENARIO:shell:echo hi > out.txt")
    if agent in UNSEEN:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(driven.run.result(), _PATIENCE)
    else:
        await driven.failure()
    await driven.run.stop(STOP_SECONDS)
    assert (await driven.run.result()).terminate_reason == "ERROR"


async def test_the_tokens_that_the_model_counted_are_reported_with_the_cache_apart(
    drive: Drive, model: ModelServer, agent: str
) -> None:
    model.usage = lambda _: Usage(cached=40)
    driven = await drive(agent, "SCENARIO:shell:true")
    result = await asyncio.wait_for(driven.run.result(), SECONDS)
    assert result.terminate_reason == "GOAL", result
    usage = [event for event in driven.events if event["type"] == "usage"][-1]
    # The call and the last word; opencode reports its last answer only, and claude counts side calls too.
    answers = usage["outputTokens"] // 7
    most = {"opencode": 1, "claude-agent-acp": len(model.requests)}.get(agent, 2)
    assert min(2, most) <= answers <= most
    fresh = 100 if agent == "gemini" else 60
    assert (usage["inputTokens"], usage["outputTokens"]) == (fresh * answers, 7 * answers)
    # gemini does not tell the cache apart: its input includes it.
    assert usage.get("cacheReads") == (None if agent == "gemini" else 40 * answers)


async def test_the_output_of_a_command_is_reported(drive: Drive, agent: str) -> None:
    driven = await drive(agent, "SCENARIO:shell:expr 6000 + 66")
    await asyncio.wait_for(driven.run.result(), SECONDS)
    reported = [str(event.get("content")) for event in driven.events if event["type"] == "tool"]
    assert any("6066" in each for each in reported) == (agent != "gemini")  # which reports none
