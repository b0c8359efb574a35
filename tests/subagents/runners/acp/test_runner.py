"""What a run of an agent promises, with agents that behave and agents that do not."""

import asyncio
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from sidecar.api.settings import RunnerSettings
from sidecar.subagents.runners.acp import conversation
from sidecar.subagents.runners.acp.agents.profiles import PROFILES, profile_named
from sidecar.subagents.runners.acp.runner import AcpRunner
from sidecar.subagents.runners.contract import RunnerUnavailable
from sidecar.subagents.runners.process.marker import find

Agent = Callable[..., Awaitable[Any]]


def kinds(run: Any) -> list[str]:
    return [event["type"] for event in run.events]


async def test_words_thoughts_plan_and_usage_become_events(agent: Agent) -> None:
    run = await agent(prompt="think hmm\nplan first;second\nusage 30 4 0.5\nsay done")
    result = await run.result()
    assert (result.terminate_reason, result.final_message, result.error) == ("GOAL", "done", None)
    assert kinds(run) == ["thought", "plan", "usage", "message", "usage"]
    assert [entry["content"] for entry in run.events[1]["entries"]] == ["first", "second"]
    assert (run.events[-1]["inputTokens"], run.events[-1]["cost"]) == (30, 0.5)


async def test_an_allowed_write_is_a_tool_with_its_diff(agent: Agent, person: Any, tmp_path: Path) -> None:
    person.chooses = "yes"
    run = await agent(prompt="write new.txt hello\nsay done")
    await run.result()
    assert (tmp_path / "new.txt").read_text() == "hello"
    begun, ended = (event for event in run.events if event["type"] == "tool")
    assert begun["content"] == [{"type": "diff", "path": str(tmp_path / "new.txt"), "newText": "hello"}]
    assert (begun["status"], ended["status"]) == ("started", "completed")
    assert person.questions[0].paths == (str(tmp_path / "new.txt"),)
    assert person.questions[0].tool_kind == "edit"


async def test_what_the_library_drops_is_taken_from_the_wire(agent: Agent) -> None:
    run = await agent("report")
    assert (await run.result()).final_message == "There are two."
    assert [event["text"] for event in run.events if event["type"] == "log"] == [
        "The agent is compacting its context.\n",
        "The agent compacted its context. We compare dates.\n",
        "notice: Old settings: Remove them\n",
        "subagent explorer: I found two\n",
    ]
    assert {event["name"] for event in run.events if event["type"] == "tool"} == {"agent"}


