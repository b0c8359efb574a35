"""Runs of agents through a sidecar: their questions, what is remembered of the answers, and the watchdogs."""

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from sidecar.rpc.errors import RpcError
from sidecar.subagents.runners.process.marker import find
from tests.e2e.conftest import REPO, Sidecar, Start, define

pytestmark = pytest.mark.timeout(120)

Json = dict[str, Any]

AGENTS = REPO / "tests" / "agents"


def acp(program: str, *arguments: str) -> Json:
    return {"type": "acp", "command": [sys.executable, str(AGENTS / program), *arguments]}


RUNNERS: Json = {
    "scripted": acp("scripted.py"),
    "waiting": acp("raw.py", "wait"),
    "silent": acp("raw.py", "silent"),
    "events": {"type": "command", "format": "events", "command": ["sh", "-c", "{prompt}"]},
    "text": {"type": "command", "command": ["sh", "-c", "{prompt}"]},
}


@pytest.fixture(autouse=True)
def definitions(home: Path) -> Path:
    return define(home, RUNNERS)


async def started(start: Start, **settings: Any) -> Sidecar:
    return await start(settings={"runners": RUNNERS, **settings})


async def asked(sidecar: Sidecar, task_id: str, *, but: str = "") -> Json:
    """Wait until a task asks (something else than the request `but`) and return what."""

    def questions() -> list[Json]:
        newest = [change for change in sidecar.changes if change["id"] == task_id][-1:]
        found = [change["attention"] for change in newest if "attention" in change]
        return [each for each in found if each["requestId"] != but]

    await sidecar.until(lambda: bool(questions()), 30)
    return questions()[0]


async def answer(sidecar: Sidecar, task_id: str, question: Json, option: str) -> Json:
    result: Json = await sidecar.request(
        "asyncTasks/answer", taskId=task_id, requestId=question["requestId"], optionId=option
    )
    return result


async def permission_events(sidecar: Sidecar, task_id: str) -> list[Json]:
    page = await sidecar.request("asyncTasks/events", taskId=task_id)
    return [event for event in page["events"] if event["type"] == "permission"]


async def test_a_question_is_shown_on_the_task_until_its_one_answer(start: Start) -> None:
    sidecar = await started(start)
    task_id = await sidecar.launch("scripted", "write a.txt hi\nsay done")
    question = await asked(sidecar, task_id)
    assert (question["kind"], question["title"]) == ("permission", "Write a.txt")
    assert [option["kind"] for option in question["options"]] == ["allow_always", "allow_once", "reject_once"]
    with pytest.raises(RpcError) as caught:
        await answer(sidecar, task_id, question, "maybe")
    assert caught.value.code == -32602
    assert "attention" not in (await answer(sidecar, task_id, question, "yes"))["task"]
    with pytest.raises(RpcError) as caught:
        await answer(sidecar, task_id, question, "no")
    assert (caught.value.code, caught.value.data["taskId"]) == (-32017, task_id)
    (task,) = await sidecar.ended(task_id)
    assert task["output"]["final_message"] == "done"
    assert (sidecar.workspace / "a.txt").read_text() == "hi"
    last = (await permission_events(sidecar, task_id))[-1]
    assert (last["state"], last["optionId"], last["by"]) == ("answered", "yes", "user")


async def test_clients_see_when_a_tool_call_starts_and_ends(start: Start) -> None:
    sidecar = await started(start)
    task_id = await sidecar.launch("scripted", "run 'ls -la'\nstay")
    question = await asked(sidecar, task_id)
    assert sidecar.changes[-1]["progress"]["currentTool"] == "ls -la"
    await answer(sidecar, task_id, question, "yes")
    await sidecar.until(lambda: "currentTool" not in sidecar.changes[-1]["progress"])
    assert sidecar.changes[-1]["status"] == "running"


