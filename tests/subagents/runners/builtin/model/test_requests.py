"""Failures of a model server of both providers, as the client of a session sees them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sidecar.subagents.runners.builtin.conversation import Conversation
from sidecar.subagents.runners.builtin.model import requests as retrying
from sidecar.subagents.runners.builtin.model.failures import ModelFailure
from sidecar.subagents.runners.builtin.model.provider import build_model
from sidecar.subagents.runners.builtin.reporter import Reporter
from sidecar.subagents.runners.builtin.tools.workspace import Workspace
from sidecar.subagents.runners.builtin_settings import BuiltinSettings
from tests.model_server.script import Reply
from tests.subagents.runners.builtin.conftest import Client
from tests.subagents.runners.builtin.model.failing_server import (
    Broken,
    FailingServer,
    Provider,
    Refusal,
    Whole,
)

Start = Callable[..., tuple[Conversation, FailingServer]]

both_providers = pytest.mark.parametrize("provider", ["openai", "anthropic"])


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "_FIRST_SECONDS", 0.01)


@pytest.fixture
def start(workspace: Workspace, client: Client) -> Iterator[Start]:
    """Start a conversation with a server that gives the answers in order, then complete ones."""
    servers: list[FailingServer] = []

    def start(provider: Provider, *answers: Refusal | Broken | Whole) -> tuple[Conversation, FailingServer]:
        server = FailingServer(provider, answers)
        servers.append(server)
        url = f"{server.url}/v1" if provider == "openai" else server.url
        settings = BuiltinSettings(provider=provider, model="m", base_url=url, key_variable="K", key="k")
        model = build_model(settings)
        return Conversation(model, workspace, Reporter(client, "s"), lambda root: "brief"), server

    yield start
    for server in servers:
        server.close()


def error(provider: Provider, kind: str, message: str) -> dict[str, Any]:
    """Return the body of an error in a provider's format."""
    inner = {"message": message, "type": kind, "param": None, "code": kind}
    return {"error": inner} if provider == "openai" else {"type": "error", "error": inner}


def retries(client: Client) -> list[dict[str, Any]]:
    metas = (update.get("_meta", {}).get("sidecar", {}) for update in client.updates)
    return [meta["retrying"] for meta in metas if "retrying" in meta]


@both_providers
@pytest.mark.parametrize("how", ["end", "malformed", "reset"])
async def test_an_incomplete_answer_is_a_failure(
    start: Start, client: Client, provider: Provider, how: Any
) -> None:
    conversation, _ = start(provider, Broken(3, how))
    with pytest.raises(ModelFailure) as caught:
        await conversation.turn("go")
    assert caught.value.kind == "network", caught.value
    assert await conversation.turn("again") == "end_turn"


@both_providers
async def test_a_request_is_retried_after_a_connection_reset(
    start: Start, client: Client, provider: Provider
) -> None:
    conversation, server = start(provider, Broken(0, "reset"))
    assert await conversation.turn("go") == "end_turn"
    assert len(server.bodies) == 2
    (notices,) = retries(client)
    assert notices["text"].startswith("the connection to the model's server failed")
    assert "status" not in notices


@both_providers
async def test_a_busy_server_is_asked_again_after_the_wait_it_requests(
    start: Start, client: Client, provider: Provider
) -> None:
    busy = Refusal(429, error(provider, "rate_limit_error", "slow down"), {"Retry-After": "0"})
    conversation, server = start(provider, busy, busy)
    assert await conversation.turn("go") == "end_turn"
    assert len(server.bodies) == 3
    assert [(each["attempt"], each["status"]) for each in retries(client)] == [(1, 429), (2, 429)]
    assert "slow down; try 2 of 5 in 0 s" in retries(client)[0]["text"]
    assert [each["retryAfterSeconds"] for each in retries(client)] == [0, 0]


@both_providers
async def test_a_failure_says_how_long_the_server_asks_to_wait(start: Start, provider: Provider) -> None:
    busy = Refusal(429, error(provider, "rate_limit_error", "slow down"), {"Retry-After": "600"})
    conversation, server = start(provider, busy)
    with pytest.raises(ModelFailure) as caught:
        await conversation.turn("go")
    assert (caught.value.retry_after_seconds, len(server.bodies)) == (600, 1)


