"""Launches of a real agent whose model refuses requests wait for the agent that asks again."""

import json
from pathlib import Path

import pytest

from tests.e2e.conftest import Start, define
from tests.e2e.processes import until_retrying
from tests.e2e.real.real_agents import BIN, MODELS, PATIENT, runners_in
from tests.model_server.server import ModelServer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


async def test_a_real_agent_that_repeats_its_request_holds_the_others(
    start: Start, home: Path, model: ModelServer
) -> None:
    (define(home, []) / "opencode.md").write_text(
        f"---\nname: opencode\ndescription: x.\nrunner: opencode\nmodel: {MODELS['opencode']}\n---\n"
    )
    assert (BIN / "opencode").exists(), "opencode is not installed; run scripts/agents"
    settings = runners_in(home, model.url)["opencode"]
    sidecar = await start(settings={"runners": {"opencode": settings}, "asyncTasks": PATIENT})
    model.failure, model.retry_after = 429, "15"
    running = await sidecar.launch("opencode", "SCENARIO:say:hello")
    await until_retrying(sidecar, running)
    held = await sidecar.launch("opencode", "SCENARIO:say:hello")
    assert (await sidecar.task(held))["waiting"]["reason"] == "rateLimit"
    model.failure = None
    ended = await sidecar.ended(running, held)
    assert [task["status"] for task in ended] == ["completed"] * 2, json.dumps(ended)
