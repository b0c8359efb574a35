"""Agents that break the protocol, the pipe or their promise, run by a real sidecar: what its record says.

After each test no process of a run is left (the fixture `start` sees to it).
"""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.subagents.runners.process.marker import find
from tests.e2e.conftest import REPO, Sidecar, Start

pytestmark = pytest.mark.timeout(120)

Json = dict[str, Any]
RAW = str(REPO / "tests" / "agents" / "raw.py")

StartWith = Callable[..., Awaitable[Sidecar]]


@pytest.fixture
def start_with(start: Start, home: Path) -> StartWith:
    """Start a sidecar whose subagent `agent` is one scenario of the raw agents."""
    text = "---\nname: agent\ndescription: x.\nrunner: agent\n---\n"
    (home / "config" / "subagent-sidecar" / "agents" / "agent.md").write_text(text)

    async def start_with(*scenario: str, **settings: Any) -> Sidecar:
        runner = {"type": "acp", "command": [sys.executable, RAW, *scenario]}
        return await start(settings={"runners": {"agent": runner}, **settings})

    return start_with


async def text_of(sidecar: Sidecar, task_id: str, kind: str = "message") -> str:
    """All that the journal holds of a run's messages."""
    found: list[str] = []
    after = 0
    while True:
        page = await sidecar.request("asyncTasks/events", taskId=task_id, afterSeq=after, limit=5000)
        if not page["events"]:
            return "".join(found)
        found += [event["text"] for event in page["events"] if event["type"] == kind]
        after = page["events"][-1]["seq"]


async def gone(task_id: str, seconds: float) -> None:
    async with asyncio.timeout(seconds):
        while find([task_id]):
            await asyncio.sleep(0.02)


@pytest.mark.parametrize(
    ("scenario", "error", "kept"),
    [
        ("crash", "killed by signal 9", "half a word"),
        ("leave", "exited with status 3 before it answered\nno license found", None),
        ("close_output", "the agent closed its output before it answered", None),
    ],
)
async def test_an_agent_that_ends_in_mid_run_is_a_failure_that_says_so(
    start_with: StartWith, scenario: str, error: str, kept: str | None
) -> None:
    sidecar = await start_with(scenario)
    (task,) = await sidecar.ended(await sidecar.launch("agent"))
    assert (task["status"], task["endReason"]) == ("failed", "error")
    assert error in task["error"]
    assert task.get("partial", {}).get("final_message") == kept


async def test_an_answer_that_is_nested_too_deep_fails_the_run_at_once(start_with: StartWith) -> None:
    sidecar = await start_with("deep", "5000")
    (task,) = await sidecar.ended(await sidecar.launch("agent"))
    assert (task["status"], task["endReason"]) == ("failed", "error")
    assert "the message is nested too deep" in task["error"]


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["deaf", "detached"])
async def test_a_cancel_holds_whatever_the_agent_makes_of_it(start_with: StartWith, scenario: str) -> None:
    sidecar = await start_with(scenario)
    task_id = await sidecar.launch_ready("agent")
    began = time.monotonic()
    answer = await sidecar.request("asyncTasks/cancel", taskId=task_id)
    assert (answer["task"]["status"], answer["cancelled"]) == ("cancelled", True)
    assert time.monotonic() - began < 1
    await gone(task_id, 6)
    assert (await sidecar.task(task_id))["partial"]["final_message"] == "ready"


@pytest.mark.slow
async def test_an_end_of_the_sidecar_in_the_midst_of_a_cancel_leaves_nothing(start_with: StartWith) -> None:
    sidecar = await start_with("deaf")
    task_id = await sidecar.launch_ready("agent")
    await sidecar.request("asyncTasks/cancel", taskId=task_id)
    began = time.monotonic()
    sidecar.client.close_input()
    assert await sidecar.client.wait(10) == 1
    assert time.monotonic() - began < 3.5
    assert find([task_id]) == []


