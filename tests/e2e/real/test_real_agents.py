"""Real agents from npm, driven through a real sidecar against a model that is pretended.

After each test no process carries the run's marker (the fixture `start` sees to it), and a call of the
model that was under way was seen to lose its reader. `scripts/agents` installs the agents.
"""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.subagents.runners.process.marker import find
from tests.e2e.conftest import Sidecar, Start
from tests.e2e.processes import command_of, events, first_process, gone
from tests.e2e.real.real_agents import AGENTS, PATIENT, SECONDS, define_agents, runners_in
from tests.e2e.real.real_session import opened
from tests.model_server.server import ModelServer

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.parametrize("agent", AGENTS),
]

Json = dict[str, Any]
Launch = Callable[..., Awaitable[str]]


@pytest.fixture
def runners(home: Path, model: ModelServer) -> Json:
    """The agents in a home of their own, set up to use the pretended model."""
    return runners_in(home, model.url)


@pytest.fixture
async def driven(start: Start, runners: Json, home: Path) -> AsyncIterator[Sidecar]:
    define_agents(home)
    yield await start(settings={"runners": runners, "asyncTasks": PATIENT})


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
    option = next((each["optionId"] for each in asked["options"] if each["kind"] == kind), None)
    assert option is not None, f"{kind} is not offered: {asked}"
    await sidecar.request("asyncTasks/answer", taskId=task_id, requestId=asked["requestId"], optionId=option)


async def launch_speaking(sidecar: Sidecar, agent: str, **more: Any) -> str:
    """Launch a run that speaks slowly, and wait for its first words."""
    task_id = await sidecar.launch(agent, "SCENARIO:slow", **more)
    await sidecar.request("asyncTasks/subscribe", taskId=task_id, afterSeq=0)
    await sidecar.until(lambda: "word3" in sidecar.text(task_id), SECONDS)
    return task_id


async def launch_with_shell(sidecar: Sidecar, agent: str) -> str:
    """Launch a run whose shell runs for ever, and wait until it does."""
    # Some agents refuse to sleep, and some do not ask for a mere `tail`.
    task_id = await sidecar.launch(agent, "SCENARIO:shell:tail -f /dev/null && touch never")
    await answer(sidecar, task_id, "allow_once")
    async with asyncio.timeout(SECONDS):
        while not any("tail" in command_of(pid) for pid in find([task_id])):
            await asyncio.sleep(0.05)
    return task_id


async def ended(sidecar: Sidecar, task_id: str) -> Json:
    answer = await sidecar.client.request(
        "asyncTasks/wait", {"taskIds": [task_id], "timeoutSeconds": SECONDS}, timeout=SECONDS + 5
    )
    task: Json = answer["tasks"][0]
    return task


async def test_an_allowed_write_is_done_and_reported(driven: Sidecar, agent: str) -> None:
    target = driven.workspace / "out.txt"
    task_id = await driven.launch(agent, f"SCENARIO:write:{target}=written by the agent")
    await answer(driven, task_id, "allow_once")
    task = await ended(driven, task_id)
    assert (task["status"], task["endReason"]) == ("completed", "goal"), task
    assert task["output"]["final_message"] == "All done."
    assert target.read_text().strip() == "written by the agent"
    assert task["progress"]["toolCalls"] == 1
    assert task["progress"]["turns"] == 2
    assert task["progress"]["inputTokens"] >= 100
    tools = await events(driven, task_id, "tool")
    assert tools[-1]["status"] == "completed"
    if agent != "codex-acp":  # it writes by a command
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
    if agent in ("opencode", "codex-acp"):  # they stop silently; the others let the model continue
        assert (task["status"], task["endReason"]) == ("failed", "error")
        assert "the agent stopped after its request was rejected" in task["error"]
    assert [tool["status"] for tool in await events(driven, task_id, "tool")][-1] == "failed"


async def test_what_is_always_allowed_is_kept_by_the_sidecar_alone(driven: Sidecar, agent: str) -> None:
    goal = f"SCENARIO:shell:echo hi > {driven.workspace / 'out.txt'}"
    first = await driven.launch(agent, goal)
    if agent == "gemini":  # it names its command in the title only, which nothing can be remembered by
        offered = {option["kind"] for option in (await attention(driven, first))["options"]}
        assert offered == {"allow_once", "reject_once"}
        return
    await answer(driven, first, "allow_always")
    await ended(driven, first)
    second = await driven.launch(agent, goal)
    await ended(driven, second)
    (event,) = await events(driven, second, "permission")
    assert (event["kind"], event["by"]) == ("allow_once", "remembered")
    (kept,) = (await driven.request("permissions/list"))["items"]
    await driven.request("permissions/revoke", permissionIds=[kept["id"]])
    await attention(driven, await driven.launch(agent, goal))
    assert [path.name for path in driven.workspace.iterdir()] == ["out.txt"]


async def test_a_policy_s_refusal_is_reported_and_the_session_continues(driven: Sidecar, agent: str) -> None:
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
    answer = await driven.request("asyncTasks/cancel", taskId=task_id)
    assert answer["task"]["status"] == "cancelled"
    await gone(task_id, 30)
    assert await asyncio.to_thread(model.until_aborted, 30)
    task = await driven.task(task_id)
    assert task["partial"]["final_message"].startswith("word0 word1")


