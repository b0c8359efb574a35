"""Real agents from npm, driven through a real sidecar against a model that is pretended.

After each test no process carries the run's marker (the fixture `start` sees to it), and a call of the
model that was under way was seen to lose its reader. `scripts/agents` installs the agents.
"""

import asyncio
import json
import os
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from sidecar.subagents.runners.marker import find
from tests.e2e.conftest import REPO, Sidecar, Start
from tests.model_server.server import ModelServer

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(150),
    pytest.mark.parametrize("agent", ["opencode", "gemini"]),
]

Json = dict[str, Any]
Launch = Callable[..., Awaitable[str]]

BIN = REPO / ".cache" / "agents" / "node_modules" / ".bin"
SECONDS = 90


@pytest.fixture
def model() -> Iterator[ModelServer]:
    server = ModelServer()
    yield server
    server.close()


@pytest.fixture
def runners(home: Path, model: ModelServer) -> Json:
    """The two agents in a home of their own, told to use the pretended model."""
    missing = [name for name in ("opencode", "gemini") if not (BIN / name).exists()]
    assert not missing, f"{', '.join(missing)} not installed; run scripts/agents"
    gemini = home / ".gemini"
    gemini.mkdir()
    chosen = {"auth": {"selectedType": "gemini-api-key"}}
    (gemini / "settings.json").write_text(
        json.dumps({"security": chosen, "privacy": {"usageStatisticsEnabled": False}})
    )
    (home / "opencode.json").write_text(json.dumps(_opencode_config(model.url)))
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    switches = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
    return {
        "opencode": {
            "type": "acp",
            "env": {"PATH": path, "OPENCODE_CONFIG": str(home / "opencode.json")}
            | {f"OPENCODE_DISABLE_{switch}": "1" for switch in switches},
        },
        "gemini": {
            "type": "acp",
            "env": {"PATH": path, "GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": model.url},
        },
    }


def _opencode_config(url: str) -> Json:
    limits: Json = {"limit": {"context": 32000, "output": 4000}, "cost": {"input": 1, "output": 2}}
    provider: Json = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{url}/v1", "apiKey": "none"},
        "models": {"fake-model": {"name": "Fake", **limits}},
    }
    return {
        "autoupdate": False,
        "share": "disabled",
        "model": "fake/fake-model",
        "small_model": "fake/fake-model",
        "enabled_providers": ["fake"],
        "provider": {"fake": provider},
    }


@pytest.fixture
async def driven(start: Start, runners: Json, home: Path) -> AsyncIterator[Sidecar]:
    agents = home / "config" / "subagent-sidecar" / "agents"
    for name, model in (("opencode", "fake/fake-model"), ("gemini", "gemini-2.5-flash")):
        text = f"---\nname: {name}\ndescription: Works.\nrunner: {name}\nmodel: {model}\n---\n"
        (agents / f"{name}.md").write_text(text)
    yield await start(settings={"runners": runners})


async def attention(sidecar: Sidecar, task_id: str) -> Json:
    """Wait until a task asks, and return what."""

    def asking() -> list[Json]:
        newest = [change for change in sidecar.changes if change["id"] == task_id][-1]
        assert newest["status"] == "running", newest
        return [newest["attention"]] if "attention" in newest else []

    await sidecar.until(lambda: bool(asking()), SECONDS)
    return asking()[0]


async def answer(sidecar: Sidecar, task_id: str, kind: str) -> None:
    """Answer a task's question by the kind of the option."""
    asked = await attention(sidecar, task_id)
    option = next(each["optionId"] for each in asked["options"] if each["kind"] == kind)
    await sidecar.request("asyncTasks/answer", taskId=task_id, requestId=asked["requestId"], optionId=option)


async def launch_speaking(sidecar: Sidecar, agent: str, **more: Any) -> str:
    """Launch a run that speaks slowly, and wait for its first words."""
    task_id = await sidecar.launch(agent, "SCENARIO:slow", **more)
    await sidecar.request("asyncTasks/subscribe", taskId=task_id, afterSeq=0)
    await sidecar.until(lambda: "word3" in sidecar.text(task_id), SECONDS)
    return task_id


async def launch_with_shell(sidecar: Sidecar, agent: str) -> str:
    """Launch a run whose shell runs for ever, and wait until it does."""
    task_id = await sidecar.launch(agent, "SCENARIO:shell:sleep 300")
    await answer(sidecar, task_id, "allow_once")
    async with asyncio.timeout(30):
        while not any("sleep" in _command(pid) for pid in find([task_id])):
            await asyncio.sleep(0.05)
    return task_id


def _command(pid: int) -> list[str]:
    try:
        return psutil.Process(pid).cmdline()
    except psutil.Error:
        return []


async def gone(task_id: str, seconds: float) -> None:
    async with asyncio.timeout(seconds):
        while find([task_id]):
            await asyncio.sleep(0.05)


async def ended(sidecar: Sidecar, task_id: str) -> Json:
    answer = await sidecar.client.request(
        "asyncTasks/wait", {"taskIds": [task_id], "timeoutSeconds": SECONDS}, timeout=SECONDS + 5
    )
    task: Json = answer["tasks"][0]
    return task


