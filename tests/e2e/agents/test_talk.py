"""Speaking to agents through a sidecar: during a run, and after its end."""

import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from sidecar.rpc.errors import RpcError
from tests.e2e.conftest import REPO, Sidecar, Start, define

pytestmark = pytest.mark.timeout(120)

Json = dict[str, Any]

AGENT = [sys.executable, str(REPO / "tests" / "agents" / "scripted.py")]
RUNNERS: Json = {
    "scripted": {"type": "acp", "command": AGENT},
    "lasting": {"type": "acp", "command": [*AGENT, "--lasting"]},
    "claude": {"type": "acp", "command": [*AGENT, "--lasting"]},
    "gemini": {"type": "acp", "command": [*AGENT, "--lasting", "--late"]},
    "brief": {"type": "acp", "command": [*AGENT, "--lasting", "--brief"]},
    "cat": {"type": "command", "command": ["cat"]},
    "wait": {"type": "command", "command": ["sh", "-c", "echo ready; exec sleep 600"]},
}


@pytest.fixture(autouse=True)
def definitions(home: Path) -> Path:
    return define(home, RUNNERS)


async def started(start: Start, **settings: Any) -> Sidecar:
    return await start(settings={"runners": RUNNERS, "permissions": {"default": "allowAll"}, **settings})


async def resumed(sidecar: Sidecar, task_id: str, **more: str) -> Json:
    answer: Json = await sidecar.request("asyncTasks/resume", taskId=task_id, **more)
    return answer


async def messages(sidecar: Sidecar, task_id: str) -> list[tuple[str | None, str]]:
    page = await sidecar.request("asyncTasks/events", taskId=task_id)
    return [(event.get("role"), event["text"]) for event in page["events"] if event["type"] == "message"]


async def test_a_message_is_the_agent_s_next_turn(start: Start) -> None:
    sidecar = await started(start)
    task_id = await sidecar.launch("scripted", "run 'sleep 1'\nsay one")
    answer = await sidecar.request("asyncTasks/send", taskId=task_id[:12], text="say two")
    assert answer["delivery"] == "nextTurn"
    (task,) = await sidecar.ended(task_id)
    assert (task["status"], task["output"]["final_message"]) == ("completed", "two")
    assert await messages(sidecar, task_id) == [(None, "one"), ("user", "say two"), (None, "two")]
    stored = (await sidecar.request("tasks/messages", taskId=task_id))["messages"]
    assert [(m["role"], m["text"]) for m in stored if m.get("text") in ("one", "say two")] == [
        ("assistant", "one"),
        ("user", "say two"),
    ]


@pytest.mark.parametrize(("name", "goal", "status"), [("cat", "x", "completed"), ("wait", "x", "running")])
async def test_a_run_that_cannot_listen_takes_no_message(
    start: Start, name: str, goal: str, status: str
) -> None:
    sidecar = await started(start)
    task_id = await sidecar.launch(name, goal)
    if status == "completed":
        await sidecar.ended(task_id)
    with pytest.raises(RpcError) as caught:
        await sidecar.request("asyncTasks/send", taskId=task_id, text="hello")
    assert (caught.value.code, caught.value.data) == (-32017, {"taskId": task_id, "status": status})
    with pytest.raises(RpcError, match="text: is blank"):
        await sidecar.request("asyncTasks/send", taskId=task_id, text=" ")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lasting", "gemini"])
async def test_an_agent_with_lasting_sessions_continues_in_its_own(start: Start, name: str) -> None:
    sidecar = await started(start)
    first = await sidecar.launch(name, "say one")
    await sidecar.ended(first)
    answer = await resumed(sidecar, first, text="recall")
    assert (answer["mode"], answer["task"]["resumes"]) == ("session", first)
    assert answer["task"]["resumeMode"] == "session"
    (task,) = await sidecar.ended(answer["task"]["id"])
    assert (task["goalPrompt"], task["output"]["final_message"]) == ("say one", "remembered: 2")
    assert await messages(sidecar, task["id"]) == [("user", "recall"), (None, "remembered: 2")]
    assert (await sidecar.task(first))["output"]["final_message"] == "one"