@pytest.mark.slow
async def test_a_question_is_kept_in_the_journal_too_where_other_processes_see_it(start: Start) -> None:
    sidecar, other = await started(start), await started(start)
    task_id = await sidecar.launch("scripted", "write a.txt hi\nsay done")
    question = await asked(sidecar, task_id)
    async with asyncio.timeout(10):
        while (await other.task(task_id)).get("attention") != question:
            await asyncio.sleep(0.02)
    await answer(sidecar, task_id, question, "yes")
    assert "attention" not in (await other.ended(task_id))[0]


@pytest.mark.slow
async def test_of_two_questions_the_second_is_shown_when_the_first_is_answered(start: Start) -> None:
    sidecar = await started(start)
    task_id = await sidecar.launch("scripted", "both")
    first = await asked(sidecar, task_id)
    await answer(sidecar, task_id, first, "yes")
    second = await asked(sidecar, task_id, but=first["requestId"])
    await answer(sidecar, task_id, second, "no")
    (task,) = await sidecar.ended(task_id)
    assert {first["title"], second["title"]} == {"echo one", "echo two"}
    assert (task["status"], "attention" in task) == ("completed", False)


@pytest.mark.slow
async def test_cancelling_takes_the_question_back(start: Start) -> None:
    sidecar = await started(start)
    task_id = await sidecar.launch("scripted", "write a.txt hi")
    question = await asked(sidecar, task_id)
    cancelled = await sidecar.request("asyncTasks/cancel", taskId=task_id)
    assert "attention" not in cancelled["task"]
    with pytest.raises(RpcError) as caught:
        await answer(sidecar, task_id, question, "yes")
    assert (caught.value.code, caught.value.data["status"]) == (-32017, "cancelled")
    assert not (sidecar.workspace / "a.txt").exists()


async def test_always_is_remembered_until_it_is_revoked(start: Start) -> None:
    sidecar = await started(start)
    first = await sidecar.launch("scripted", "run 'echo hi'\nsay done")
    await answer(sidecar, first, await asked(sidecar, first), "yes-always")
    second = await sidecar.launch("scripted", "run 'echo hi'\nsay done")
    await sidecar.ended(first, second)
    (event,) = await permission_events(sidecar, second)
    assert (event["state"], event["kind"], event["by"]) == ("answered", "allow_once", "remembered")
    (kept,) = (await sidecar.request("permissions/list"))["items"]
    assert (kept["subagentName"], kept["decision"]) == ("scripted", "allow")
    assert kept["scope"] == "`echo hi` in this workspace"
    revoked = await sidecar.request("permissions/revoke", permissionIds=[kept["id"], "gone"])
    assert revoked["revoked"] == [kept["id"]]
    third = await sidecar.launch("scripted", "run 'echo hi'")
    await answer(sidecar, third, await asked(sidecar, third), "no")


@pytest.mark.slow
async def test_a_definition_s_policy_wins_over_the_setting(start: Start, definitions: Path) -> None:
    text = "---\nname: careful\ndescription: x.\nrunner: scripted\npermissions: allowEdits\n---\n"
    (definitions / "careful.md").write_text(text)
    sidecar = await started(start, permissions={"default": "deny"})
    denied = await sidecar.launch("scripted", "write a.txt hi")
    allowed = await sidecar.launch("careful", "write b.txt hi\nsay done")
    tasks = await sidecar.ended(denied, allowed)
    assert "the policy of this subagent does not allow it" in tasks[0]["output"]["final_message"]
    assert tasks[1]["output"]["final_message"] == "done"
    assert [path.name for path in sidecar.workspace.iterdir()] == ["b.txt"]


