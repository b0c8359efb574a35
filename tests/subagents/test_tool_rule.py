"""Which tools a list of names gives, in anybody's words."""

import pytest

from sidecar.subagents.permission_policy import Question
from sidecar.subagents.tool_rule import ToolRule, canonical, delegated


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
    ],
)
def test_a_tool_is_given_by_its_name_its_kind_or_a_usual_name(listed: str, asked: Question) -> None:
    assert ToolRule((("other_tool", listed),)).allows(asked)


@pytest.mark.parametrize(
    ("listed", "asked"),
    [
        ("read", question("edit")),
        ("Bash(git log:*)", question("execute")),
        ("github.read", question("read")),
        ("unheard_of", question("other")),
    ],
)
def test_a_tool_that_no_name_gives_is_refused(listed: str, asked: Question) -> None:
    assert not ToolRule(((listed,),)).allows(asked)


def test_of_two_lists_both_must_give_a_tool() -> None:
    rule = ToolRule((("Read", "Bash"), ("execute", "edit")))
    assert [rule.allows(question(kind)) for kind in ("read", "edit", "execute")] == [False, False, True]
    assert rule.names == ["execute"]


def test_an_empty_list_gives_no_tool() -> None:
    rule = ToolRule((("read",), ()))
    assert (rule.allows(question("read")), rule.names) == (False, [])


def test_no_list_gives_the_tools_that_start_subagents() -> None:
    assert delegated([" read ", "", "read", "TaskTool", "functions.task", "list_subagents"]) == ["read"]
    assert canonical("api.functions.ReadFileTool") == "read_file"