async def events(sidecar: Sidecar, task_id: str, kind: str) -> list[Json]:
    page = await sidecar.request("asyncTasks/events", taskId=task_id, limit=5000)
    return [event for event in page["events"] if event["type"] == kind]


async def test_an_allowed_write_is_done_and_told(driven: Sidecar, agent: str) -> None:
    target = driven.workspace / "out.txt"
    task_id = await driven.launch(agent, f"SCENARIO:write:{target}=written by the agent")
    await answer(driven, task_id, "allow_once")
    task = await ended(driven, task_id)
    assert (task["status"], task["endReason"]) == ("completed", "goal"), task
    assert task["output"]["final_message"] == "All done."
    assert target.read_text().strip() == "written by the agent"
    assert task["progress"]["toolCalls"] == 1
    assert task["progress"]["inputTokens"] >= 100
    tools = await events(driven, task_id, "tool")
    assert tools[-1]["status"] == "completed"
    diffs = [part for tool in tools for part in tool.get("content", []) if part["type"] == "diff"]
    assert "written by the agent" in diffs[0]["newText"]
    asked = await events(driven, task_id, "permission")
    assert [(event["state"], event.get("by")) for event in asked] == [("asked", None), ("answered", "user")]


async def test_a_rejected_write_is_not_done(driven: Sidecar, agent: str) -> None:
    target = driven.workspace / "out.txt"
    task_id = await driven.launch(agent, f"SCENARIO:write:{target}=never")
    await answer(driven, task_id, "reject_once")
    task = await ended(driven, task_id)
    assert not target.exists()
    if agent == "opencode":  # it stops without a word; gemini lets the model go on
        assert (task["status"], task["endReason"]) == ("failed", "error")
        assert "stopped when it was refused" in task["error"]
    assert [tool["status"] for tool in await events(driven, task_id, "tool")][-1] == "failed"


async def test_a_policy_s_refusal_is_told_and_the_session_goes_on(driven: Sidecar, agent: str) -> None:
    await driven.request("settings/update", settings={"permissions": {"default": "deny"}})
    target = driven.workspace / "out.txt"
    task = await ended(driven, await driven.launch(agent, f"SCENARIO:write:{target}=never"))
    assert (task["endReason"], task["output"]["final_message"]) == ("goal", "All done.")
    assert not target.exists()
    (event,) = await events(driven, task["id"], "permission")
    assert (event["kind"], event["by"]) == ("reject_once", "policy")


async def test_cancel_while_it_speaks_reaches_the_model(
    driven: Sidecar, model: ModelServer, agent: str
) -> None:
    task_id = await launch_speaking(driven, agent)
    began = time.monotonic()
    answer = await driven.request("asyncTasks/cancel", taskId=task_id)
    assert answer["task"]["status"] == "cancelled"
    assert time.monotonic() - began < 1
    await gone(task_id, 5)
    assert await asyncio.to_thread(model.until_aborted, 5)
    task = await driven.task(task_id)
    assert task["partial"]["final_message"].startswith("word0 word1")


async def test_cancel_while_its_shell_runs_leaves_no_shell(driven: Sidecar, agent: str) -> None:
    task_id = await launch_with_shell(driven, agent)
    assert (await driven.request("asyncTasks/cancel", taskId=task_id))["cancelled"]
    await gone(task_id, 5)
    assert (await driven.task(task_id))["endReason"] == "cancelledByUser"


async def test_a_time_limit_ends_the_model_call_too(driven: Sidecar, model: ModelServer, agent: str) -> None:
    task_id = await launch_speaking(driven, agent, timeoutSeconds=20)
    task = await ended(driven, task_id)
    assert (task["status"], task["endReason"]) == ("failed", "timeout")
    assert task["partial"]["final_message"].startswith("word0 word1")
    await gone(task_id, 6)
    assert await asyncio.to_thread(model.until_aborted, 5)


async def test_a_killed_agent_is_a_failure_that_says_so(
    driven: Sidecar, model: ModelServer, agent: str
) -> None:
    task_id = await launch_speaking(driven, agent)
    for pid in find([task_id]):
        os.kill(pid, signal.SIGKILL)
    task = await ended(driven, task_id)
    assert (task["status"], task["endReason"]) == ("failed", "error")
    assert "killed by signal 9" in task["error"]
    assert find([task_id]) == []
    assert await asyncio.to_thread(model.until_aborted, 5)


async def test_a_killed_agent_leaves_no_shell(driven: Sidecar, agent: str) -> None:
    task_id = await launch_with_shell(driven, agent)
    os.kill(min(find([task_id])), signal.SIGKILL)
    task = await ended(driven, task_id)
    assert (task["status"], task["endReason"]) == ("failed", "error")
    assert find([task_id]) == []


async def test_a_killed_sidecar_leaves_nothing_once_another_started(
    driven: Sidecar, start: Start, agent: str
) -> None:
    task_id = await launch_with_shell(driven, agent)
    os.kill(driven.client.pid, signal.SIGKILL)
    assert await driven.client.wait(5) is not None
    again = await start()
    assert find([task_id]) == []
    task = await again.task(task_id)
    assert (task["status"], task["endReason"]) == ("failed", "lost")
    assert "attention" not in task
