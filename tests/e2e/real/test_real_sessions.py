"""The sessions that real agents keep in their own stores: our rows say what the model server reported.

Each answer of the model uses numbers of its own, so that a sum shows which answers it is of. What an agent
asks its model for itself, such as for a title, is in no store. `scripts/agents` installs the agents.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Sidecar, Start
from tests.e2e.real.real_agents import AGENTS, MODELS, SECONDS, define_agents, settings_in
from tests.model_server.server import ModelServer
from tests.model_server.usage import Usage, varied

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.parametrize("agent", AGENTS)]

Json = dict[str, Any]
STORES = {
    "opencode": Path("data", "opencode"),
    "gemini": Path(".gemini"),
    "claude-agent-acp": Path("claude"),
    "codex-acp": Path("codex"),
    "qwen": Path(".qwen"),
}
SILENT_CALLS = ("codex-acp",)
"""Agents in whose sessions an answer that only calls a tool is not a message."""
WRITES_CACHE = ("claude-agent-acp", "codex-acp")
"""Agents that record what their model wrote into its cache. For others, it is part of the input."""
MISREPORTING = ("opencode", "gemini")
"""Agents whose runs show the usage of the session instead of what the agent reported."""
PRICED = ("opencode",)
"""Agents that record a cost, of 1 and 2 dollars for a million tokens of input and output."""


@pytest.fixture
async def driven(start: Start, home: Path, model: ModelServer, agent: str) -> AsyncIterator[Sidecar]:
    define_agents(home)
    model.usage = varied
    settings: Json = {
        **settings_in(home, model.url),
        "history": {"foreignRoots": [str(home / STORES[agent])]},
        "permissions": {"default": "allowAll"},
    }
    yield await start(settings=settings)


async def ended(sidecar: Sidecar, model: ModelServer, task_id: str, answers: int) -> Json:
    """Wait for the end of a run, after this many answers of the model in all of its sessions."""
    await sidecar.client.request(
        "asyncTasks/wait", {"taskIds": [task_id], "timeoutSeconds": SECONDS}, timeout=SECONDS + 5
    )
    assert await asyncio.to_thread(model.until_answered, answers, 60)
    task = await sidecar.task(task_id)
    assert (task["status"], task["endReason"]) == ("completed", "goal"), task
    return task


async def with_usage(sidecar: Sidecar, run: Json) -> Json:
    """Wait until a run shows what its session used."""
    await sidecar.until(
        lambda: any(
            change["id"] == run["id"] and "usageSource" in change["progress"] for change in sidecar.changes
        )
    )
    return await sidecar.task(run["id"])


async def row_of(sidecar: Sidecar, run: Json) -> Json:
    """Return the row of the session of a run."""
    await sidecar.request("tasks/refresh")
    row: Json = (await sidecar.request("tasks/get", taskId=run["sessionTaskId"]))["task"]
    return row


async def texts_of(sidecar: Sidecar, row: Json) -> list[tuple[str, str]]:
    """Return who wrote what in a session, without tools and what the agent adds."""
    found = await sidecar.request("tasks/messages", taskId=row["id"])
    written = [each for each in found["messages"] if each["kind"] == "text"]
    return [(each["role"], each["text"]) for each in written if not each["text"].startswith("<")]


def used_by(agent: str, answers: list[Usage]) -> Json:
    """Return the tokens and the cost of a session with these answers."""
    written = sum(each.written for each in answers) if agent in WRITES_CACHE else 0
    fresh = sum(each.input - each.cached for each in answers) - written
    output = sum(each.output for each in answers)
    cost = {"cost": round((fresh + 2 * output) / 1e6, 9)} if agent in PRICED else {}
    cached = sum(each.cached for each in answers)
    tokens = {"input": fresh, "output": output, "total": fresh + output}
    return {**tokens, "cacheReads": cached, "cacheWrites": written, **cost}


async def check(
    sidecar: Sidecar, agent: str, run: Json, answers: list[Usage], written: list[tuple[str, str]], began: int
) -> None:
    """Compare the row of a run's session with what was sent and answered."""
    row = await row_of(sidecar, run)
    usage = dict(row["tokenUsage"])
    if "cost" in usage:
        usage["cost"] = round(usage["cost"], 9)
    assert usage == used_by(agent, answers)
    prompts = sum(role == "user" for role, _ in written)
    spoken = sum(role == "assistant" for role, _ in written)
    assert row["messageCount"] == prompts + (spoken if agent in SILENT_CALLS else len(answers))
    assert await texts_of(sidecar, row) == written
    assert row["title"] == ("A title" if agent == "opencode" else " ".join(written[0][1].split()))
    assert row["model"] == (MODELS[agent] or "fake-model").rpartition("/")[2]
    assert row["workspaceDir"] == str(sidecar.workspace)
    assert (row["status"], row["outcome"], row["problems"]) == ("completed", "completed", [])
    assert began <= row["createdAt"] <= row["lastActivity"] <= time.time_ns() // 10**6


async def test_a_session_of_several_turns_is_as_the_model_reported_it(
    driven: Sidecar, model: ModelServer, agent: str
) -> None:
    began = time.time_ns() // 10**6
    prompt = f"SCENARIO:write:{driven.workspace / 'out.txt'}=written"
    first = await ended(driven, model, await driven.launch(agent, prompt), 2)
    if agent in MISREPORTING:
        first = await with_usage(driven, first)
    written = [("user", prompt), ("assistant", "All done.")]
    of_first = model.answers_of_sessions[:2]
    await check(driven, agent, first, of_first, written, began)

    text = "SCENARIO:say:A second answer."
    resumed = await driven.request("asyncTasks/resume", taskId=first["id"], text=text)
    second = await ended(driven, model, resumed["task"]["id"], 3)
    if agent in MISREPORTING:
        second = await with_usage(driven, second)
    of_second = model.answers_of_sessions[2:]
    if second["sessionTaskId"] != first["sessionTaskId"]:
        # It cannot continue its session in the minute in which it began, so the sidecar begins another.
        assert agent == "gemini"
        await check(driven, agent, first, of_first, written, began)
        (_, asked), _ = again = await texts_of(driven, await row_of(driven, second))
        assert asked.startswith(prompt) and asked.endswith(text)
        await check(driven, agent, second, of_second, again, began)
    else:
        written += [("user", text), ("assistant", "A second answer.")]
        await check(driven, agent, second, [*of_first, *of_second], written, began)
    for run, answers in ((first, of_first), (second, of_second)):
        if agent != "claude-agent-acp":  # whose reports include its side calls
            counted = used_by(agent, answers)
            assert (run["progress"]["inputTokens"], run["progress"]["outputTokens"]) == (
                counted["input"],
                counted["output"],
            )
