"""What an "always" covers, and in which words."""

from typing import Any

import pytest

from sidecar.subagents.permissions.question import Question
from sidecar.subagents.permissions.scope import Scope, scope_of

WORKSPACE = "/projects/space"


def scope(inside: tuple[str, ...] | None = None, **members: Any) -> Scope | None:
    defaults: dict[str, Any] = {"request_id": "1", "title": "Do it", "options": (), "paths": inside or ()}
    asked = Question(**defaults | members)
    return scope_of(asked, WORKSPACE, inside)


def command(**arguments: Any) -> Scope | None:
    return scope(tool_kind="execute", command="npm test", arguments=arguments)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (command(command="npm test"), "`npm test` in this workspace"),
        (command(command="npm test", cwd=WORKSPACE), "`npm test` in this workspace"),
        (command(command="npm test", workdir="sub"), "`npm test` in sub"),
        (command(command="npm test", workingDirectory="/etc"), "`npm test` in /etc"),
        (command(command="npm test", cwd=".", dirPath="/etc"), "`npm test` in /etc"),
        (scope(("src/days.py",), tool_kind="edit"), "edits to src/days.py"),
        (scope(("a", "b"), tool_kind="move"), "moving a, b"),
        (scope(("a",), tool_kind="read"), "reads in this workspace"),
        (scope(("a",), tool_kind="search"), "searches in this workspace"),
        (scope(tool_kind="fetch", url="https://example.com/a"), "requests to example.com"),
        (scope(tool_kind="fetch", url="http://example.com:81"), "requests to http://example.com:81"),
        (scope(tool_name="mcp__db__query", arguments={"sql": "1"}), "this exact call of mcp__db__query"),
    ],
)
def test_the_words_say_what_is_covered(found: Scope | None, words: str) -> None:
    assert found is not None
    assert found.words == words


@pytest.mark.parametrize(
    "found",
    [
        scope(title="bash", tool_kind="execute"),
        scope(title="mcp__db__query"),
        scope(paths=("/etc/passwd",), tool_kind="edit"),
        scope(paths=("/etc/passwd",), tool_kind="read"),
        scope(("a", "b", "c", "d"), tool_kind="edit"),
        scope(tool_kind="fetch", url="https://evil.test\\@example.com/"),
        scope(tool_kind="execute", command="x" * 5_000),
    ],
)
def test_what_cannot_be_named_exactly_has_no_scope(found: Scope | None) -> None:
    assert found is None


def test_lists_of_words_directories_and_unknown_arguments_are_part_of_a_command() -> None:
    subjects = [
        found.subject
        for found in (
            command(command="npm test"),
            command(command=["npm", "test"]),
            command(command=["npm test"]),
            command(command="npm test", cwd="/other"),
            command(command="npm test", env={"PATH": "/evil"}),
        )
        if found is not None
    ]
    assert len(set(subjects)) == 5


def test_comments_are_not_part_of_a_command() -> None:
    first = command(command="npm test", description="Test", timeout=5)
    assert first == command(description="Test again", command="npm test")


def test_an_address_in_doubt_is_covered_as_an_exact_call_only() -> None:
    url = "https://evil.test\\@example.com/"
    found = scope(tool_kind="fetch", url=url, arguments={"url": url})
    assert found is not None
    assert found.covers == "call"


def test_the_words_are_one_short_line_that_hides_nothing() -> None:
    found = scope(tool_kind="execute", command=f"git status\n\u202e{'x' * 500}; rm -rf ~")
    assert found is not None
    assert found.words.startswith("`git status\\u000a\\u202e")
    assert "; rm -rf ~`" in found.words
    assert len(found.words) < 200
