"""Runs held to their terms through a sidecar: outputs, turns, a last turn at a limit, tools, nesting."""

import sys
from pathlib import Path
from typing import Any

import pytest

from sidecar.rpc.errors import RpcError
from tests.e2e.conftest import REPO, Sidecar, Start, define

pytestmark = pytest.mark.timeout(120)

Json = dict[str, Any]

SCRIPTED = {"type": "acp", "command": [sys.executable, str(REPO / "tests" / "agents" / "scripted.py")]}
RUNNERS: Json = {
    "scripted": SCRIPTED,
    "events": {"type": "command", "format": "events", "command": ["sh", "-c", "{prompt}"]},
    "text": {"type": "command", "command": ["sh", "-c", "{prompt}"]},
}
OUTPUTS = {"count": "how many"}
LAST = "then 'emit count 7'\nthen 'say sorry'\n"


@pytest.fixture(autouse=True)
def definitions(home: Path) -> Path:
    agents = define(home, RUNNERS)
    (agents / "brief.md").write_text(
        "---\nname: brief\ndescription: x.\nrunner: scripted\nmaxTurns: 2\ntools: [Read, Bash]\n---\n"
    )
    return agents


async def started(start: Start, **settings: Any) -> Sidecar:
    return await start(settings={"runners": RUNNERS, "permissions": {"default": "allowAll"}, **settings})


async def ended(sidecar: Sidecar, name: str, goal: str, **more: Any) -> Json:
    (task,) = await sidecar.ended(await sidecar.launch(name, goal, **more))
    return task


@pytest.mark.slow
async def test_outputs_given_at_the_second_asking_complete_a_run(start: Start) -> None:
    sidecar = await started(start)
    task = await ended(sidecar, "scripted", "say done\nthen 'emit count 3'", expectedOutputs=OUTPUTS)
    assert (task["status"], task["output"]["emitted_vars"]) == ("completed", {"count": 3})
    page = await sidecar.request("asyncTasks/events", taskId=task["id"])
    assert [(e["name"], e["value"]) for e in page["events"] if e["type"] == "emit"] == [("count", 3)]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "goal"), [("scripted", "say done"), ("events", "echo done")])
async def test_outputs_never_given_fail_a_run_and_are_named(start: Start, name: str, goal: str) -> None:
    task = await ended(await started(start), name, goal, expectedOutputs=OUTPUTS)
    assert (task["status"], task["endReason"]) == ("failed", "error")
    assert task["error"] == "the run ended without its expected outputs: count"
    assert task["partial"]["final_message"] == "done"


async def test_an_output_that_is_too_large_is_named_with_its_size_and_the_limit(start: Start) -> None:
    line = '{"type":"emit","name":"%s","value":"%*d"}\\n'
    goal = f"for n in first count; do printf '{line}' $n 9000000 1; done"
    task = await ended(await started(start), "events", goal, expectedOutputs={**OUTPUTS, "why": "so"})
    assert task["error"] == (
        "the run ended without its expected outputs: why; the expected output count is too large to keep: "
        "it has about 9,000,207 bytes, and all variables of a run together at most 16,777,216. Write it to "
        "a file, and emit the path"
    )
    assert list(task["partial"]["emitted_vars"]) == ["first"]


async def test_a_turn_too_many_leads_to_the_last_one(start: Start) -> None:
    sidecar = await started(start)
    task = await ended(sidecar, "scripted", f"{LAST}look 5\nwait", expectedOutputs=OUTPUTS, maxTurns=3)
    assert (task["status"], task["endReason"]) == ("failed", "maxTurns")
    assert "limit of 3 turns" in task["error"]
    assert task["output"] == {
        "terminate_reason": "MAX_TURNS",
        "emitted_vars": {"count": 7},
        "final_message": "sorry",
    }
    assert task["partial"]["emitted_vars"] == {"count": 7}


@pytest.mark.slow
async def test_the_definition_limits_turns_unless_the_launch_does(start: Start) -> None:
    sidecar = await started(start)
    assert (await ended(sidecar, "brief", "look 4"))["endReason"] == "maxTurns"
    assert (await ended(sidecar, "brief", "look 4\nsay x", maxTurns=-1))["status"] == "completed"


async def test_turns_of_a_command_with_events_are_limited_without_a_last_one(start: Start) -> None:
    line = """printf '{"type": "message", "text": "%s"}\\n' """
    task = await ended(await started(start), "events", f"{line}a; {line}b; exec sleep 60", maxTurns=1)
    assert (task["status"], task["endReason"]) == ("failed", "maxTurns")
    assert task["progress"]["turns"] == 2  # with the one that was too much


@pytest.mark.slow
async def test_at_the_time_limit_the_agent_has_a_last_turn(start: Start) -> None:
    sidecar = await started(start)
    task = await ended(
        sidecar, "scripted", f"{LAST}say begun\nwait", expectedOutputs=OUTPUTS, timeoutSeconds=10
    )
    assert (task["status"], task["endReason"]) == ("failed", "timeout")
    assert task["error"].startswith("Subagent terminated by TIMEOUT after 10s.")
    assert task["partial"]["final_message"] == "begun\n\nsorry"
    assert task["partial"]["emitted_vars"] == {"count": 7}


@pytest.mark.slow
@pytest.mark.parametrize(("grace", "goal"), [(0, "then 'say sorry'"), (1, "then stay")])
async def test_a_last_turn_takes_no_longer_than_the_grace_period(start: Start, grace: int, goal: str) -> None:
    sidecar = await started(start)
    goal = f"{goal}\nsay begun\nlook 5\nwait"
    task = await ended(sidecar, "scripted", goal, maxTurns=2, gracePeriodSeconds=grace)
    assert (task["endReason"], task["partial"]["final_message"]) == ("maxTurns", "begun")


