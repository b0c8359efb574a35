"""Failures of a model's server on both wires, as the client of a session sees them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sidecar.subagents.runners.builtin.conversation import Conversation
from sidecar.subagents.runners.builtin.model import retrying
from sidecar.subagents.runners.builtin.model.faults import ModelFault
from sidecar.subagents.runners.builtin.model.provider import build_model
from sidecar.subagents.runners.builtin.reporter import Reporter
from sidecar.subagents.runners.builtin.tools.workspace import Workspace
from sidecar.subagents.runners.builtin_settings import BuiltinSettings
from tests.model_server.script import Reply
from tests.subagents.runners.builtin.conftest import Client
from tests.subagents.runners.builtin.model.faulty_server import Broken, FaultyServer, Refusal, Whole, Wire

Start = Callable[..., tuple[Conversation, FaultyServer]]

both_wires = pytest.mark.parametrize("wire", ["openai", "anthropic"])


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "_FIRST_SECONDS", 0.01)


@pytest.fixture
def start(workspace: Workspace, client: Client) -> Iterator[Start]:
    """Begin a conversation with a server that gives the answers, and then whole ones."""
    servers: list[FaultyServer] = []

    def start(wire: Wire, *answers: Refusal | Broken | Whole) -> tuple[Conversation, FaultyServer]:
        server = FaultyServer(wire, answers)
        servers.append(server)
        url = f"{server.url}/v1" if wire == "openai" else server.url
        settings = BuiltinSettings(provider=wire, model="m", base_url=url, key_variable="K", key="k")
        model = build_model(settings)
        return Conversation(model, workspace, Reporter(client, "s"), lambda root: "brief"), server

    yield start
    for server in servers:
        server.close()


def error(wire: Wire, kind: str, message: str) -> dict[str, Any]:
    """Return the body of an error in the words of a wire."""
    inner = {"message": message, "type": kind, "param": None, "code": kind}
    return {"error": inner} if wire == "openai" else {"type": "error", "error": inner}


def retries(client: Client) -> list[dict[str, Any]]:
    metas = (update.get("_meta", {}).get("sidecar", {}) for update in client.updates)
    return [meta["retrying"] for meta in metas if "retrying" in meta]


@both_wires
@pytest.mark.parametrize("how", ["end", "malformed", "reset"])
async def test_an_answer_that_breaks_off_is_a_failure_whatever_came_before(
    start: Start, client: Client, wire: Wire, how: Any
) -> None:
    conversation, _ = start(wire, Broken(3, how))
    with pytest.raises(ModelFault) as caught:
        await conversation.turn("go")
    assert caught.value.kind == "network", caught.value
    assert await conversation.turn("again") == "end_turn"


@both_wires
async def test_a_connection_reset_before_the_answer_is_repeated(
    start: Start, client: Client, wire: Wire
) -> None:
    conversation, server = start(wire, Broken(0, "reset"))
    assert await conversation.turn("go") == "end_turn"
    assert len(server.bodies) == 2
    (notices,) = retries(client)
    assert notices["text"].startswith("the connection to the model's server failed")
    assert "status" not in notices


@both_wires
async def test_a_busy_server_is_asked_again_when_it_says(start: Start, client: Client, wire: Wire) -> None:
    busy = Refusal(429, error(wire, "rate_limit_error", "slow down"), {"Retry-After": "0"})
    conversation, server = start(wire, busy, busy)
    assert await conversation.turn("go") == "end_turn"
    assert len(server.bodies) == 3
    assert [(each["attempt"], each["status"]) for each in retries(client)] == [(1, 429), (2, 429)]
    assert "slow down; try 2 of 5 in 0 s" in retries(client)[0]["text"]


@both_wires
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
async def test_a_refusal_is_repeated_only_where_that_may_help_and_then_typed(
    start: Start, client: Client, wire: Wire, status: int, kind: str, expected: str, tries: int
) -> None:
    conversation, server = start(wire, *[Refusal(status, error(wire, kind, "because"))] * 9)
    with pytest.raises(ModelFault, match=rf"status {status}: because") as caught:
        await conversation.turn("go")
    assert (caught.value.kind, caught.value.status, len(server.bodies)) == (expected, status, tries)
    assert len(retries(client)) == tries - 1


@pytest.mark.parametrize(
    ("wire", "kind", "message"),
    [
        ("openai", "context_length_exceeded", "Your input exceeds the context window of this model."),
        ("openai", "BadRequestError", "This model's maximum context length is 4000 tokens. However, you"),
        ("anthropic", "invalid_request_error", "prompt is too long: 4100 tokens > 4000 maximum"),
    ],
)
async def test_a_conversation_that_is_refused_as_too_long_is_shortened_and_sent_again(
    start: Start, client: Client, root: Path, wire: Wire, kind: str, message: str
) -> None:
    (root / "a.txt").write_text("0123456789\n" * 1_500)
    read = Whole(reply=Reply(tool="read_file", arguments={"path": "a.txt"}))
    conversation, server = start(wire, read, Refusal(400, error(wire, kind, message)))
    assert await conversation.turn("what is in a.txt?") == "end_turn"
    _, refused, accepted = (str(body) for body in server.bodies)
    assert len(accepted) < len(refused)
    assert "cut to fit the context window" in accepted
    assert "what is in a.txt?" in accepted
    assert "the conversation is shortened" in str(client.updates)


@both_wires
async def test_a_prompt_that_is_too_long_by_itself_fails_as_such(start: Start, wire: Wire) -> None:
    message = "prompt is too long: 4100 tokens > 4000 maximum"
    conversation, server = start(wire, Refusal(400, error(wire, "invalid_request_error", message)))
    with pytest.raises(ModelFault, match="4000 maximum; give it a smaller task") as caught:
        await conversation.turn("x" * 30_000)
    assert (caught.value.kind, caught.value.status, len(server.bodies)) == ("contextLength", 400, 1)


@pytest.mark.parametrize(
    ("wire", "usage"),
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
async def test_cached_tokens_are_counted_apart_whether_or_not_the_wire_counts_them_as_input(
    start: Start, client: Client, wire: Wire, usage: dict[str, Any]
) -> None:
    conversation, _ = start(wire, Whole(usage), Whole(usage))
    for _ in range(2):
        await conversation.turn("go")
    notices = [update for update in client.updates if update["sessionUpdate"] == "usage_update"]
    expected = {"inputTokens": 9, "outputTokens": 7, "cachedReadTokens": 1_000, "cachedWriteTokens": 0}
    assert notices[0]["_meta"]["sidecar"]["usage"] == expected
    assert notices[1]["_meta"]["sidecar"]["usage"] == {name: 2 * count for name, count in expected.items()}
