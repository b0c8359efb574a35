"""Real agents as runs that delegate: their models launch, await, read and cancel runs of their own."""

from typing import Any

import pytest

from tests.e2e.delegation.conftest import Delegating
from tests.e2e.real.real_agents import AGENTS, MODELS, PATIENT, runners_in
from tests.model_server.orchestration import FIRST_RESULT
from tests.model_server.server import ModelServer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
Json = dict[str, Any]


WITHOUT_ASKING = ["gemini", "qwen"]
"""Agents that start no servers where they have to ask."""


async def test_an_agent_that_would_ignore_the_server_is_not_started(
    delegating: Delegating, model: ModelServer
) -> None:
    entry = runners_in(delegating.setting.home, model.url)["gemini"]
    runner = {"runners.gemini": {"type": "acp"}, "runners.gemini.env": entry["env"]}
    editor = await delegating.attach(permissions={"default": "ask"}, **runner)
    delegating.define("lead", "mcpServers: [sidecar]", runner="gemini")
    lead, _ = await delegating.run(editor, "lead", "SCENARIO:orchestrate")
    assert "uses mcpServers only in a trusted workspace" in lead["error"]


@pytest.mark.parametrize("agent", AGENTS)
async def test_its_model_runs_two_subagents_without_a_question(
    agent: str, delegating: Delegating, model: ModelServer
) -> None:
    entry = runners_in(delegating.setting.home, model.url)[agent]
    runner = {f"runners.{agent}": {"type": entry["type"]}, f"runners.{agent}.env": entry["env"]}
    policy = "allowAll" if agent in WITHOUT_ASKING else "deny"
    editor = await delegating.attach(permissions={"default": policy}, asyncTasks=PATIENT, **runner)
    chosen = [f"model: {MODELS[agent]}"] if MODELS[agent] else []
    delegating.define("lead", "mcpServers: [sidecar]", *chosen, runner=agent)
    delegating.define("cat", body=f"say '{FIRST_RESULT}'")
    delegating.define("wait", body="wait")
    lead, children = await delegating.run(editor, "lead", "SCENARIO:orchestrate")
    assert lead["status"] == "completed", lead
    assert "All done." in lead["output"]["final_message"]
    assert {each["parentTaskId"] for each in children} == {lead["id"]}
    ends = {each["subagentName"]: (each["status"], each.get("endReason")) for each in children}
    assert ends == {"cat": ("completed", "goal"), "wait": ("cancelled", "cancelledByModel")}
    # The last request may be a side call, such as for a title.
    assert any(FIRST_RESULT in str(body) for _, body in model.requests)