@pytest.mark.slow
async def test_a_cancel_gives_no_last_turn(start: Start) -> None:
    sidecar = await started(start)
    task_id = await sidecar.launch("scripted", "then 'say sorry'\nsay ready\nwait")
    await sidecar.request("asyncTasks/subscribe", taskId=task_id, afterSeq=0)
    await sidecar.until(lambda: "ready" in sidecar.text(task_id))
    task = (await sidecar.request("asyncTasks/cancel", taskId=task_id))["task"]
    assert (task["status"], task["partial"]["final_message"]) == ("cancelled", "ready")


async def test_a_tool_outside_the_list_is_refused_with_a_reason_the_agent_sees(start: Start) -> None:
    sidecar = await started(start)
    goal = "write a.txt hi\nrun 'echo fine'"
    task = await ended(sidecar, "scripted", goal, toolWhitelist=["Bash", "TaskTool"])
    assert "this run may use only these tools: Bash" in task["output"]["final_message"]
    assert not (sidecar.workspace / "a.txt").exists()
    page = await sidecar.request("asyncTasks/events", taskId=task["id"])
    answers = [(e["title"], e["by"], e["kind"]) for e in page["events"] if e["type"] == "permission"]
    assert answers == [
        ("Write a.txt", "policy", "reject_once"),
        ("echo fine", "policy", "allow_once"),
    ]


@pytest.mark.slow
async def test_the_definition_s_tools_bound_those_of_the_launch(start: Start) -> None:
    sidecar = await started(start)
    task = await ended(sidecar, "brief", "write a.txt hi", toolWhitelist=["Write"])
    assert "this run may not use any tools" in task["output"]["final_message"]


@pytest.mark.slow
async def test_parentheses_behind_a_tool_limit_it_to_some_calls(start: Start, definitions: Path) -> None:
    (definitions / "claude.md").write_text(
        "---\nname: limited\ndescription: x.\nrunner: scripted\ntools: Bash(echo:*), Write(out/**)\n---\n"
    )
    sidecar = await started(start)
    (sidecar.workspace / "out").mkdir()
    goal = "write out/a.txt hi\nwrite a.txt hi\nrun 'echo fine; touch b.txt'\nrun 'echo fine'"
    task = await ended(sidecar, "limited", goal)
    assert "only these tools: Bash(echo:*), Write(out/**)" in task["output"]["final_message"]
    made = [path.relative_to(sidecar.workspace).as_posix() for path in sidecar.workspace.rglob("*.txt")]
    assert made == ["out/a.txt"]
    page = await sidecar.request("asyncTasks/events", taskId=task["id"])
    answers = [e["kind"] for e in page["events"] if e["type"] == "permission"]
    assert answers == ["allow_once", "reject_once", "reject_once", "allow_once"]


async def test_a_list_of_tools_that_is_not_understood_is_refused_by_name(start: Start) -> None:
    sidecar = await started(start)
    with pytest.raises(RpcError, match=r"toolWhitelist: Skill\(x\): only tools that run commands"):
        await sidecar.launch("scripted", "say hi", toolWhitelist=["Skill(x)"])
    call = {"subagent_name": "scripted", "goal_prompt": "say hi", "tool_whitelist": ["Skill(x)"]}
    result = await sidecar.request("tools/call", name="task", arguments=call)
    assert result["error"]["type"] == "PARAMETER_VALIDATION"
    assert "Invalid tool_whitelist: Skill(x): only tools" in result["error"]["message"]


async def test_nesting_beyond_the_depth_allowed_is_refused_by_name(start: Start) -> None:
    sidecar = await started(start)
    first = await sidecar.launch("text", "true")
    with pytest.raises(RpcError, match=r"parentTaskId: .*asyncTasks\.maxDepth \(1\)"):
        await sidecar.launch("text", "true", parentTaskId=first)
    await sidecar.request("settings/update", settings={"asyncTasks": {"maxDepth": 2}})
    second = await sidecar.launch("text", "true", parentTaskId=first)
    with pytest.raises(RpcError, match="parentTaskId"):
        await sidecar.launch("text", "true", parentTaskId=second)


async def test_a_parent_that_is_not_known_is_refused_by_name(start: Start) -> None:
    sidecar = await started(start)
    with pytest.raises(
        RpcError, match=r"parentTaskId: no async task has the ID or prefix 'nobody'"
    ) as caught:
        await sidecar.launch("text", "true", parentTaskId="nobody")
    assert (caught.value.code, caught.value.data) == (-32010, {"taskId": "nobody"})
    await sidecar.request("settings/update", settings={"asyncTasks": {"maxDepth": 2}})
    first = await sidecar.launch("text", "true")
    second = await sidecar.launch("text", "true", parentTaskId=first[:20])
    assert (await sidecar.task(second))["parentTaskId"] == first


@pytest.mark.slow
async def test_the_model_s_tool_takes_the_same_terms(start: Start) -> None:
    sidecar = await started(start)
    call = {"subagent_name": "scripted", "goal_prompt": "look 9\nwait", "max_turns": 2}
    result = await sidecar.request("tools/call", name="task", arguments=call)
    assert "its limit of 2 turns" in result["error"]["message"]
    call = {"subagent_name": "scripted", "goal_prompt": "emit count 3", "expected_outputs": OUTPUTS}
    result = await sidecar.request("tools/call", name="task", arguments=call)
    assert result["metadata"]["emittedVars"] == {"count": 3}
    call = {"subagent_name": "text", "goal_prompt": "true", "tool_whitelist": []}
    result = await sidecar.request("tools/call", name="task", arguments=call)
    assert result["error"]["type"] == "PARAMETER_VALIDATION"
    assert "Invalid tool_whitelist: runner 'text' does not support it" in result["error"]["message"]
