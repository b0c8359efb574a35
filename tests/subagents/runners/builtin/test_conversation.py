"""Turns with a model that is a function: updates to the client and requests to the model."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.exceptions import (
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelOverloadedError,
    ModelRateLimitError,
)
from pydantic_ai.messages import ModelMessage, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaThinkingPart, DeltaToolCall, FunctionModel

from sidecar.subagents.fold.turns import Turns
from sidecar.subagents.runners.acp.updates.events import SessionEvents
from sidecar.subagents.runners.builtin import conversation as module
from sidecar.subagents.runners.builtin.conversation import Conversation
from sidecar.subagents.runners.builtin.model import requests as retrying
from sidecar.subagents.runners.builtin.model.failures import ModelFailure
from sidecar.subagents.runners.builtin.reporter import Reporter
from sidecar.subagents.runners.builtin.tools.workspace import Workspace
from tests.subagents.runners.builtin.conftest import Client

pytestmark = pytest.mark.usefixtures("programs")

BRIEF = "about the workspace"
Step = Any
Converse = Callable[..., Conversation]


def call(name: str, arguments: str) -> Step:
    return {0: DeltaToolCall(name=name, json_args=arguments, tool_call_id="call-1")}


@pytest.fixture
def requests() -> list[list[ModelMessage]]:
    """The messages of each request to the model."""
    return []


@pytest.fixture
def converse(workspace: Workspace, client: Client, requests: list[list[ModelMessage]]) -> Converse:
    """Start a conversation with a model that answers requests with the steps in order, then with `done`."""

    def converse(*steps: Step, window: int | None = None) -> Conversation:
        left = list(steps)

        async def answer(messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[Any]:
            requests.append(list(messages))
            step = left.pop(0) if left else "done"
            if isinstance(step, Exception):
                raise step
            yield step
            if step == "waiting":
                await asyncio.Event().wait()

        model = FunctionModel(stream_function=answer)
        return Conversation(model, workspace, Reporter(client, "s"), lambda root: BRIEF, window)

    return converse


def results(requests: list[list[ModelMessage]]) -> list[Any]:
    """The results of the last calls that the model received."""
    return [part.content for part in requests[-1][-1].parts if isinstance(part, ToolReturnPart)]


async def test_text_and_thoughts_reach_the_client(converse: Converse, client: Client) -> None:
    assert await converse({0: DeltaThinkingPart(content="hm")}, "hello").turn("hi") == "end_turn"
    shown = [update for update in client.updates if "content" in update]
    kinds = [(update["sessionUpdate"], update["content"]["text"]) for update in shown]
    assert ("agent_thought_chunk", "hm") in kinds
    assert kinds[-1][0] == "agent_message_chunk"


async def test_an_edit_shows_its_diff_and_asks(
    converse: Converse, client: Client, root: Path, requests: list[list[ModelMessage]]
) -> None:
    (root / "a.txt").write_text("one two")
    await converse(call("edit_file", '{"path": "a.txt", "old_text": "two", "new_text": "2"}')).turn("go")
    assert (root / "a.txt").read_text() == "one 2"
    assert client.statuses() == ["pending", "in_progress", "completed"]
    (question,) = client.questions
    diff = {"type": "diff", "path": str(root / "a.txt"), "oldText": "one two", "newText": "one 2"}
    assert (question["kind"], question["content"]) == ("edit", [diff])
    assert results(requests) == ["a.txt is changed"]


async def test_a_refusal_and_its_reason_reach_the_model(
    converse: Converse, client: Client, root: Path, requests: list[list[ModelMessage]]
) -> None:
    client.chooses, client.reason = "reject", "Permission denied: the policy."
    await converse(call("write_file", '{"path": "a.txt", "content": "x"}')).turn("go")
    assert not (root / "a.txt").exists()
    assert client.statuses() == ["pending", "failed"]
    assert results(requests) == ["Permission denied: the policy."]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read_file", '{"path": "../secret.txt"}'),
        ("write_file", '{"path": "link/x", "content": "x"}'),
        ("edit_file", '{"path": "/etc/passwd", "old_text": "root", "new_text": "x"}'),
        ("list_files", '{"folder": ".."}'),
        ("search_files", '{"folder": "link", "expression": "s"}'),
    ],
)
async def test_no_tool_reaches_outside_the_workspace(
    converse: Converse,
    client: Client,
    root: Path,
    requests: list[list[ModelMessage]],
    name: str,
    arguments: str,
) -> None:
    (root / "link").symlink_to(root.parent)
    await converse(call(name, arguments)).turn("go")
    assert "leads out of the workspace" in results(requests)[0]
    assert client.statuses() == ["pending", "failed"]
    assert client.questions == []


async def test_a_file_changed_during_the_question_is_not_written(
    converse: Converse,
    client: Client,
    root: Path,
    requests: list[list[ModelMessage]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (root / "a.txt").write_text("old")
    ask = client.request_permission

    async def change_and_allow(*arguments: Any) -> Any:
        (root / "a.txt").write_text("theirs")
        return await ask(*arguments)

    monkeypatch.setattr(client, "request_permission", change_and_allow)
    await converse(call("write_file", '{"path": "a.txt", "content": "mine"}')).turn("go")
    assert (root / "a.txt").read_text() == "theirs"
    assert "has changed in the meantime" in results(requests)[0]


async def test_files_are_read_listed_and_searched_without_asking(
    converse: Converse, client: Client, root: Path, requests: list[list[ModelMessage]]
) -> None:
    (root / "a.txt").write_text("needle\n")
    steps = [
        call("list_files", "{}"),
        call("search_files", '{"expression": "need"}'),
        call("read_file", '{"path": "a.txt"}'),
    ]
    await converse(*steps).turn("go")
    found = [part.content for part in _returns(requests[-1])]
    assert found == ["a.txt", "a.txt:1: needle", "     1\tneedle"]
    assert client.questions == []


async def test_the_output_of_a_command_reaches_the_client_and_the_model(
    converse: Converse, client: Client, requests: list[list[ModelMessage]]
) -> None:
    await converse(call("run_command", '{"command": "echo hi"}')).turn("go")
    assert results(requests) == ["hi\n\n[exit status 0]"]
    assert client.questions[0]["rawInput"] == {"command": "echo hi"}
    (shown,) = (update for update in client.updates if update.get("status") == "completed")
    assert shown["content"][0]["content"]["text"] == "hi\n\n[exit status 0]"


async def test_a_plan_is_shown(converse: Converse, client: Client) -> None:
    await converse(call("update_plan", '{"steps": [{"text": "look", "status": "in_progress"}]}')).turn("go")
    (plan,) = (update for update in client.updates if update["sessionUpdate"] == "plan")
    assert [(entry["content"], entry["status"]) for entry in plan["entries"]] == [("look", "in_progress")]


@pytest.mark.parametrize(
    ("name", "arguments", "ends"),
    [
        ("update_plan", '{"steps": []}', "completed"),
        ("read_file", '{"file": "a.txt"}', "failed"),
        ("no_such_tool", "{}", "failed"),
    ],
)
async def test_every_answer_with_a_call_counts_as_a_turn(
    converse: Converse, client: Client, name: str, arguments: str, ends: str
) -> None:
    await converse(call(name, arguments), call(name, arguments)).turn("go")
    assert client.statuses() == ["pending", ends] * 2
    events, turns = SessionEvents(), Turns()
    for event in (event for update in client.updates for event in events.take(update)):
        turns.take(event)
    for event in events.flush():
        turns.take(event)
    assert turns.count == 3


async def test_a_model_that_repeats_an_invalid_call_fails_and_names_the_tool(converse: Converse) -> None:
    with pytest.raises(ModelFailure) as failure:
        await converse(*[call("read_file", '{"file": "a.txt"}')] * 5).turn("go")
    assert str(failure.value) == "the model called the tool 'read_file' with invalid arguments 4 times"


async def test_a_turn_has_the_messages_of_earlier_and_cancelled_turns(
    converse: Converse, requests: list[list[ModelMessage]]
) -> None:
    conversation = converse("first", "waiting", "third")
    await conversation.turn("one")
    turn = asyncio.create_task(conversation.turn("two"))
    async with asyncio.timeout(10):
        while len(requests) < 2:
            await asyncio.sleep(0.01)
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert await conversation.turn("three") == "end_turn"
    assert prompts(requests[-1]) == [["one", BRIEF], ["two"], ["three"]]


async def test_a_turn_without_progress_ends(converse: Converse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_REQUESTS", 3)
    conversation = converse(*[call("list_files", "{}")] * 3, "fresh")
    assert await conversation.turn("go") == "max_turn_requests"
    assert await conversation.turn("again") == "end_turn"


async def test_usage_is_reported_before_the_tools_run_and_at_the_end(
    converse: Converse, client: Client
) -> None:
    await converse(call("list_files", "{}")).turn("go")
    kinds = [update["sessionUpdate"] for update in client.updates]
    assert kinds.index("usage_update") < kinds.index("tool_call")
    first, last = (update for update in client.updates if update["sessionUpdate"] == "usage_update")
    before, after = (update["_meta"]["sidecar"]["usage"] for update in (first, last))
    assert before["outputTokens"] < after["outputTokens"]
    assert 0 < last["used"] < last["size"] == 64_000


async def test_usage_is_reported_for_a_turn_that_fails(converse: Converse, client: Client) -> None:
    rejected = ModelHTTPError(status_code=400, model_name="m")
    with pytest.raises(ModelFailure):
        await converse(call("list_files", "{}"), rejected).turn("go")
    assert [update for update in client.updates if update["sessionUpdate"] == "usage_update"]


async def test_the_last_turn_runs_no_tool_and_sends_at_most_two_requests(
    converse: Converse, client: Client, requests: list[list[ModelMessage]]
) -> None:
    conversation = converse("started", *[call("list_files", "{}")] * 5)
    await conversation.turn("go")
    assert await conversation.turn("sum up", is_last=True) == "max_turn_requests"
    assert len(requests) == 3
    assert client.statuses() == []
    assert results(requests) == ["You cannot use tools in this last turn. Answer in words."]


async def test_a_request_that_may_succeed_later_is_retried_and_reported(
    converse: Converse, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrying, "_FIRST_SECONDS", 0.01)
    busy = ModelHTTPError.for_category(ModelRateLimitError, status_code=429, model_name="m", body="slow down")
    assert await converse(busy, busy, "hello").turn("go") == "end_turn"
    requests = [
        update["_meta"]["sidecar"]["retrying"] for update in client.updates if "retrying" in str(update)
    ]
    assert [(each["attempt"], each["status"]) for each in requests] == [(1, 429), (2, 429)]
    assert requests[0]["text"] == "the model's server answered with status 429: slow down; try 2 of 5 in 0 s"


async def test_retries_end_if_the_server_stays_busy(
    converse: Converse, requests: list[list[ModelMessage]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrying, "_FIRST_SECONDS", 0.01)
    busy = ModelHTTPError.for_category(ModelOverloadedError, status_code=529, model_name="m")
    with pytest.raises(ModelFailure, match="status 529") as caught:
        await converse(*[busy] * 9).turn("go")
    assert (caught.value.kind, caught.value.status, len(requests)) == ("overloaded", 529, retrying.MAX_TRIES)


async def test_a_conversation_that_nearly_fills_the_window_is_shortened_and_continues(
    converse: Converse, client: Client, root: Path, requests: list[list[ModelMessage]]
) -> None:
    (root / "a.txt").write_text("0123456789\n" * 1_000)
    reads = [call("read_file", '{"path": "a.txt"}')] * 4
    assert await converse(*reads, window=10_000).turn("go") == "end_turn"
    first, *_, newest = (part.content for part in _returns(requests[-1]))
    assert str(first).startswith("[left out")
    assert str(newest).startswith("     1")
    notices = [update["_meta"]["sidecar"]["notice"] for update in client.updates if "notice" in str(update)]
    assert notices[0]["text"] == "the conversation is shortened to fit the context window of 10,000 tokens"


async def test_a_request_refused_as_too_long_is_shortened_and_the_limit_learned(
    converse: Converse, client: Client, root: Path, requests: list[list[ModelMessage]]
) -> None:
    (root / "a.txt").write_text("0123456789\n" * 1_000)
    refusal = ModelHTTPError.for_category(
        ModelContextWindowExceededError,
        status_code=400,
        model_name="m",
        body={"message": "This model's maximum context length is 16384 tokens."},
    )
    read = call("read_file", '{"path": "a.txt"}')
    conversation = converse(read, read, read, refusal, "done")
    assert await conversation.turn("go") == "end_turn"
    assert client.updates[-1]["size"] == 16_384
    refused, accepted = requests[-2:]
    assert len(str(accepted)) < len(str(refused))
    assert len(accepted) == len(refused)


async def test_a_prompt_that_is_too_long_by_itself_fails_with_its_kind(converse: Converse) -> None:
    refusal = ModelHTTPError(status_code=413, model_name="m", body={"message": "too large"})
    with pytest.raises(ModelFailure, match=r"413.*a smaller task") as caught:
        await converse(*[refusal] * 9).turn("go")
    assert caught.value.kind == "contextLength"


async def test_a_failure_of_the_model_gives_the_reason_and_the_turn_is_kept(
    converse: Converse, requests: list[list[ModelMessage]]
) -> None:
    conversation = converse(ModelHTTPError(status_code=401, model_name="m", body={"message": "bad key"}))
    with pytest.raises(ModelFailure, match=r"401.*bad key"):
        await conversation.turn("go")
    assert await conversation.turn("again") == "end_turn"
    assert prompts(requests[-1]) == [["go", BRIEF], ["again"]]


def _returns(messages: list[ModelMessage]) -> list[ToolReturnPart]:
    return [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]


def prompts(messages: list[ModelMessage]) -> list[Any]:
    parts = (part for message in messages for part in message.parts)
    return [part.content for part in parts if part.part_kind == "user-prompt"]
