"""That a real agent starts no program that a repository names, unless everything is allowed there.

The model is pretended; judged by the disk. `scripts/agents` installs the agents.
"""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Sidecar, Start
from tests.e2e.real.canaries import Canaries
from tests.e2e.real.real_agents import AGENTS, SECONDS, define_agents, settings_in
from tests.model_server.server import ModelServer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.parametrize("agent", AGENTS)]

Json = dict[str, Any]
REFUSING = ("codex-acp", "opencode")
"""Agents that have no switch against one of the places."""


@pytest.fixture
async def driven(start: Start, home: Path, model: ModelServer) -> Sidecar:
    define_agents(home)
    return await start(settings=settings_in(home, model.url))


@pytest.fixture
def canaries(home: Path) -> Canaries:
    return Canaries(home / "workspace")


async def run(sidecar: Sidecar, agent: str, policy: str, goal: str) -> Json:
    await sidecar.request("settings/update", settings={"permissions": {"default": policy}})
    task_id = await sidecar.launch(agent, goal)
    params = {"taskIds": [task_id], "timeoutSeconds": SECONDS}
    answer = await sidecar.client.request("asyncTasks/wait", params, timeout=SECONDS + 5)
    task: Json = answer["tasks"][0]
    return task


@pytest.mark.parametrize("policy", ["deny", "allowEdits"])
async def test_an_agent_that_has_to_ask_starts_no_program_of_the_repository(
    driven: Sidecar, home: Path, canaries: Canaries, agent: str, policy: str
) -> None:
    if agent == "codex-acp":  # it writes by a command, which is not an edit
        policy = "deny"
    canaries.place_in(agent)
    target = home / "workspace" / "out.txt"
    task = await run(driven, agent, policy, f"SCENARIO:write:{target}=written")
    assert (task["status"], task["output"]["final_message"]) == ("completed", "All done."), task
    assert target.exists() is (policy == "allowEdits")
    assert canaries.heard == []


async def test_the_programs_are_started_where_everything_is_allowed(
    driven: Sidecar, canaries: Canaries, agent: str
) -> None:
    canaries.place_in(agent)
    await run(driven, agent, "allowAll", "SCENARIO:say:hi")
    assert canaries.heard


async def test_a_repository_is_refused_whose_programs_cannot_be_left_out(
    driven: Sidecar, canaries: Canaries, agent: str
) -> None:
    canaries.place_refused(agent)
    task = await run(driven, agent, "ask", "SCENARIO:say:hi")
    assert (task["status"] == "failed") is (agent in REFUSING)
    assert ("or set permissions: allowAll" in task.get("error", "")) is (agent in REFUSING)
    assert canaries.heard == []


@pytest.mark.parametrize("policy", ["deny", "allowAll"])
async def test_a_subagent_of_the_agent_never_hangs_or_acts_unasked(
    driven: Sidecar, home: Path, agent: str, policy: str
) -> None:
    names = {"opencode": "explore" if policy == "deny" else "general", "gemini": "generalist"}
    goal = f"SCENARIO:delegate:{names.get(agent, 'general-purpose')}>shell>touch {home}/workspace/out.txt"
    task = await run(driven, agent, policy, goal)
    assert task["status"] == "completed", task
    if policy == "deny":
        assert not (home / "workspace" / "out.txt").exists()
