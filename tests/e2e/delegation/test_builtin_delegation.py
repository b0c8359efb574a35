"""The built-in agent as a run that delegates: its model launches, awaits, reads and cancels runs."""

import pytest

from tests.e2e.delegation.conftest import Delegating
from tests.model_server.orchestration import FIRST_RESULT
from tests.model_server.server import ModelServer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


async def test_its_model_runs_two_subagents_without_a_question(
    delegating: Delegating, model: ModelServer
) -> None:
    env = {
        "SIDECAR_AGENT_PROVIDER": "openai",
        "SIDECAR_AGENT_BASE_URL": f"{model.url}/v1",
        "SIDECAR_AGENT_KEY_VARIABLE": "MY_KEY",
        "MY_KEY": "sk-a-secret",
    }
    editor = await delegating.attach(
        permissions={"default": "deny"}, **{"runners.own": {"type": "builtin"}, "runners.own.env": env}
    )
    delegating.define("lead", "mcpServers: [sidecar]", "model: fake-model", runner="own")
    delegating.define("cat", body=f"say '{FIRST_RESULT}'")
    delegating.define("wait", body="wait")
    lead, children = await delegating.run(editor, "lead", "SCENARIO:orchestrate")
    assert lead["status"] == "completed", lead
    assert "All done." in lead["output"]["final_message"]
    ends = {each["subagentName"]: (each["status"], each.get("endReason")) for each in children}
    assert ends == {"cat": ("completed", "goal"), "wait": ("cancelled", "cancelledByModel")}
    assert FIRST_RESULT in str(model.requests[-1][1])
