"""Sessions next to the run's own: logged, waited for, and never taken for the run."""

from typing import Any

import pytest

from sidecar.subagents.runners.acp.updates.children import Children
from sidecar.subagents.runners.acp.updates.events import SessionEvents

Json = dict[str, Any]


def announced(**members: Any) -> Json:
    return {"sessionUpdate": "subagent_update", "sessionId": "child", **members}


def say(text: str) -> Json:
    return {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}


def texts(events: Any) -> list[str]:
    return [event["text"] for event in events]


@pytest.mark.parametrize("word", [{"status": "running"}, {"state": {"state": "running"}}])
def test_a_child_runs_until_its_end(word: Json) -> None:
    children, ends = Children(), list[bool]()
    children.idle = lambda: ends.append(children.are_running)
    assert texts(children.announced(announced(title="Look", **word))) == ["subagent Look: running\n"]
    assert children.are_running
    assert texts(children.announced(announced(status="completed"))) == ["subagent Look: completed\n"]
    assert ends == [False]


def test_a_run_does_not_wait_for_a_child_without_a_status() -> None:
    children = Children()
    assert list(children.announced(announced(title="Look"))) == []
    assert not children.are_running


def test_what_a_child_says_and_does_is_logged_in_lines() -> None:
    children = Children()
    list(children.announced(announced(title="Look", status="running")))
    events = [*children.take("child", say("one\ntw")), *children.take("child", say("o"))]
    call = {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "Read a", "status": "completed"}
    events += children.take("child", call)
    assert texts(events) == [
        "subagent Look: one\n",
        "subagent Look: two\n",
        "subagent Look: Read a started\n",
        "subagent Look: Read a completed\n",
    ]


def test_nothing_of_a_child_is_the_parents() -> None:
    events = SessionEvents()
    events.session_id = "own"
    plan = {"sessionUpdate": "plan", "entries": [{"content": "steal"}]}
    usage = {
        "sessionUpdate": "usage_update",
        "used": 9,
        "size": 9,
        "cost": {"amount": 9.5, "currency": "USD"},
    }
    got = [event for update in (say("mine\n"), plan, usage) for event in events.take(update, "child")]
    assert {event["type"] for event in got} == {"log"}
    assert events.final_message() is None
    assert events.is_idle
    assert [event["type"] for event in events.take(say("ours"), "own")] == ["message"]


def test_a_childs_question_includes_earlier_members_of_its_call() -> None:
    events = SessionEvents()
    events.session_id = "own"
    call = {"toolCallId": "t", "kind": "execute", "title": "Run", "rawInput": {"command": "ls"}}
    list(events.take({"sessionUpdate": "tool_call", **call}, "child"))
    asked = {"sessionId": "child", "toolCall": {"toolCallId": "t"}, "options": []}
    assert events.question(asked).command == "ls"


def of_qwen(text: str, kind: str = "message") -> Json:
    meta = {"parentToolCallId": "t", "subagentType": "explorer"}
    return {**say(text), "sessionUpdate": f"agent_{kind}_chunk", "_meta": meta}


def test_a_subagent_in_the_same_session_does_not_speak_for_the_run() -> None:
    events = SessionEvents()
    events.session_id = "own"
    call = {"toolCallId": "t", "title": "Look around"}
    updates = [
        {"sessionUpdate": "tool_call", **call},
        of_qwen("hmm", "thought"),
        of_qwen("I found\ntwo"),
        {"sessionUpdate": "tool_call_update", **call, "status": "completed"},
        say("Done."),
    ]
    got = [event for update in updates for event in events.take(update, "own")]
    assert [event["type"] for event in got] == ["tool", "log", "log", "tool", "message"]
    assert texts(got[1:3]) == ["subagent explorer: I found\n", "subagent explorer: two\n"]
    assert events.final_message() == "Done."


def test_the_tokens_of_such_a_subagent_count() -> None:
    events = SessionEvents()
    used = of_qwen("")
    used["_meta"]["usage"] = {"inputTokens": 7, "outputTokens": 2, "totalTokens": 9}
    (event,) = events.take(used)
    assert (event["type"], event["inputTokens"]) == ("usage", 7)
