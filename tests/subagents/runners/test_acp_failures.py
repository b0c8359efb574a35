"""Ends that only look well, failures of models, children, last turns: real processes that play a script."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from sidecar.subagents.runners.output.stderr import meaningful

Agent = Callable[..., Awaitable[Any]]
Json = dict[str, Any]

GEMINI_ZERO = {"_meta": {"quota": {"token_count": {"input_tokens": 0, "output_tokens": 0}}}}


def update(kind: str, /, **members: Any) -> Json:
    return {"update": {"sessionUpdate": kind, **members}}


def say(text: str, **members: Any) -> Json:
    return update("agent_message_chunk", content={"type": "text", "text": text}, **members)


def info(**codex: Any) -> Json:
    return update("session_info_update", _meta={"codex": codex})


def tool(call: str, status: str) -> Json:
    return update("tool_call_update", toolCallId=call, title="Look", kind="read", status=status)


def child(status: str) -> Json:
    return update("subagent_update", sessionId="child", title="Look", status=status)


SIZE = update("usage_update", used=100, size=1000)
END: Json = {"end": "end_turn"}
RETRY = {
    "message": "Reconnecting... 1/5",
    "willRetry": True,
    "codexErrorInfo": {"x": {"httpStatusCode": 429}},
}
TIDY_REPLY = {"reply": {"usage": {"inputTokens": 0, "outputTokens": 0, "totalTokens": 0}}}


async def played(agent: Agent, *steps: Json) -> Any:
    return await agent("play", json.dumps(steps))


@pytest.mark.parametrize(
    ("steps", "kind", "error"),
    [
        (
            [info(error=RETRY), info(threadStatus={"type": "systemError"}), say("sorry"), END],
            "rateLimit",
            "1/5",
        ),
        (
            [say("the model was not found"), info(threadStatus="systemError"), say("status: 500"), END],
            "overloaded",
            "failed: status: 500",
        ),
        ([say("the model was not found"), info(threadStatus="systemError"), END], "other", "a system error"),
        ([END], "other", "without text, tool calls or tokens"),
        ([say(" \n"), {**END, **TIDY_REPLY}], "other", "without text, tool calls or tokens"),
        ([say("hellohello"), {**END, "reply": GEMINI_ZERO}], "network", "counted no tokens"),
        ([{"fail": {"code": 429, "message": "slow down"}}], "rateLimit", "slow down (HTTP 429)"),
        ([{"fail": {"code": -32603, "message": "no", "data": {"errorKind": "auth"}}}], "auth", "-32603: no"),
        ([{"fail": {"code": 500, "message": "Unexpected token in JSON at 3"}}], "network", "at 3"),
        ([{"fail": {"code": -32603, "message": "odd"}}], "other", "-32603: odd"),
        (
            [{"fail": {"code": -32000, "message": "Authentication required"}}],
            "auth",
            "requires authentication",
        ),
    ],
)
async def test_a_failure_of_the_model_is_an_error_of_its_kind(
    agent: Agent, steps: list[Json], kind: str, error: str
) -> None:
    result = await (await played(agent, *steps)).result()
    assert (result.terminate_reason, result.error_kind) == ("ERROR", kind)
    assert error in result.error


@pytest.mark.parametrize(
    "steps",
    [
        [{"fail": {"code": 429, "message": "slow down", "data": {"retryAfterSeconds": 90}}}],
        [{"fail": {"code": -32603, "message": "rate limit reached, try again in 1m30s"}}],
        [info(threadStatus="systemError"), say("429: retry after 90 s"), END],
        [info(error={**RETRY, "retryAfter": 90}), info(threadStatus="systemError"), END],
    ],
)
async def test_a_failure_says_how_long_the_server_asks_to_wait(agent: Agent, steps: list[Json]) -> None:
    result = await (await played(agent, *steps)).result()
    assert (result.error_kind, result.retry_after_seconds) == ("rateLimit", 90)


@pytest.mark.parametrize(
    "steps",
    [
        [say("done"), {**END, **TIDY_REPLY}],
        [tool("t", "completed"), END],
        # An agent that nothing is known of may end its turn with a tool call.
        [SIZE, tool("a", "in_progress"), tool("a", "completed"), END],
        [{**END, "reply": {"usage": {"inputTokens": 9, "outputTokens": 0, "totalTokens": 9}}}],
        [info(threadStatus="systemError"), info(threadStatus="idle"), say("done"), END],
    ],
)
async def test_a_turn_with_a_word_a_tool_or_a_token_reaches_its_goal(agent: Agent, steps: list[Json]) -> None:
    result = await (await played(agent, *steps)).result()
    assert (result.terminate_reason, result.error, result.error_kind) == ("GOAL", None, None)


async def test_a_run_that_is_stopped_while_its_agent_only_retries_says_so(agent: Agent, person: Any) -> None:
    run = await played(agent, info(error=RETRY), {"until": "session/cancel"}, {"end": "cancelled"})
    await run.until_it_speaks()
    await run.stop(4)
    result = await run.result()
    assert result.error_kind == "rateLimit"
    assert result.error.endswith("repeated a failed request: Reconnecting... 1/5")


async def test_a_repeated_request_is_not_a_sign_of_life(agent: Agent, person: Any) -> None:
    message = {"subtype": "api_retry", "attempt": 1, "max_retries": 9, "error_status": 500, "error": "api"}
    notify = {"notify": "_claude/sdkMessage", "params": {"sessionId": "session-1", "message": message}}
    repeated = [say("he", messageId="1"), say("he", messageId="2"), say("he", messageId="3")]
    run = await played(agent, *[notify] * 3, *repeated, {"until": "session/cancel"}, {"end": "cancelled"})
    async with asyncio.timeout(10):
        while sum("retrying" in event for event in run.events) < 5:
            run.shown.clear()
            await run.shown.wait()
    signs = person.signs_of_life
    await run.stop(4)
    kinds = [(event["type"], "retrying" in event) for event in run.events]
    assert kinds == [("log", True)] * 3 + [("message", False)] + [("log", True)] * 2 + [("message", False)]
    assert signs <= 4  # the handshake's answers and the one message


async def test_a_child_keeps_the_run_open_and_adds_nothing_to_its_words(agent: Agent) -> None:
    of_child = {**say("I am the child\n"), "session": "child"}
    run = await played(agent, child("running"), say("mine"), END, of_child, child("completed"))
    result = await run.result()
    assert (result.terminate_reason, result.final_message) == ("GOAL", "mine")
    assert (
        run.text("log") == "subagent Look: running\nsubagent Look: I am the child\nsubagent Look: completed\n"
    )


async def test_a_permission_that_a_child_asks_for_after_the_turn_is_answered(
    agent: Agent, person: Any
) -> None:
    person.chooses = "y"
    options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
    call = {"toolCallId": "t", "title": "Run", "kind": "execute", "rawInput": {"command": "ls"}}
    ask = {"ask": {"sessionId": "child", "toolCall": call, "options": options}}
    run = await played(agent, child("running"), say("mine"), END, ask, child("completed"))
    assert (await run.result()).terminate_reason == "GOAL"
    assert [question.command for question in person.questions] == ["ls"]
    assert not [event for event in run.events if event["type"] == "tool"]


@pytest.mark.parametrize("seconds", [0, 0.3])
async def test_a_permission_request_that_the_agent_withdraws_closes(
    agent: Agent, person: Any, seconds: float
) -> None:
    options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
    call = {"toolCallId": "t", "title": "Run", "kind": "execute", "rawInput": {"command": "ls"}}
    ask = {"ask": {"sessionId": "s", "toolCall": call, "options": options}, "withdraws": seconds}
    run = await played(agent, ask, END)
    assert (await run.result()).final_message == 'answer: {"outcome": {"outcome": "cancelled"}}'
    assert person.taken_back == len(person.questions)


async def test_a_refusal_of_a_childs_request_does_not_change_the_run(agent: Agent, person: Any) -> None:
    person.refuses_because = "nobody is there"
    options = [{"optionId": "n", "name": "No", "kind": "reject_once"}]
    call = {"toolCallId": "t", "title": "Run", "kind": "execute", "rawInput": {"command": "ls"}}
    ask = {"ask": {"sessionId": "child", "toolCall": call, "options": options}}
    run = await played(agent, say("mine"), tool("t", "in_progress"), ask, END)
    result = await run.result()
    assert (result.terminate_reason, result.final_message) == ("GOAL", "mine")
    assert [event["status"] for event in run.events if event["type"] == "tool"] == ["started"]


async def test_updates_of_another_session_before_the_prompt_are_not_the_runs(agent: Agent) -> None:
    run = await agent("speak_early")
    result = await run.result()
    assert result.final_message == "mine"
    assert run.text("log") == "subagent child: of a child\n"


async def test_a_last_turn_is_ended_when_it_continues_to_a_third_request(agent: Agent) -> None:
    last = [{"prompt": ""}, say("so far"), tool("1", "completed"), say("and then"), tool("2", "in_progress")]
    cut = [{"until": "session/cancel"}, {"end": "cancelled"}]
    run = await played(agent, say("begun"), *cut, *last, *cut)
    await run.until_it_speaks()
    async with asyncio.timeout(10):
        await run.run.channel.last_turn([])
    result = await run.result()
    assert result.final_message == "and then"
    assert "so far" in run.text()


async def test_tokens_of_a_cancelled_turn_are_counted(agent: Agent) -> None:
    size = update("usage_update", used=500, size=1000)
    run = await played(agent, say("hm"), size, {"until": "session/cancel"}, {"end": "cancelled"})
    async with asyncio.timeout(10):
        while not any(event["type"] == "usage" for event in run.events):
            run.shown.clear()
            await run.shown.wait()
    await run.stop(4)
    assert [event["inputTokens"] for event in run.events if event["type"] == "usage"] == [500]


async def test_an_explained_error_does_not_include_stderr(agent: Agent) -> None:
    failed = {"fail": {"code": 429, "message": "slow down"}}
    result = await (await played(agent, {"stderr": "Error handling request"}, failed)).result()
    assert result.error.splitlines() == ["the agent returned error 429: slow down (HTTP 429)"]


def test_of_stderr_only_lines_that_may_explain_an_end_are_shown() -> None:
    noise = "[session/create] phase=modes\n(node:7) Warning: old\n    at main (a.js:1)\n\n"
    assert meaningful(f"{noise}no license found\n{noise}") == "no license found"
    assert meaningful(noise) == ""
    assert len(meaningful("line\n" * 50).splitlines()) == 10