@pytest.mark.slow
async def test_a_hundred_thousand_updates_are_kept_in_order_while_others_are_answered(
    start_with: StartWith,
) -> None:
    sidecar = await start_with("flood", "100000")
    task_id = await sidecar.launch("agent")
    while (await sidecar.task(task_id))["status"] == "running":
        await sidecar.request("health")
    (task,) = await sidecar.ended(task_id)
    assert task["endReason"] == "goal"
    assert await text_of(sidecar, task_id) == "".join(f"{number}\n" for number in range(100_000))
    assert task["output"]["final_message"].endswith("99998\n99999")


@pytest.mark.slow
async def test_a_line_of_ten_megabytes_is_one_message(start_with: StartWith) -> None:
    sidecar = await start_with("big", "10000000")
    (task,) = await sidecar.ended(await sidecar.launch("agent"))
    assert task["endReason"] == "goal"
    assert await text_of(sidecar, task["id"]) == "x" * 10_000_000
    assert len(task["output"]["final_message"]) < 40_000


@pytest.mark.slow
async def test_garbage_between_messages_is_logged_and_harms_nothing(start_with: StartWith) -> None:
    sidecar = await start_with("garbage")
    (task,) = await sidecar.ended(await sidecar.launch("agent"))
    assert (task["endReason"], task["output"]["final_message"]) == ("goal", "before after -32601")
    assert "Welcome to the agent!" in await text_of(sidecar, task["id"], "log")


@pytest.mark.slow
async def test_an_agent_that_only_retries_is_ended_by_the_inactivity_limit(start_with: StartWith) -> None:
    error = {"message": "Reconnecting... 1/5", "willRetry": True}
    retrying = {"sessionUpdate": "session_info_update", "_meta": {"codex": {"error": error}}}
    steps = json.dumps([{"update": retrying, "every": 0.1}])
    sidecar = await start_with("play", steps, asyncTasks={"inactivityTimeoutSeconds": 1})
    task_id = await sidecar.launch("agent")
    (task,) = await sidecar.ended(task_id)
    assert (task["status"], task["endReason"]) == ("failed", "inactivity")
    page = await sidecar.request("asyncTasks/events", taskId=task_id)
    retries = [event["retrying"] for event in page["events"] if "retrying" in event]
    assert retries[0] == {"attempt": 1, "text": "Reconnecting... 1/5"}


@pytest.mark.slow
async def test_an_agent_that_only_looks_done_has_failed(start_with: StartWith) -> None:
    sidecar = await start_with("play", json.dumps([{"end": "end_turn"}]))
    (task,) = await sidecar.ended(await sidecar.launch("agent"))
    assert (task["status"], task["endReason"]) == ("failed", "error")
    assert "without text, tool calls or tokens" in task["error"]


@pytest.mark.slow
async def test_a_budget_acts_inside_a_turn(start_with: StartWith) -> None:
    size = {"sessionUpdate": "usage_update", "used": 1000, "size": 9000}
    tool = {"sessionUpdate": "tool_call", "kind": "read", "title": "Look", "status": "completed"}
    answers = [{"update": update} for n in range(3) for update in ({**tool, "toolCallId": str(n)}, size)]
    steps = json.dumps([*answers, {"until": "session/cancel"}])
    sidecar = await start_with("play", steps, budget={"perTaskTokens": 2500})
    (task,) = await sidecar.ended(await sidecar.launch("agent"))
    assert (task["status"], task["endReason"]) == ("failed", "budget")
    assert task["progress"]["inputTokens"] == 3000


@pytest.mark.slow
async def test_an_agent_that_never_answers_is_ended_by_the_start_up_limit(start_with: StartWith) -> None:
    sidecar = await start_with("silent", asyncTasks={"startupTimeoutSeconds": 1})
    (task,) = await sidecar.ended(await sidecar.launch("agent"))
    assert (task["status"], task["endReason"]) == ("failed", "startupTimeout")
    await gone(task["id"], 6)