@pytest.mark.slow
async def test_a_run_has_its_own_cost_though_its_session_had_others(start: Start) -> None:
    sidecar = await started(start)
    (task,) = await sidecar.ended(await sidecar.launch("lasting", "usage 30 4 0.5"))
    costs = [task["progress"]["cost"]]
    for so_far in ("0.75", "0.85"):
        again = await resumed(sidecar, task["id"], text=f"usage 30 4 {so_far}")
        (task,) = await sidecar.ended(again["task"]["id"])
        costs.append(task["progress"]["cost"])
        assert (task["resumeMode"], task["progress"]["inputTokens"]) == ("session", 30)
    assert costs == [0.5, 0.25, 0.1]  # the agent reports what its session has cost


@pytest.mark.slow
async def test_a_session_the_agent_has_lost_is_replaced_by_the_transcript(start: Start) -> None:
    sidecar = await started(start)
    first = await sidecar.launch("lasting", "say one")
    await sidecar.ended(first)
    for memory in sidecar.workspace.glob(".session-*"):
        memory.unlink()
    answer = await resumed(sidecar, first, text="say two")
    (task,) = await sidecar.ended(answer["task"]["id"])
    shown = [text for role, text in await messages(sidecar, task["id"]) if role is None]
    assert "".join(shown) == "onetwo"
    page = await sidecar.request("asyncTasks/events", taskId=task["id"])
    assert any("could not resume" in event.get("text", "") for event in page["events"])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["scripted", "cat"])
async def test_other_agents_get_what_was_written_before(start: Start, name: str) -> None:
    sidecar = await started(start)
    first = await sidecar.launch(name, "say one")
    await sidecar.ended(first)
    answer = await resumed(sidecar, first, text="say two")
    assert answer["mode"] == "replay"
    (task,) = await sidecar.ended(answer["task"]["id"])
    assert task["status"] == "completed"
    assert ("Agent: say one" in task["output"]["final_message"]) == (name == "cat")


async def test_only_an_ended_task_is_resumed(start: Start) -> None:
    sidecar = await started(start)
    task_id = await sidecar.launch("wait")
    with pytest.raises(RpcError) as caught:
        await resumed(sidecar, task_id)
    assert (caught.value.code, caught.value.data["status"]) == (-32017, "running")
    await sidecar.request("asyncTasks/cancel", taskId=task_id)
    assert (await resumed(sidecar, task_id))["task"]["status"] == "running"


@pytest.mark.slow
async def test_over_the_limit_a_resume_waits_in_line_if_it_is_asked_to(start: Start) -> None:
    sidecar = await started(start, asyncTasks={"max": 1})
    first = await sidecar.launch("lasting", "say one")
    await sidecar.ended(first)
    other = await sidecar.launch("wait")
    with pytest.raises(RpcError) as caught:
        await resumed(sidecar, first, text="recall")
    assert caught.value.code == -32012
    answer = await resumed(sidecar, first, text="recall", overLimit="queue")
    assert answer["task"]["status"] == "queued"
    await sidecar.request("asyncTasks/cancel", taskId=other)
    (task,) = await sidecar.ended(answer["task"]["id"])
    assert task["output"]["final_message"] == "remembered: 2"


async def test_a_run_lost_with_its_sidecar_continues_in_its_session(start: Start) -> None:
    sidecar = await started(start)
    first = await sidecar.launch("lasting", "say ready\nwait")
    await sidecar.request("asyncTasks/subscribe", taskId=first, afterSeq=0)
    await sidecar.until(lambda: "ready" in sidecar.text(first))
    os.kill(sidecar.client.pid, signal.SIGKILL)
    await sidecar.client.wait(10)
    again = await started(start)
    assert (await again.task(first))["endReason"] == "lost"
    answer = await resumed(again, first, text="recall")
    (task,) = await again.ended(answer["task"]["id"])
    assert (answer["mode"], task["output"]["final_message"]) == ("session", "remembered: 3")


@pytest.mark.slow
async def test_a_session_that_is_taken_up_keeps_the_model_it_has(start: Start, definitions: Path) -> None:
    (definitions / "brief.md").write_text(
        "---\nname: brief\ndescription: x.\nrunner: brief\nmodel: large\n---\n"
    )
    sidecar = await started(start)
    first = await sidecar.launch("brief", "say one")
    await sidecar.ended(first)
    answer = await resumed(sidecar, first, text="say two")
    (task,) = await sidecar.ended(answer["task"]["id"])
    assert (answer["mode"], task["status"], task["output"]["final_message"]) == (
        "session",
        "completed",
        "two",
    )
