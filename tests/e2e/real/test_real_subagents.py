"""The subagents of a real agent: each answer of the model counts once, in the session that asked for it."""

import asyncio
from typing import Any

import pytest

from tests.e2e.conftest import Sidecar
from tests.e2e.real.test_real_sessions import driven, ended, used_by
from tests.model_server.server import ModelServer

__all__ = ["driven"]  # a fixture
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.parametrize("agent", ["opencode"])]

Json = dict[str, Any]
NAMES = {"opencode": "general"}
"""The agents whose subagents ask the pretended model, and the name of such a subagent."""
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


async def test_the_answers_of_a_subagent_count_once_and_for_its_parent(
    driven: Sidecar, model: ModelServer, agent: str
) -> None:
    goal = f"SCENARIO:delegate:{NAMES[agent]}>say>Hello from below."
    run = await ended(driven, model, await driven.launch(agent, goal), 3)
    answers = model.answers_of_sessions
    children = await subagent_rows(driven, run["sessionTaskId"])
    row = (await driven.request("tasks/get", taskId=run["sessionTaskId"]))["task"]
    assert [child["parentId"] for child in children] == [row["id"]]
    whole = {key: value for key, value in used_by(agent, answers).items() if key != "cost"}
    assert {key: row["tokenUsage"]["withChildren"].get(key, 0) for key in whole} == whole
    own = {key: row["tokenUsage"].get(key, 0) + children[0]["tokenUsage"].get(key, 0) for key in whole}
    assert own == whole
    listed = await driven.request("tasks/list", filter="")
    assert children[0]["id"] not in {each["id"] for each in listed["items"]}