@both_providers
@pytest.mark.parametrize(
    ("status", "kind", "expected", "tries"),
    [
        (401, "authentication_error", "auth", 1),
        (403, "permission_error", "auth", 1),
        (404, "not_found_error", "modelNotFound", 1),
        (429, "rate_limit_error", "rateLimit", 5),
        (500, "api_error", "overloaded", 5),
        (503, "overloaded_error", "overloaded", 5),
        (400, "invalid_request_error", "other", 1),
    ],
)
async def test_a_refused_request_is_retried_only_if_that_may_help(
    start: Start, client: Client, provider: Provider, status: int, kind: str, expected: str, tries: int
) -> None:
    conversation, server = start(provider, *[Refusal(status, error(provider, kind, "because"))] * 9)
    with pytest.raises(ModelFailure, match=rf"status {status}: because") as caught:
        await conversation.turn("go")
    assert (caught.value.kind, caught.value.status, len(server.bodies)) == (expected, status, tries)
    assert len(retries(client)) == tries - 1


@pytest.mark.parametrize(
    ("provider", "kind", "message"),
    [
        ("openai", "context_length_exceeded", "Your input exceeds the context window of this model."),
        ("openai", "BadRequestError", "This model's maximum context length is 4000 tokens. However, you"),
        ("anthropic", "invalid_request_error", "prompt is too long: 4100 tokens > 4000 maximum"),
    ],
)
async def test_a_conversation_that_is_refused_as_too_long_is_shortened_and_sent_again(
    start: Start, client: Client, root: Path, provider: Provider, kind: str, message: str
) -> None:
    (root / "a.txt").write_text("0123456789\n" * 1_500)
    read = Whole(reply=Reply(tool="read_file", arguments={"path": "a.txt"}))
    conversation, server = start(provider, read, Refusal(400, error(provider, kind, message)))
    assert await conversation.turn("what is in a.txt?") == "end_turn"
    _, refused, accepted = (str(body) for body in server.bodies)
    assert len(accepted) < len(refused)
    assert "cut to fit the context window" in accepted
    assert "what is in a.txt?" in accepted
    assert "the conversation is shortened" in str(client.updates)


@both_providers
async def test_a_prompt_that_is_too_long_by_itself_fails_with_the_reason(
    start: Start, provider: Provider
) -> None:
    message = "prompt is too long: 4100 tokens > 4000 maximum"
    conversation, server = start(provider, Refusal(400, error(provider, "invalid_request_error", message)))
    with pytest.raises(ModelFailure, match="4000 maximum; give it a smaller task") as caught:
        await conversation.turn("x" * 30_000)
    assert (caught.value.kind, caught.value.status, len(server.bodies)) == ("contextLength", 400, 1)


@pytest.mark.parametrize(
    ("provider", "usage"),
    [
        (
            "openai",
            {
                "prompt_tokens": 1_009,
                "completion_tokens": 7,
                "total_tokens": 1_016,
                "prompt_tokens_details": {"cached_tokens": 1_000},
            },
        ),
        ("anthropic", {"input_tokens": 9, "output_tokens": 7, "cache_read_input_tokens": 1_000}),
    ],
)
async def test_cached_tokens_are_counted_separately_for_both_providers(
    start: Start, client: Client, provider: Provider, usage: dict[str, Any]
) -> None:
    conversation, _ = start(provider, Whole(usage), Whole(usage))
    for _ in range(2):
        await conversation.turn("go")
    notices = [update for update in client.updates if update["sessionUpdate"] == "usage_update"]
    expected = {"inputTokens": 9, "outputTokens": 7, "cachedReadTokens": 1_000, "cachedWriteTokens": 0}
    assert notices[0]["_meta"]["sidecar"]["usage"] == expected
    assert notices[1]["_meta"]["sidecar"]["usage"] == {name: 2 * count for name, count in expected.items()}
