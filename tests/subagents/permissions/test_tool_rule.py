"""Which tools a list of names gives, in anybody's words."""

from pathlib import Path

import pytest

from sidecar.subagents.permissions.question import Question
from sidecar.subagents.permissions.tool_rule import ToolRule, canonical, delegated, first_problem, problem

WORKSPACE = Path("/projects/space")


def question(kind: str = "other", name: str | None = None, title: str = "Do it") -> Question:
    return Question(request_id="1", title=title, options=(), tool_kind=kind, tool_name=name)


@pytest.mark.parametrize(
    ("listed", "asked"),
    [
        ("read", question("read")),
        ("ReadFileTool", question("read")),
        ("functions.Bash", question("execute")),
        ("Write", question("edit", title="Write a.txt")),
        ("mcp__tasks__list_tasks", question(name="mcp__tasks__list_tasks")),
        ("list_tasks", question(title="list_tasks")),
        ("*", question("execute")),
        ("mcp__tasks__*", question(name="mcp__tasks__list_tasks")),
        ("run_tests", question("execute", name="run_tests")),
        ("glob", question("read", name="glob")),
    ],
)
def test_a_tool_is_given_by_its_name_its_kind_or_a_usual_name(listed: str, asked: Question) -> None:
    assert ToolRule((("other_tool", listed),)).allows(asked, WORKSPACE)


@pytest.mark.parametrize(
    ("listed", "asked"),
    [
        ("read", question("edit")),
        ("Bash(git log:*)", question("execute")),
        ("github.read", question("read")),
        ("unheard_of", question("other")),
        ("mcp__tasks__*", question("execute", title="mcp__tasks__x; rm -r ~")),
        ("Read", question("execute", title="Read")),
        ("Grep", question("execute", title="grep")),
        ("Read", question("edit", title="read_file")),
        ("mcp__tasks__*", question("delete", title="mcp__tasks__x")),
        ("list_tasks", question(name="rm", title="list_tasks")),
        ("Read", question("execute", name="Read")),
        ("read_file", question("fetch", name="read_file")),
    ],
)
def test_a_tool_that_no_name_gives_is_refused(listed: str, asked: Question) -> None:
    assert not ToolRule(((listed,),)).allows(asked, WORKSPACE)


def test_of_two_lists_both_must_give_a_tool() -> None:
    rule = ToolRule((("Read", "Bash"), ("execute", "edit")))
    assert [rule.allows(question(kind), WORKSPACE) for kind in ("read", "edit", "execute")] == [
        False,
        False,
        True,
    ]
    assert rule.names == ["execute"]


def test_an_empty_list_gives_no_tool() -> None:
    rule = ToolRule((("read",), ()))
    assert (rule.allows(question("read"), WORKSPACE), rule.names) == (False, [])


def test_no_list_gives_the_tools_that_start_subagents() -> None:
    assert delegated(
        [" read ", "", "read", "TaskTool", "functions.task", "Agent(a, b)", "list_subagents"]
    ) == ["read"]
    assert canonical("api.functions.ReadFileTool") == "read_file"


def test_of_a_tool_that_is_limited_each_list_says_which_calls() -> None:
    rule = ToolRule((("Bash(git:*)", "Bash(ls)"), ("Bash(git log:*)", "Bash(ls)")))
    lines = ["git log -3", "git push", "ls", "ls && git log", "rm x"]
    assert [rule.allows(command(line), WORKSPACE) for line in lines] == [True, False, True, True, False]


def test_a_tool_that_one_entry_limits_and_another_gives_is_given() -> None:
    assert ToolRule((("Bash(git:*)", "execute"),)).allows(command("rm x"), WORKSPACE)


@pytest.mark.parametrize(
    ("lists", "names"),
    [
        ((("Bash(git:*)", "Read"), ("Bash", "edit")), ["Bash(git:*)"]),
        ((("Bash", "Read"), ("execute(git:*)",)), ["execute(git:*)"]),
        ((("Bash(git:*)", "Bash"), ("shell",)), ["shell"]),
    ],
)
def test_the_names_tell_the_narrower_of_two_lists(
    lists: tuple[tuple[str, ...], ...], names: list[str]
) -> None:
    assert ToolRule(lists).names == names


def test_a_limited_tool_is_none_that_is_given_without_a_question() -> None:
    rule = ToolRule((("Read(src/**)", "Grep", "Glob(*)"),))
    assert [rule.gives(name) for name in ("read", "grep", "glob", "bash")] == [False, True, True, False]


@pytest.mark.parametrize(
    "name", ["Read", "Bash(git:*)", "Bash()", "Edit(src/**)", "Agent(a, b)", "mcp__a__*"]
)
def test_valid_names(name: str) -> None:
    assert problem(name) is None


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("WebFetch(https://a.example)", "domain:HOST"),
        ("WebFetch(domain:)", "domain:HOST"),
        ("Read(!secret)", "begin with !"),
        ("Skill(deploy)", "only tools that run commands"),
    ],
)
def test_invalid_parentheses_are_reported(name: str, words: str) -> None:
    assert words in (problem(name) or "")


def command(line: str) -> Question:
    return Question(request_id="1", title="Run", options=(), tool_kind="execute", command=line)


def test_a_title_does_not_pass_a_list_whose_other_tool_is_limited() -> None:
    asked = Question(request_id="1", title="Read", options=(), tool_kind="execute", command="rm -rf ~")
    assert not ToolRule((("Bash(git status)", "Read"),)).allows(asked, WORKSPACE)


def test_a_list_of_too_many_tools_is_refused() -> None:
    assert "at most 200" in (first_problem(f"tool_{number}" for number in range(201)) or "")
