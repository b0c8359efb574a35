"""That a run shows when a real agent compacts its context. The model is pretended."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Sidecar, Start
from tests.e2e.real.real_agents import SECONDS, define_agents, settings_in
from tests.model_server.server import ModelServer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

Json = dict[str, Any]

COMPACTING = ("claude-agent-acp", "codex-acp")
"""The agents that report compactions, and compact on the command `/compact`.

Neither is among those that every run of the tests installs, so `conftest.py` deselects both there.
"""


async def ended(sidecar: Sidecar, task_id: str) -> Json:
    """Wait for the end of a run, which completes."""
    answer = await sidecar.client.request(
        "asyncTasks/wait", {"taskIds": [task_id], "timeoutSeconds": SECONDS}, timeout=SECONDS + 5
    )
    task: Json = answer["tasks"][0]
    assert task["status"] == "completed", json.dumps(task)
    return task


async def logged(sidecar: Sidecar, task_id: str) -> list[str]:
    """Return the texts of the events of a run that are logged."""
    answer = await sidecar.request("asyncTasks/events", taskId=task_id)
    return [event["text"] for event in answer["events"] if event["type"] == "log"]


@pytest.mark.parametrize("agent", COMPACTING)
async def test_the_conversation_says_that_the_agent_compacted_its_context(
    home: Path, start: Start, model: ModelServer, agent: str
) -> None:
    define_agents(home)
    sidecar = await start(settings=settings_in(home, model.url))
    first = await sidecar.launch(agent, "SCENARIO:say:Hello.")
    await ended(sidecar, first)
    resumed = await sidecar.request("asyncTasks/resume", taskId=first, text="/compact")
    assert resumed["mode"] == "session"
    task_id = resumed["task"]["id"]
    await ended(sidecar, task_id)
    texts = await logged(sidecar, task_id)
    assert any(text.startswith("The agent compacted its context.") for text in texts), texts
