"""Real agents with the server in their configuration: they list it, and their model uses its tools."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Sidecar
from tests.e2e.host.conftest import HostSetting, shared
from tests.e2e.real.configured_agent import ConfiguredAgent, agent
from tests.e2e.real.real_agents import SECONDS
from tests.model_server.orchestration import FIRST_RESULT, SECOND_RESULT
from tests.model_server.script import Conversation
from tests.model_server.served_tools import FOUND
from tests.model_server.server import ModelServer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
__all__ = ["agent", "shared"]

Json = dict[str, Any]
NOTE = "System Note: Async Task Status"


async def test_the_agent_lists_the_server_as_connected(agent: ConfiguredAgent) -> None:
    assert agent.listed_as in await agent.listed()


async def test_its_model_launches_subagents_gets_two_ends_reads_one_result_and_cancels_the_third(
    agent: ConfiguredAgent, shared: HostSetting, model: ModelServer, home: Path
) -> None:
    editor = await _busy_editor(shared, home)
    code, out = await agent.prompt("SCENARIO:orchestrate")
    assert code == 0, out
    assert "All done." in out, out
    tasks: list[Json] = (await editor.request("asyncTasks/list"))["items"]
    ends = sorted((task["subagentName"], task["status"], task["endReason"]) for task in tasks)
    completed = ("cat", "completed", "goal")
    assert ends == [completed, completed, ("wait", "cancelled", "cancelledByModel")]
    assert {task["owner"]["client"] for task in tasks} == {"mcp"}
    last = str(model.requests[-1][1])
    assert "System Note: Async Task Status" in last
    for result in (FIRST_RESULT, SECOND_RESULT):
        assert re.search(rf"final_message\W+{result}", last), last
    assert (await editor.request("reminders/next"))["taskIds"] == []


async def test_an_end_that_an_agent_was_killed_over_is_reported_to_its_successor_once(
    agent: ConfiguredAgent, shared: HostSetting, model: ModelServer, home: Path
) -> None:
    editor = await _busy_editor(shared, home)
    killed = asyncio.create_task(agent.prompt("SCENARIO:receive"))
    await _until_tools_answered(model, 1, killed)
    agent.open_gate()
    assert NOTE in await _until_tools_answered(model, 2, killed)
    agent.kill()
    code, out = await killed
    assert code != 0, out
    assert await _notes(agent, model) == [FIRST_RESULT]
    assert await _notes(agent, model) == []
    assert (await editor.request("reminders/next"))["taskIds"] == []


async def _busy_editor(shared: HostSetting, home: Path) -> Sidecar:
    """Attach an editor of the same workspace that is never offered an end while an agent waits for it."""
    editor = await shared.attach(workspaceFolders=[str(home / "workspace")])
    await editor.client.notify("agent/setBusy", {"busy": True})
    return editor


async def _until_tools_answered(model: ModelServer, count: int, prompt: asyncio.Task[tuple[int, str]]) -> str:
    """Wait until the model gets this many answers of tools, and return the last one."""
    async with asyncio.timeout(SECONDS):
        while True:
            for each in model.conversations:
                answers = [text for text in each.tool_texts if FOUND not in text]
                if len(answers) >= count:
                    return answers[-1]
            assert not prompt.done(), prompt.result()
            await asyncio.sleep(0.05)


async def _notes(agent: ConfiguredAgent, model: ModelServer) -> list[str]:
    """Return the result in each reminder that the model gets in three calls of tools."""
    before = len(model.conversations)
    code, out = await agent.prompt("SCENARIO:collect")
    assert code == 0, out
    whole: Conversation = max(model.conversations[before:], key=lambda each: len(each.tool_texts))
    assert len(whole.tool_texts) >= 3
    return [FIRST_RESULT for text in whole.tool_texts if NOTE in text and FIRST_RESULT in text]
