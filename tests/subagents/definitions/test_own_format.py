import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.subagents.definitions import Definition
from sidecar.subagents.definitions.parsing import MAX_BYTES, parse_definition

WHOLE = b"""---
name: code-reviewer
description: Reads the diff
runner: claude
model: "1.5"
tools: [read, grep]
maxTurns: 12
timeoutSeconds: 90.5
isolation: worktree
---

You review.

---
Be kind.
"""


def made(extra: str, *, name: str = "a", description: str = "d") -> bytes:
    return f"---\nname: {name}\ndescription: {description}\n{extra}\n---\nBody\n".encode()


def problems(data: bytes) -> list[tuple[int | None, str]]:
    definition, problems = parse_definition(data, "agents/x.md")
    assert definition is None
    assert {problem.path for problem in problems} == {"agents/x.md"}
    return [(problem.line, problem.message) for problem in problems]


@pytest.mark.parametrize("data", [WHOLE, WHOLE.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + WHOLE])
def test_every_member_is_read(data: bytes) -> None:
    definition, problems = parse_definition(data, "x.md")
    assert problems == []
    assert definition == Definition(
        name="code-reviewer",
        description="Reads the diff",
        runner="claude",
        model="1.5",
        tools=("read", "grep"),
        max_turns=12,
        timeout_seconds=90.5,
        isolation="worktree",
        system_prompt="You review.\n\n---\nBe kind.",
    )


def test_what_a_file_does_not_say_is_unknown() -> None:
    definition, _ = parse_definition(b"---\nname: a\ndescription: d\n---", "x.md")
    assert definition == Definition(name="a", description="d", system_prompt="")


def test_tools_may_be_on_one_line() -> None:
    definition, _ = parse_definition(made("tools: Read, Grep"), "x.md")
    assert definition is not None
    assert definition.tools == ("Read", "Grep")


def test_an_unknown_key_is_reported_and_ignored() -> None:
    definition, (problem,) = parse_definition(made("maxturns: 3"), "x.md")
    assert definition is not None
    assert definition.max_turns is None
    assert (problem.line, problem.message[:22]) == (4, "unknown key 'maxturns'")
    assert "maxTurns" in problem.message


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ("maxTurns: 0", "maxTurns: expected a whole number of at least 1, or -1"),
        ("maxTurns: true", "maxTurns: expected a whole number"),
        ("maxTurns: 1.5", "maxTurns: expected a whole number"),
        ("timeoutSeconds: .nan", "timeoutSeconds: expected a number of seconds above 0"),
        ("timeoutSeconds: -2", "timeoutSeconds: expected a number of seconds above 0"),
        ("isolation: container", "isolation: expected none or worktree"),
        ("isolation: [none]", "isolation: expected none or worktree"),
        ("tools: 3", "tools: expected a list of names, got a number"),
        ("tools: [1]", "tools: expected text, got a number"),
        ("tools: {a: b}", "tools: expected a list of names, got a table"),
        ("tools: [{a: b}]", "tools: expected a plain value or a list"),
        ("model: 4", "model: expected text, got a number; put it in quotes"),
        ("runner: ' '", "runner: must not be blank"),
        ("name: twice", "name is given twice"),
        ("model: 2024-99-99", "model: "),
        ("model: !!python/name:os.system x", "model: cannot be read as a YAML value"),
        ("model: [", "not YAML: "),
        ("\tmodel: x", "not YAML: "),
    ],
)
def test_a_problem_is_reported_with_its_line_and_nothing_is_taken(extra: str, message: str) -> None:
    ((line, text),) = problems(made(extra))
    assert line == 4
    assert text.startswith(message)


@pytest.mark.parametrize(
    "name", ["a b", "-x", ".hidden", "a/b", "ä", "x" * 65, "''", "12", "true", "a\\u0007"]
)
def test_a_name_that_cannot_be_typed_is_refused(name: str) -> None:
    ((line, text),) = problems(made("", name=name))
    assert line == 2
    assert text.startswith("name: expected 1 to 64 letters, digits, '-', '_' or '.'")


@pytest.mark.parametrize("name", ["a", "A-1_b.c", "x" * 64, "3d"])
def test_ordinary_names_are_taken(name: str) -> None:
    definition, _ = parse_definition(made("", name=name), "x.md")
    assert definition is not None
    assert definition.name == name


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"", 1, "no front matter"),
        (b"# Title\n---\nname: a\n---\n", 1, "no front matter"),
        (b"---\nname: a\n", 1, "no front matter"),
        (b"---\n---\n", 1, "name is missing"),
        (b"---\n- a\n---\n", 2, "the front matter is not a list of `key: value`"),
        (b"---\nname: a\n---\n", 1, "description is missing"),
        (b"---\nname: a\ndescription: \xff\n---\n", 3, "not UTF-8"),
        (b"x" * (MAX_BYTES + 1), None, "the file is larger than 256 KiB"),
        (b"---\nname: " + b"[" * 16_000 + b"\n---\n", None, "unreadable YAML"),
        (b"---\nname: " + b"[" * 50_000 + b"\n---\n", 1, "the front matter is larger than 16 KiB"),
    ],
)
def test_a_file_that_is_not_a_definition_is_explained(data: bytes, line: int | None, message: str) -> None:
    found = problems(data)[0]
    assert found[0] == line
    assert found[1].startswith(message)


@given(st.binary(max_size=60), st.integers(0, len(WHOLE)), st.integers(0, len(WHOLE)))
def test_any_bytes_give_a_definition_or_a_reason(noise: bytes, start: int, end: int) -> None:
    definition, problems = parse_definition(WHOLE[:start] + noise + WHOLE[end:], "x.md")
    assert definition is not None or problems
