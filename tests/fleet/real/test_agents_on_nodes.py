"""A real agent works on the node that has it, against a model that is pretended.

`scripts/agents` installs opencode; without it, these tests fail.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator

import pytest

from sidecar.subagents.runners.process.marker import find
from tests.e2e.processes import command_of
from tests.e2e.real.real_agents import BIN, MODELS, opencode_config
from tests.fleet.conftest import Fleet, Json
from tests.fleet.real.test_runs import git, is_described
from tests.model_server.server import ModelServer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.xdist_group("runs")]


@pytest.fixture
def model() -> Iterator[ModelServer]:
    """A model on this machine in place of a provider's."""
    server = ModelServer()
    yield server
    server.close()


@pytest.fixture
async def opencode(fleet: Fleet, model: ModelServer) -> AsyncIterator[Fleet]:
    """A sidecar that may use any node; only node A has opencode."""
    assert (BIN / "opencode").exists(), "opencode is not installed; run scripts/agents"
    (fleet.cluster.home / "opencode.json").write_text(json.dumps(opencode_config(model.url)))
    await fleet.client.close()
    fleet.labels = {}
    await fleet.open()
    await fleet.until(lambda: fleet.request("fleet/status"), is_described)
    yield fleet


async def launched(fleet: Fleet, goal: str) -> str:
    return await fleet.launch("opencode", goal, model=MODELS["opencode"])


async def allowed(fleet: Fleet, run: str) -> Json:
    """Wait for a permission request, allow it once, and return it."""
    task = await fleet.until(lambda: fleet.task(run), lambda task: "attention" in task)
    asked: Json = task["attention"]
    option = next(each["optionId"] for each in asked["options"] if each["kind"] == "allow_once")
    await fleet.request("asyncTasks/answer", taskId=run, requestId=asked["requestId"], optionId=option)
    return asked


async def test_the_status_says_which_node_has_the_agent(opencode: Fleet) -> None:
    nodes = (await opencode.request("fleet/status"))["nodes"]
    agents = {node["name"]: node["agents"] for node in nodes if node["slots"]}
    assert "opencode" in agents["A"] and "opencode" not in agents["B"]


async def test_opencode_asks_and_writes_on_the_node_that_has_it(opencode: Fleet) -> None:
    run = await launched(opencode, "SCENARIO:write:out.txt=written by the agent")
    asked = await allowed(opencode, run)
    assert str(opencode.workspace / "out.txt") in asked["paths"]
    task = await opencode.ended(run)
    assert (task["status"], task["endReason"], task["placement"]["node"]) == ("completed", "goal", "A")
    assert task["output"]["final_message"] == "All done."
    assert task["progress"]["turns"] == 2 and task["progress"]["inputTokens"] >= 100
    assert task["changes"]["files"] == 1
    assert git(opencode, "show", f"refs/sidecar/{run}:out.txt") == "written by the agent"
    assert not (opencode.workspace / "out.txt").exists()


async def test_a_cancel_ends_opencode_with_its_shell(opencode: Fleet) -> None:
    run = await launched(opencode, "SCENARIO:shell:tail -f /dev/null && touch never")
    await allowed(opencode, run)

    async def commands() -> list[list[str]]:
        return await asyncio.to_thread(lambda: [command_of(pid) for pid in find([run])])

    await opencode.until(commands, lambda found: any("tail" in each for each in found))
    await opencode.request("asyncTasks/cancel", taskId=run)
    assert (await opencode.ended(run))["status"] == "cancelled"
    await opencode.nothing_left()
