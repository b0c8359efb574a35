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
        (command(command="npm test", workdir="sub"), "`npm test` in sub (workdir)"),
        (command(command="npm test", workingDirectory="/etc"), "`npm test` in /etc (workingDirectory)"),
        (command(command="npm test", cwd=".", dirPath="/etc"), "`npm test` in /etc (dirPath)"),
        (command(command="npm test", cwd="a", dir="b"), "`npm test` in a or b (dir)"),
        (command(cmd="npm test"), "`npm test` in this workspace"),
        (command(command=["npm", "test"]), "`npm test` as separate words in this workspace"),
        (
            command(command="npm test", env={"PATH": "/evil"}),
            '`npm test` in this workspace, with {"env":{"PATH":"/evil"}}',
        ),
        (scope(("src/days.py",), tool_kind="edit"), "edits to src/days.py"),
        (scope(("a", "b"), tool_kind="move"), "moving a, b"),
        (scope(("a",), tool_kind="read"), "reads in this workspace"),
        (scope(("a",), tool_kind="search"), "searches in this workspace"),
        (scope(tool_kind="fetch", url="https://example.com/a"), "requests to example.com"),
        (scope(tool_kind="fetch", url="http://example.com:81"), "requests to http://example.com:81"),
        (
            scope(tool_name="mcp__db__query", arguments={"sql": "1"}),
            'this exact call of mcp__db__query: {"sql":"1"}',
        ),
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


def fetch(**arguments: Any) -> Scope | None:
    return scope(tool_kind="fetch", tool_name="get", url="https://example.com", arguments=arguments)


def test_a_fetch_through_a_proxy_is_covered_as_an_exact_call_only() -> None:
    plain = fetch(url="https://example.com", prompt="Sum it up", format="markdown", timeout=30)
    other = fetch(url="https://example.com", proxy="x")
    assert plain is not None
    assert (plain.covers, plain.subject) == ("host", "example.com")
    assert other is not None
    assert (other.covers, other.words) == (
        "call",
        'this exact call of get: {"proxy":"x","url":"https://example.com"}',
    )


@pytest.mark.parametrize(
    "found",
    [
        [command(command="npm test", env={"PATH": path}) for path in ("/a", "/b")],
        [command(command="npm test", cwd=cwd) for cwd in (None, "sub", f"{WORKSPACE}/sub")],
        [command(command="npm test", **{name: "sub"}) for name in ("cwd", "workdir", "dir")],
        [command(command=given) for given in ("npm test", ["npm", "test"])],
        [scope(tool_name="query", arguments={"sql": sql}) for sql in ("select 1", "drop table users")],
        [scope(tool_name="query", arguments={"sql": f"{'x' * 300}{end}{'x' * 300}"}) for end in "ab"],
        [scope(tool_kind="execute", command=f"{'x' * 300}{end}{'x' * 300}") for end in "ab"],
        [command(command="npm test", stdin=f"{'x' * 300}{end}{'x' * 300}") for end in "ab"],
        [fetch(url="https://example.com", proxy=proxy) for proxy in "xy"],
    ],
)
def test_different_scopes_read_differently(found: list[Scope | None]) -> None:
    known = [each for each in found if each is not None]
    assert len({each.subject for each in known}) == len(found)
    assert len({each.words for each in known}) == len(found)
    assert all(len(each.words) <= 200 for each in known)


def test_the_workspace_is_covered_however_a_call_names_it() -> None:
    assert (
        len({command(command="npm test", **place) for place in ({}, {"cwd": "."}, {"cwd": WORKSPACE})}) == 1
    )
