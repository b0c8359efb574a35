"""The subagents of a real agent: each answer of the model counts once, in the session that asked for it."""

import asyncio
from typing import Any

import pytest

from tests.e2e.conftest import Sidecar
from tests.e2e.real.test_real_sessions import driven, ended, used_by
from tests.model_server.server import ModelServer

__all__ = ["driven"]  # a fixture
NAMES = {"opencode": "general", "claude-agent-acp": "general-purpose", "qwen": "general-purpose"}
"""The agents whose subagents ask the pretended model, and the name of such a subagent."""
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.parametrize("agent", list(NAMES))]

Json = dict[str, Any]
TOKENS = ("input", "output", "cacheReads", "cacheWrites")
TITLES = {"opencode": "as asked (@general subagent)"}
"""What the rows of subagents are called by agents that name them."""
SECONDS = 30


async def subagent_rows(sidecar: Sidecar, parent: str) -> list[Json]:
    """Wait for the rows of the subagents of a session, whose files may be written after the run's end."""
    found: Json = {"items": []}
    for _ in range(SECONDS):
        await sidecar.request("tasks/refresh")
        found = await sidecar.request("tasks/list", query=f"parent:{parent}")
        if found["items"]:
            break
        await asyncio.sleep(1)
    items: list[Json] = found["items"]
    return items


def used_of(row: Json) -> Json:
    """Return the tokens of a row or a family, all of them."""
    return {key: row.get(key, 0) for key in TOKENS}


async def test_the_answers_of_a_subagent_count_once_and_for_its_parent(
    driven: Sidecar, model: ModelServer, agent: str
) -> None:
    goal = f"SCENARIO:delegate:{NAMES[agent]}>say>Hello from below."
    run = await ended(driven, model, await driven.launch(agent, goal), 3)
    answers = [each for each in model.answers if not each.is_side_call]
    below = [each.usage for each in answers if each.goal.startswith("say:")]
    above = [each.usage for each in answers if not each.goal.startswith("say:")]
    (child,) = await subagent_rows(driven, run["sessionTaskId"])
    row = (await driven.request("tasks/get", taskId=run["sessionTaskId"]))["task"]
    assert (child["parentId"], row["childIds"]) == (row["id"], [child["id"]])
    assert (child["title"], child["messageCount"]) == (TITLES.get(agent, "SCENARIO:say:Hello from below."), 2)
    assert (child["model"], child["workspaceDir"]) == ("fake-model", str(driven.workspace))
    assert (child["status"], child["outcome"], child["problems"]) == ("completed", "completed", [])
    assert used_of(child["tokenUsage"]) == used_of(used_by(agent, below))
    assert used_of(row["tokenUsage"]) == used_of(used_by(agent, above))
    assert used_of(row["tokenUsage"]["withChildren"]) == used_of(used_by(agent, [*above, *below]))
    listed = await driven.request("tasks/list", filter="")
    assert child["id"] not in {each["id"] for each in listed["items"]}
    stats = await driven.request("tasks/stats")
    assert used_of(stats["totals"]) == used_of(used_by(agent, [*above, *below]))