async def test_cancel_while_its_shell_runs_leaves_no_shell(driven: Sidecar, agent: str) -> None:
    task_id = await launch_with_shell(driven, agent)
    assert (await driven.request("asyncTasks/cancel", taskId=task_id))["cancelled"]
    await gone(task_id, 30)
    assert (await driven.task(task_id))["endReason"] == "cancelledByUser"


async def test_a_time_limit_ends_the_model_call_too(driven: Sidecar, model: ModelServer, agent: str) -> None:
    task: Json = {}
    for seconds in (20, 60, 180):  # on a busy machine, it may not speak within the first limit
        task = await ended(driven, await driven.launch(agent, "SCENARIO:slow", timeoutSeconds=seconds))
        if "final_message" in task.get("partial", {}):
            break
    assert (task["status"], task["endReason"]) == ("failed", "timeout")
    assert task["partial"]["final_message"].startswith("word0 word1")
    await gone(task["id"], 30)
    assert await asyncio.to_thread(model.until_aborted, 30)


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
    assert await asyncio.to_thread(model.until_aborted, 30)


async def test_a_killed_agent_leaves_no_shell(driven: Sidecar, agent: str) -> None:
    task_id = await launch_with_shell(driven, agent)
    os.kill(first_process(task_id), signal.SIGKILL)
    task = await ended(driven, task_id)
    assert (task["status"], task["endReason"]) == ("failed", "error")
    assert find([task_id]) == []


async def test_a_killed_sidecar_leaves_nothing_once_another_started(
    driven: Sidecar, start: Start, agent: str
) -> None:
    task_id = await launch_with_shell(driven, agent)
    os.kill(driven.client.pid, signal.SIGKILL)
    assert await driven.client.wait(30) is not None
    again = await start()
    assert find([task_id]) == []
    task = await again.task(task_id)
    assert (task["status"], task["endReason"]) == ("failed", "lost")
    assert "attention" not in task


async def test_a_killed_sidecar_leaves_no_call_of_the_model(
    driven: Sidecar, start: Start, model: ModelServer, agent: str
) -> None:
    task_id = await launch_speaking(driven, agent)
    os.kill(driven.client.pid, signal.SIGKILL)
    assert await driven.client.wait(30) is not None
    again = await start()
    assert find([task_id]) == []
    assert await asyncio.to_thread(model.until_aborted, 30)
    task = await again.task(task_id)
    assert (task["status"], task["endReason"]) == ("failed", "lost")
    assert task["partial"]["final_message"].startswith("word0 word1")


async def test_a_session_takes_another_prompt_even_after_a_cancel(
    runners: Json, home: Path, model: ModelServer, agent: str
) -> None:
    async with opened(agent, runners[agent]["env"], home / "workspace") as (session, reported):
        turn = session.prompt("SCENARIO:slow")
        await reported("word3")
        await session.cancel()
        assert await turn.ended() == "cancelled"
        assert await asyncio.to_thread(model.until_aborted, 30)
        for text in ("the second", "the third"):
            assert await session.prompt(f"SCENARIO:say:{text}").ended() == "end_turn"
            await reported(text)


async def test_a_tool_outside_the_list_is_refused_whatever_the_policy(
    driven: Sidecar, model: ModelServer, agent: str
) -> None:
    await driven.request("settings/update", settings={"permissions": {"default": "allowAll"}})
    target = driven.workspace / "out.txt"
    # Codex has no other tool to write with than its shell.
    tools, refused = (["Read"], "execute") if agent == "codex-acp" else (["Read", "Bash"], "edit")
    task_id = await driven.launch(agent, f"SCENARIO:write:{target}=never", toolWhitelist=tools)
    assert (await ended(driven, task_id))["output"]["final_message"] == "All done."
    assert not target.exists()
    (event,) = await events(driven, task_id, "permission")
    assert (event["toolKind"], event["kind"], event["by"]) == (refused, "reject_once", "policy")
    if agent == "opencode":  # it would use these without asking, so its model is not even offered them
        offered = {tool["function"]["name"] for _, body in model.requests for tool in body.get("tools", [])}
        assert ("read" in offered, {"task", "grep"} & offered) == (True, set())


async def test_a_message_is_answered_and_the_session_taken_up_again(driven: Sidecar, agent: str) -> None:
    target = driven.workspace / "out.txt"
    first = await driven.launch(agent, f"SCENARIO:write:{target}=written")
    await attention(driven, first)
    await driven.request("asyncTasks/send", taskId=first, text="SCENARIO:say:A second answer.")
    await answer(driven, first, "allow_once")
    task = await ended(driven, first)
    assert task["output"]["final_message"] == "A second answer."
    # Each call of the model says 100, and each turn had one.
    assert task["progress"]["inputTokens"] >= 200
    resumed = await driven.request("asyncTasks/resume", taskId=first, text="SCENARIO:say:A third answer.")
    task = await ended(driven, resumed["task"]["id"])
    assert (resumed["mode"], task["output"]["final_message"]) == ("session", "A third answer.")
    costs = [each["progress"].get("cost") for each in (await driven.task(first), task)]
    if agent in ("opencode", "claude-agent-acp"):  # the others tell no cost
        assert 0 < costs[1] < costs[0]  # less than half, but for what claude asks its model on the side
    shown = await events(driven, task["id"], "message")
    assert [event.get("role") for event in shown][:2] == ["user", None]