@pytest.mark.parametrize("name", ["opencode", "gemini"])
async def test_the_session_of_an_agent_without_questions_closes_without_waiting_for_one(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(conversation, "_QUIET_SECONDS", 3600.0)
    monkeypatch.setattr(conversation, "_GRACE_SECONDS", 3600.0)
    run = await agent("report", name=name)
    assert (await run.result()).final_message == "There are two."


async def test_a_refused_write_changes_nothing(agent: Agent, person: Any, tmp_path: Path) -> None:
    person.chooses = "no"
    run = await agent(prompt="write new.txt hello")
    assert (await run.result()).final_message == "selected: None"
    assert not (tmp_path / "new.txt").exists()


# The second is how codex says it.
@pytest.mark.parametrize("reason", ["end_turn", "cancelled"])
async def test_an_agent_that_stops_when_a_person_refuses_has_not_reached_its_goal(
    agent: Agent, person: Any, reason: str
) -> None:
    person.chooses = "n"
    run = await agent("sulk", reason)
    result = await run.result()
    assert (result.terminate_reason, result.error) == (
        "ERROR",
        "the agent stopped after its request was rejected: Delete all; "
        "resume the task with another instruction to continue",
    )
    assert [event["status"] for event in run.events] == ["started", "failed"]


@pytest.mark.parametrize("reason", ["end_turn", "cancelled"])
async def test_an_agent_that_stops_after_a_refusal_gets_the_reason_once(
    agent: Agent, person: Any, reason: str
) -> None:
    person.refuses_because = "nobody is there"
    run = await agent("sulk", reason)
    result = await run.result()
    assert result.terminate_reason == "GOAL"
    assert result.final_message.startswith(
        "Permission denied: nobody is there. Nobody is available to answer."
    )


async def test_two_questions_at_a_time_are_both_asked(agent: Agent, person: Any) -> None:
    person.chooses = "yes"
    run = await agent(prompt="both")
    await run.result()
    assert {question.command for question in person.questions} == {"echo one", "echo two"}
    outputs = [event["content"][0]["text"] for event in run.events if event.get("status") == "completed"]
    assert sorted(outputs) == ["one\n", "two\n"]


async def test_stopping_calls_open_questions_off(agent: Agent, person: Any) -> None:
    run = await agent(prompt="both")
    async with asyncio.timeout(20):
        while len(person.questions) < 2:
            person.asked.clear()
            await person.asked.wait()
    assert await run.stop(4.5) < 4.5
    assert person.taken_back == 2
    assert "cancelled: None" in run.text()


async def test_the_model_of_the_definition_is_chosen(agent: Agent) -> None:
    run = await agent(prompt="say hi", model="large")
    assert (await run.result()).final_message == "model large\nhi"


async def test_a_model_the_agent_does_not_have_is_refused_by_name(agent: Agent) -> None:
    run = await agent(prompt="say hi", model="huge")
    assert (await run.result()).error == "the agent has no model 'huge'; use one of: small, large"


@pytest.mark.parametrize(
    ("scenario", "error"),
    [
        (("leave",), "the agent exited with status 3 before it answered\nno license found"),
        (("crash",), "the agent was killed by signal 9 before it answered"),
        (("close_output",), "the agent closed its output before it answered"),
        (
            ("auth",),
            "the agent requires authentication (Authentication required); sign in with the agent's own",
        ),
        (("version",), "the agent speaks version 7 of the protocol, but the sidecar speaks version 1"),
        (("reason", "max_tokens"), "the agent stopped because its model reached the output limit"),
        (("reason", "refusal"), "the agent refused to continue"),
        (
            ("reason", "cancelled"),
            "the agent reported its turn as cancelled, but the sidecar did not cancel it",
        ),
        (("reason", "new_word"), "the agent ended its turn with the unknown stop reason 'new_word'"),
    ],
)
async def test_an_agent_that_fails_says_why(agent: Agent, scenario: tuple[str, ...], error: str) -> None:
    result = await (await agent(*scenario)).result()
    assert result.terminate_reason == "ERROR"
    assert result.error.startswith(error)


async def test_messages_of_a_crashed_agent_are_kept(agent: Agent) -> None:
    assert (await (await agent("crash")).result()).final_message == "half a word"


async def test_the_agents_own_turn_limit_is_reported(agent: Agent) -> None:
    result = await (await agent("reason", "max_turn_requests")).result()
    assert (result.terminate_reason, result.final_message) == ("MAX_TURNS", "so far")


async def test_what_is_not_a_message_is_logged_and_harms_nothing(agent: Agent) -> None:
    run = await agent("garbage")
    result = await run.result()
    assert result.final_message == "before after -32601"
    assert run.text("log") == "Welcome to the agent!\n[1, 2]\nÿ\n{broken\n"


async def test_odd_and_unknown_updates_are_taken(agent: Agent) -> None:
    run = await agent("odd_updates")
    assert (await run.result()).final_message == "done"
    assert kinds(run) == ["log", "tool", "tool", "message", "usage"]
    assert run.events[0] == {"type": "log", "stream": "agent", "text": "notice: something stable and new\n"}
    assert [event.get("status") for event in run.events[1:3]] == ["started", "completed"]
    assert run.events[4] == {"type": "usage", "inputTokens": 12, "outputTokens": 3}


async def test_a_line_of_ten_megabytes_is_one_message(agent: Agent) -> None:
    run = await agent("big", "10000000")
    assert (await run.result()).terminate_reason == "GOAL"
    assert run.text() == "x" * 10_000_000


async def test_a_notice_replaces_a_line_over_the_limit(agent: Agent) -> None:
    run = await agent("big", str(40 * 1024 * 1024))
    assert (await run.result()).terminate_reason == "GOAL"
    assert re.search(r"omitted a line of [\d,]+ bytes: the limit is 33,554,432", run.text("log"))


@pytest.mark.slow
async def test_a_flood_of_updates_arrives_whole_in_order_and_in_few_events(agent: Agent) -> None:
    run = await agent("flood", "100000")
    await run.result()
    assert run.text() == "".join(f"{number}\n" for number in range(100_000))
    assert len(run.events) < 5_000


async def test_a_flood_of_tools_loses_and_doubles_none(agent: Agent) -> None:
    run = await agent("flood_tools", "5000")
    await run.result()
    ended = [event["toolCallId"] for event in run.events if event["status"] == "completed"]
    assert ended == [f"call-{number}" for number in range(5000)]


@pytest.mark.slow
async def test_a_slow_journal_holds_the_agent_back(agent: Agent) -> None:
    go, events = asyncio.Event(), list[dict[str, Any]]()

    async def slow(event: dict[str, Any]) -> None:
        events.append(event)
        await go.wait()

    run = await agent("flood_tools", "20000", emit=slow)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(run.run.result(), 3)
    assert len(events) <= 1
    go.set()
    await run.result()
    assert len(events) == 40_000


async def test_a_journal_that_fails_ends_the_run_with_an_error(agent: Agent) -> None:
    async def broken(event: dict[str, Any]) -> None:
        raise OSError("disk full")

    result = await (await agent("wait", emit=broken)).result()
    assert result.error == "the sidecar could not record the output: disk full"


@pytest.mark.parametrize("scenario", ["silent", "wait", "deaf", "detached"])
async def test_stopping_leaves_nothing_within_the_limit(agent: Agent, scenario: str) -> None:
    run = await agent(scenario)
    if scenario != "silent":
        await run.until_it_speaks()
    assert await run.stop(4.5) < 4.5
    assert find([run.task_id]) == []


async def test_a_smaller_limit_wins_while_a_stop_is_under_way(agent: Agent) -> None:
    run = await agent("deaf")
    await run.until_it_speaks()
    patient = asyncio.create_task(run.stop(4.5))
    assert await run.stop(1.0) < 1.3
    assert await patient < 4.5


async def test_an_agent_that_ends_by_itself_leaves_no_child(agent: Agent) -> None:
    run = await agent("detached")
    await run.until_it_speaks()
    psutil.Process(run.run.pid).kill()
    assert (await run.result()).error == "the agent was killed by signal 9 before it answered"
    assert find([run.task_id]) == []


async def test_a_run_ends_before_an_agent_that_does_not_exit(agent: Agent) -> None:
    run = await agent("linger")
    result = await run.result()
    assert (result.terminate_reason, run.text()) == ("GOAL", "done indeed")
    assert find([run.task_id]) == [run.run.pid]
    await run.dispose()
    assert find([run.task_id]) == []


def test_a_runner_named_after_a_profile_needs_no_command(tmp_path: Path) -> None:
    program = tmp_path / "gemini"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    AcpRunner("gemini", RunnerSettings(type="acp", env={"PATH": str(tmp_path)})).check()
    with pytest.raises(RunnerUnavailable, match="'gemini' is not found"):
        AcpRunner("gemini", RunnerSettings(type="acp", env={"PATH": "/nowhere"})).check()


def test_a_runner_without_profile_and_command_names_the_remedy() -> None:
    with pytest.raises(RunnerUnavailable, match=r"set runners\.mine\.command, or name.*opencode"):
        AcpRunner("mine", RunnerSettings(type="acp")).check()


def test_short_names_mean_the_agents_people_know_by_them() -> None:
    assert profile_named("claude") is PROFILES["claude-agent-acp"]
    assert profile_named("somebody") is None


def test_serving_starts_without_the_agents_sdk() -> None:
    code = "import sys, sidecar.app.serve; sys.exit('acp' in sys.modules or 'pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=30).returncode == 0