async def test_words_tools_and_plan_become_history(start: Start) -> None:
    sidecar = await started(start, permissions={"default": "allowAll"})
    task_id = await sidecar.launch(
        "scripted", "think hmm\nplan a;b\nwrite a.txt hi\nusage 30 4 0.5\nsay done"
    )
    (task,) = await sidecar.ended(task_id)
    assert (task["progress"]["toolCalls"], task["progress"]["cost"]) == (1, 0.5)
    listed = await sidecar.request("tasks/messages", taskId=task_id)
    assert "done" in [message.get("text") for message in listed["messages"]]
    tools = [message["tool"] for message in listed["messages"] if "tool" in message]
    assert len(tools) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "goal"), [("waiting", "x"), ("events", "echo ready; sleep 60"), ("scripted", "say ready\nwait")]
)
async def test_long_silence_ends_a_run_and_keeps_its_output(start: Start, name: str, goal: str) -> None:
    sidecar = await started(start, asyncTasks={"inactivityTimeoutSeconds": 1})
    (task,) = await sidecar.ended(await sidecar.launch(name, goal))
    assert (task["status"], task["endReason"]) == ("failed", "inactivity")
    assert "no activity for 1s" in task["error"]
    assert task["partial"]["final_message"] == "ready"


@pytest.mark.slow
async def test_silence_while_a_question_is_open_or_of_plain_text_is_not_inactivity(start: Start) -> None:
    sidecar = await started(start, asyncTasks={"inactivityTimeoutSeconds": 1})
    asking = await sidecar.launch("scripted", "write a.txt hi\nsay done")
    question = await asked(sidecar, asking)
    (text,) = await sidecar.ended(await sidecar.launch("text", "sleep 2; echo fine"))
    assert text["output"]["final_message"] == "fine"
    await answer(sidecar, asking, question, "yes")
    assert (await sidecar.ended(asking))[0]["status"] == "completed"


@pytest.mark.slow
async def test_an_agent_that_never_answers_ends_with_the_start_up_limit(start: Start) -> None:
    sidecar = await started(start, asyncTasks={"startupTimeoutSeconds": 1})
    (task,) = await sidecar.ended(await sidecar.launch("silent"))
    assert (task["status"], task["endReason"]) == ("failed", "startupTimeout")
    assert "asyncTasks.startupTimeoutSeconds" in task["error"]


async def test_cancel_of_an_agent_is_acknowledged_at_once_and_leaves_nothing(start: Start) -> None:
    sidecar = await started(start)
    task_id = await sidecar.launch_ready("waiting")
    began = time.monotonic()
    answer = await sidecar.request("asyncTasks/cancel", taskId=task_id)
    assert time.monotonic() - began < 1
    assert answer["task"]["status"] == "cancelled"
    async with asyncio.timeout(5):
        while find([task_id]):
            await asyncio.sleep(0.02)


@pytest.mark.slow
async def test_the_end_of_input_ends_agents_within_three_seconds(start: Start) -> None:
    sidecar = await started(start)
    task_ids = [await sidecar.launch_ready("waiting") for _ in range(3)]
    began = time.monotonic()
    sidecar.client.close_input()
    assert await sidecar.client.wait(10) == 1
    assert time.monotonic() - began < 3.5
    assert find(task_ids) == []


@pytest.mark.slow
async def test_the_word_auto_takes_a_runner_that_is_there(start: Start, definitions: Path) -> None:
    (definitions / "any.md").write_text("---\nname: any\ndescription: x.\nrunner: auto\n---\n")
    runners = {"gone": {"type": "acp", "command": ["no-such-agent"]}, "scripted": RUNNERS["scripted"]}
    sidecar = await start(settings={"runners": runners})
    (task,) = await sidecar.ended(await sidecar.launch("any", "say hi"))
    assert (task["runner"], task["output"]["final_message"]) == ("scripted", "hi")


async def test_an_agent_that_is_installed_while_the_sidecar_runs_is_found(
    start: Start, home: Path, environment: dict[str, str]
) -> None:
    programs = home / "bin"
    programs.mkdir()
    environment["PATH"] = f"{programs}{os.pathsep}{environment['PATH']}"
    sidecar = await start(settings={"runners": {}})

    async def available() -> list[str]:
        runners = (await sidecar.request("runners/list"))["items"]
        return [runner["name"] for runner in runners if runner["available"]]

    assert "qwen" not in await available()
    program = programs / "qwen"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert "qwen" in await available()
