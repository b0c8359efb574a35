"""Limits and failures of the built-in agent's runs: reported while they run, and acted upon inside a turn."""

import pytest

from tests.e2e.agents.test_builtin import driven as driven
from tests.e2e.conftest import Sidecar
from tests.model_server.server import ModelServer

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(120),
    pytest.mark.parametrize("provider", ["openai", "anthropic"]),
]


async def test_a_budget_of_tokens_ends_a_run_inside_its_turn(driven: Sidecar, model: ModelServer) -> None:
    settings = {"permissions": {"default": "allowAll"}, "budget": {"perTaskTokens": 90}}
    await driven.request("settings/update", settings=settings)
    (task,) = await driven.ended(await driven.launch("builtin", "SCENARIO:shell:sleep 60"))
    assert (task["status"], task["endReason"]) == ("failed", "budget")
    assert (task["progress"]["inputTokens"], task["progress"]["outputTokens"]) == (100, 7)
    assert len(model.requests) == 1
