"""Turns with a model that is a function: what the client sees, and what the model is told."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelMessage, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaThinkingPart, DeltaToolCall, FunctionModel

from sidecar.subagents.runners.builtin import conversation as module
from sidecar.subagents.runners.builtin.conversation import Conversation, ModelFault
from sidecar.subagents.runners.builtin.reporter import Reporter
from sidecar.subagents.runners.builtin.tools.workspace import Workspace
from tests.subagents.runners.builtin.conftest import Client

pytestmark = pytest.mark.usefixtures("programs")

Step = Any
Converse = Callable[..., Conversation]


def call(name: str, arguments: str) -> Step:
    return {0: DeltaToolCall(name=name, json_args=arguments, tool_call_id="call-1")}


@pytest.fixture
def told() -> list[list[ModelMessage]]:
    """What the model was given, request by request."""
    return []


@pytest.fixture
def converse(workspace: Workspace, client: Client, told: list[list[ModelMessage]]) -> Converse:
    """Begin a conversation with a model that answers each request with one of the steps, then with `done`."""

    def converse(*steps: Step) -> Conversation:
        left = list(steps)

        async def answer(messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[Any]:
            told.append(list(messages))
            step = left.pop(0) if left else "done"
            if isinstance(step, Exception):
                raise step
            yield step
            if step == "waiting":
                await asyncio.Event().wait()

        return Conversation(FunctionModel(stream_function=answer), workspace, Reporter(client, "s"))

    return converse


def results(told: list[list[ModelMessage]]) -> list[Any]:
    """What the model was told of its last calls."""
    return [part.content for part in told[-1][-1].parts if isinstance(part, ToolReturnPart)]


async def test_words_and_thoughts_are_passed_on(converse: Converse, client: Client) -> None:
    assert await converse({0: DeltaThinkingPart(content="hm")}, "hello").turn("hi") == "end_turn"
    kinds = [(update["sessionUpdate"], update["content"]["text"]) for update in client.updates]
    assert ("agent_thought_chunk", "hm") in kinds
    assert kinds[-1][0] == "agent_message_chunk"


async def test_an_edit_shows_its_diff_and_asks(
    converse: Converse, client: Client, root: Path, told: list[list[ModelMessage]]
) -> None:
    (root / "a.txt").write_text("one two")
    await converse(call("edit_file", '{"path": "a.txt", "old_text": "two", "new_text": "2"}')).turn("go")
    assert (root / "a.txt").read_text() == "one 2"
    assert client.statuses() == ["pending", "in_progress", "completed"]
    (question,) = client.questions
    diff = {"type": "diff", "path": str(root / "a.txt"), "oldText": "one two", "newText": "one 2"}
    assert (question["kind"], question["content"]) == ("edit", [diff])
    assert results(told) == ["a.txt is changed"]


async def test_a_refusal_and_its_reason_reach_the_model(
    converse: Converse, client: Client, root: Path, told: list[list[ModelMessage]]
) -> None:
    client.chooses, client.reason = "reject", "Permission denied: the policy."
    await converse(call("write_file", '{"path": "a.txt", "content": "x"}')).turn("go")
    assert not (root / "a.txt").exists()
    assert client.statuses() == ["pending", "failed"]
    assert results(told) == ["Permission denied: the policy."]


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
async def test_no_tool_leads_out_of_the_workspace(
    converse: Converse,
    client: Client,
    root: Path,
    told: list[list[ModelMessage]],
    name: str,
    arguments: str,
) -> None:
    (root / "link").symlink_to(root.parent)
    await converse(call(name, arguments)).turn("go")
    assert "leads out of the workspace" in results(told)[0]
    assert client.statuses() == ["pending", "failed"]
    assert client.questions == []


async def test_a_file_changed_while_the_question_stood_is_left_alone(
    converse: Converse,
    client: Client,
    root: Path,
    told: list[list[ModelMessage]],
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
    assert "changed by somebody else" in results(told)[0]


async def test_files_are_read_listed_and_searched_without_asking(
    converse: Converse, client: Client, root: Path, told: list[list[ModelMessage]]
) -> None:
    (root / "a.txt").write_text("needle\n")
    steps = [
        call("list_files", "{}"),
        call("search_files", '{"expression": "need"}'),
        call("read_file", '{"path": "a.txt"}'),
    ]
    await converse(*steps).turn("go")
    found = [part.content for part in _returns(told[-1])]
    assert found == ["a.txt", "a.txt:1: needle", "     1\tneedle"]
    assert client.questions == []


async def test_a_command_s_output_is_shown_and_told(
    converse: Converse, client: Client, told: list[list[ModelMessage]]
) -> None:
    await converse(call("run_command", '{"command": "echo hi"}')).turn("go")
    assert results(told) == ["hi\n\n[exit status 0]"]
    assert client.questions[0]["rawInput"] == {"command": "echo hi"}
    assert client.updates[-2]["content"][0]["content"]["text"] == "hi\n\n[exit status 0]"


async def test_a_plan_is_shown(converse: Converse, client: Client) -> None:
    await converse(call("update_plan", '{"steps": [{"text": "look", "status": "in_progress"}]}')).turn("go")
    (plan,) = (update for update in client.updates if update["sessionUpdate"] == "plan")
    assert [(entry["content"], entry["status"]) for entry in plan["entries"]] == [("look", "in_progress")]


async def test_turns_know_those_before_them_also_one_that_was_cancelled(
    converse: Converse, told: list[list[ModelMessage]]
) -> None:
    conversation = converse("first", "waiting", "third")
    await conversation.turn("one")
    turn = asyncio.create_task(conversation.turn("two"))
    async with asyncio.timeout(10):
        while len(told) < 2:
            await asyncio.sleep(0.01)
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert await conversation.turn("three") == "end_turn"
    assert prompts(told[-1]) == ["one", "two", "three"]


async def test_going_round_in_circles_ends(converse: Converse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_REQUESTS", 3)
    conversation = converse(*[call("list_files", "{}")] * 3, "fresh")
    assert await conversation.turn("go") == "max_turn_requests"
    assert await conversation.turn("again") == "end_turn"


async def test_a_model_that_fails_says_why_and_the_turn_is_remembered(
    converse: Converse, told: list[list[ModelMessage]]
) -> None:
    conversation = converse(ModelHTTPError(status_code=401, model_name="m", body={"message": "bad key"}))
    with pytest.raises(ModelFault, match=r"401.*bad key"):
        await conversation.turn("go")
    assert await conversation.turn("again") == "end_turn"
    assert prompts(told[-1]) == ["go", "again"]


def _returns(messages: list[ModelMessage]) -> list[ToolReturnPart]:
    return [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]


def prompts(messages: list[ModelMessage]) -> list[Any]:
    parts = (part for message in messages for part in message.parts)
    return [part.content for part in parts if part.part_kind == "user-prompt"]
