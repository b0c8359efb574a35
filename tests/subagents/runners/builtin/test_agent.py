"""The agent's side of the protocol, with a model that is a function."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import acp
import pytest
from acp.exceptions import RequestError
from pydantic_ai.exceptions import ModelAuthenticationError, ModelHTTPError, ModelRateLimitError
from pydantic_ai.models.function import AgentInfo, FunctionModel

from sidecar.subagents.runners.builtin.agent import BuiltinAgent
from sidecar.subagents.runners.builtin.conversation import Conversation
from tests.subagents.runners.builtin.conftest import Client

chosen: list[Any] = []
"""The `tool_choice` of each request."""


@pytest.fixture
def agent(client: Client) -> BuiltinAgent:
    """An agent whose model repeats its prompt, unless the prompt is to `wait`, `refuse` or `break`."""

    async def answer(messages: Any, info: AgentInfo) -> AsyncIterator[str]:
        chosen.append((info.model_settings or {}).get("tool_choice"))
        text = messages[-1].parts[-1].content[0]
        if text == "break":
            raise RuntimeError("no luck with the key sk-1")
        if text == "refuse":
            raise ModelHTTPError.for_category(ModelAuthenticationError, status_code=401, model_name="m")
        if text == "refuse for now":
            raise ModelHTTPError.for_category(
                ModelRateLimitError, status_code=429, model_name="m", retry_after=600
            )
        yield text
        if text == "wait":
            await asyncio.Event().wait()

    model = FunctionModel(stream_function=answer)
    agent = BuiltinAgent(
        lambda workspace, reporter, servers: Conversation(
            model, workspace, reporter, lambda root: "about the workspace"
        ),
        lambda text: text.replace("sk-1", "***"),
        "m",
    )
    agent.on_connect(client)
    return agent


async def prompt(agent: BuiltinAgent, session_id: str, text: str) -> str:
    answer = await agent.prompt([acp.text_block(text)], session_id)
    return answer.stop_reason


async def until_it_speaks(client: Client) -> None:
    async with asyncio.timeout(10):
        while not client.updates:
            await asyncio.sleep(0.01)


async def test_a_session_announces_its_mode_and_model(agent: BuiltinAgent, root: Path) -> None:
    session = (await agent.new_session(str(root))).model_dump(by_alias=True)
    assert session["modes"]["currentModeId"] == "default"
    (model,) = session["configOptions"]
    assert (model["category"], model["currentValue"]) == ("model", "m")


async def test_sessions_are_separate_and_can_be_closed(
    agent: BuiltinAgent, client: Client, root: Path
) -> None:
    one = (await agent.new_session(str(root))).session_id
    two = (await agent.new_session(str(root))).session_id
    assert one != two
    await agent.close_session(one)
    with pytest.raises(RequestError, match="there is no session"):
        await prompt(agent, one, "hi")
    assert await prompt(agent, two, "hi") == "end_turn"


@pytest.mark.parametrize("cwd", ["relative", "/no/such/folder"])
async def test_a_session_needs_a_folder(agent: BuiltinAgent, cwd: str) -> None:
    with pytest.raises(RequestError, match="not the absolute path of a folder"):
        await agent.new_session(cwd)


async def test_a_cancelled_turn_is_reported_and_the_next_is_answered(
    agent: BuiltinAgent, client: Client, root: Path
) -> None:
    session = (await agent.new_session(str(root))).session_id
    turn = asyncio.create_task(prompt(agent, session, "wait"))
    await until_it_speaks(client)
    with pytest.raises(RequestError, match="still answering"):
        await prompt(agent, session, "hi")
    await agent.cancel(session)
    assert await turn == "cancelled"
    await agent.cancel(session)
    assert await prompt(agent, session, "hi") == "end_turn"


async def test_an_error_is_reported_without_secrets(agent: BuiltinAgent, root: Path) -> None:
    session = (await agent.new_session(str(root))).session_id
    with pytest.raises(RequestError, match=r"no luck with the key \*\*\*"):
        await prompt(agent, session, "break")
    assert await prompt(agent, session, "hi") == "end_turn"


async def test_a_failure_of_the_model_has_a_kind(agent: BuiltinAgent, root: Path) -> None:
    session = (await agent.new_session(str(root))).session_id
    for text, data in (
        ("refuse", {"errorKind": "auth", "status": 401}),
        ("refuse for now", {"errorKind": "rateLimit", "status": 429, "retryAfterSeconds": 600}),
        ("break", {"errorKind": "other"}),
    ):
        with pytest.raises(RequestError) as caught:
            await prompt(agent, session, text)
        assert caught.value.data == data


async def test_the_last_turn_flag_reaches_the_model(agent: BuiltinAgent, root: Path) -> None:
    session = (await agent.new_session(str(root))).session_id
    for meta, choice in (({}, None), ({"sidecar": {"lastTurn": True}}, "none")):
        await agent.prompt([acp.text_block("hi")], session, **meta)
        assert chosen[-1] == choice


async def test_updates_have_the_session_usage_and_replies_the_turn_usage(
    agent: BuiltinAgent, client: Client, root: Path
) -> None:
    session = (await agent.new_session(str(root))).session_id
    replies = [await agent.prompt([acp.text_block(text)], session) for text in ("one", "two")]
    updates = [update for update in client.updates if update["sessionUpdate"] == "usage_update"]
    first, second = (update["_meta"]["sidecar"]["usage"] for update in updates)
    assert 0 < first["outputTokens"] < second["outputTokens"]
    assert (first["cachedReadTokens"], first["cachedWriteTokens"]) == (0, 0)
    of_turns = [reply.usage.output_tokens for reply in replies if reply.usage is not None]
    assert of_turns == [first["outputTokens"], second["outputTokens"] - first["outputTokens"]]
