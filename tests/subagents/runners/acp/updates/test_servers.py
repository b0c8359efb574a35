"""Which MCP servers an agent could not start, in the words of each agent."""

from collections.abc import Iterator
from typing import Any

import pytest

from sidecar.subagents.runners.acp.updates.events import SessionEvents
from sidecar.subagents.runners.acp.updates.servers import ServerFailures

Json = dict[str, Any]

OPENCODE = 'time=1 level=WARN run=2d message="server unavailable" key={} type=local status={}\n'
GEMINI = "[2026] [LOG] [MCP error] Error during discovery for MCP server '{}': {}\n    at f (x.js)\n"
QWEN = "Warning: MCP server(s) failed to start: {}. Continuing with built-in tools and any others.\n"


def found(events: Iterator[Json]) -> list[Json]:
    return [event["unmet"] for event in events if "unmet" in event]


def failure(name: str, reason: str | None = None) -> Json:
    return {"kind": "mcpServer", "wanted": name, **({"reason": reason} if reason else {})}


@pytest.mark.parametrize(
    ("text", "failures"),
    [
        (OPENCODE.format("docs", "failed"), [failure("docs")]),
        (OPENCODE.format('"my docs"', "failed"), [failure("my docs")]),
        (OPENCODE.format("docs", "needs_auth"), [failure("docs", "needs authentication")]),
        (
            GEMINI.format("docs", "MCP error -32000: Connection closed _McpError: MCP error -32000"),
            [failure("docs", "MCP error -32000: Connection closed")],
        ),
        (GEMINI.format("docs", "fetch failed TypeError: fetch failed"), [failure("docs", "fetch failed")]),
        (
            "[INFO] MCP server 'docs' requires authentication using: /mcp auth docs\n",
            [failure("docs", "needs authentication")],
        ),
        (QWEN.format("docs, my docs, theirs"), [failure("docs"), failure("my docs")]),
        (OPENCODE.format("theirs", "failed"), []),
        ("the server docs is fine\n", []),
    ],
)
def test_a_line_of_a_log_names_the_servers_that_failed(text: str, failures: list[Json]) -> None:
    assert found(ServerFailures(["docs", "my docs"]).stderr(text)) == failures


def test_a_line_may_come_in_pieces_and_is_reported_once() -> None:
    servers = ServerFailures(["docs"])
    line = OPENCODE.format("docs", "failed")
    events = [event for letter in line + line for event in servers.stderr(letter)]
    assert found(iter(events)) == [failure("docs")]
    assert events[0]["text"] == "The MCP server docs does not work\n"


def test_a_cause_that_becomes_known_later_is_reported_once() -> None:
    servers = ServerFailures(["docs", "my docs"])
    logged = found(servers.stderr(OPENCODE.format("docs", "failed")))
    asked = {"docs": "it closed", "my docs": "needs_auth", "theirs": "failed"}
    assert logged + found(servers.known(asked)) + found(servers.known(asked)) == [
        failure("docs"),
        failure("docs", "it closed"),
        failure("my docs", "needs authentication"),
    ]


@pytest.mark.parametrize(
    ("words", "reason"),
    [("failed to start", None), ("needs authentication", "needs authentication")],
)
def test_a_notice_of_claude_names_a_server(words: str, reason: str | None) -> None:
    notice = {"sessionUpdate": "notice", "title": f'MCP server "my docs" {words}', "description": "See /mcp."}
    events = list(SessionEvents(servers=["my docs"]).take(notice))
    assert found(iter(events)) == [failure("my docs", reason)]
    assert "notice: MCP server" in events[0]["text"]


def begun(*tools: str, **servers: str) -> Json:
    named = [{"name": name.replace("_", " "), "status": status} for name, status in servers.items()]
    return {"type": "system", "subtype": "init", "tools": ["Bash", *tools], "mcp_servers": named}


@pytest.mark.parametrize(
    ("message", "failures"),
    [
        (begun("mcp__my_docs__echo", my_docs="connected"), []),
        (begun("mcp__other__echo", my_docs="connected"), [failure("my docs", "it lists no tools")]),
        (begun(my_docs="pending"), [failure("my docs", "it had not answered when the agent began")]),
        (begun(my_docs="needs-auth"), [failure("my docs", "needs authentication")]),
        (begun(my_docs="disabled"), [failure("my docs", "disabled")]),
        (begun(my_docs="failed"), [failure("my docs")]),
        (begun(theirs="failed"), []),
        ({"subtype": "init", "mcp_servers": [{"name": "my docs"}, 3], "tools": [None]}, []),
        ({"subtype": "init", "mcp_servers": "my docs"}, []),
        ("init", []),
    ],
)
def test_the_start_of_a_turn_in_claude_names_servers_without_tools(
    message: Any, failures: list[Json]
) -> None:
    assert found(SessionEvents(servers=["my docs"]).claude_message(message)) == failures


def test_a_server_that_claude_names_in_each_turn_is_reported_once() -> None:
    servers = ServerFailures(["docs"])
    assert (
        len([*servers.claude_message(begun(docs="failed")), *servers.claude_message(begun(docs="failed"))])
        == 1
    )


def startup(name: str) -> Json:
    text = f"[codex-acp forwarded startup error] MCP server `{name}` failed to start: it closed"
    return {
        "sessionUpdate": "tool_call",
        "toolCallId": f"mcp_startup.{name.replace(' ', '%20')}.8faae788-8e0c",
        "title": f"mcp__{name}__startup",
        "status": "failed",
        "content": [{"type": "content", "content": {"type": "text", "text": text}}],
    }


def test_a_failed_start_in_codex_does_not_count_as_a_tool_call() -> None:
    events = SessionEvents(servers=["my docs"])
    events.last_answer.count()
    logged = list(events.take(startup("my docs")))
    assert [event["type"] for event in logged] == ["log"]
    assert found(iter(logged)) == [failure("my docs", "it closed")]
    assert not events.last_answer.is_missing


def test_a_failed_start_of_the_users_own_server_in_codex_is_logged() -> None:
    (event,) = SessionEvents(servers=["docs"]).take(startup("theirs"))
    assert event["type"] == "log"
    assert "`theirs` failed to start: it closed" in event["text"]
    assert "unmet" not in event
