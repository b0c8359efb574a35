"""That a question of a real agent reaches a person, and the answer its model. The model is pretended."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Start
from tests.e2e.real.real_agents import SECONDS, define_agents, settings_in
from tests.model_server.server import ModelServer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

Json = dict[str, Any]

ASKING = {"claude-agent-acp": '"Which color?"="Blue"', "qwen": "**Color**: Blue"}
"""The agents that can ask over the protocol, and how each pairs the question with the answer for its model.

Neither is among those that every run of the tests installs, so `conftest.py` deselects both there.
"""


@pytest.mark.parametrize("agent", ASKING)
async def test_the_model_gets_the_answer_to_its_question(
    home: Path, start: Start, model: ModelServer, agent: str
) -> None:
    define_agents(home)
    sidecar = await start(settings=settings_in(home, model.url))
    task_id = await sidecar.launch(agent, "SCENARIO:ask:Which color?")
    await sidecar.until(lambda: "attention" in sidecar.changes[-1], SECONDS)
    question = sidecar.changes[-1]["attention"]
    assert (question["kind"], question["title"]) == ("question", "Which color?")
    field, *_ = question["schema"]["properties"]
    choices = question["schema"]["properties"][field]["oneOf"]
    assert [each["const"] for each in choices] == ["Red", "Blue"]
    await sidecar.request(
        "asyncTasks/answer",
        taskId=task_id,
        requestId=question["requestId"],
        action="accept",
        content={field: "Blue"},
    )
    (task,) = await sidecar.ended(task_id)
    assert task["status"] == "completed", task
    # The choices are in the call of the tool; only its result pairs the question with the answer.
    assert ASKING[agent] in json.dumps(model.requests[-1], ensure_ascii=False).replace("\\", "")
