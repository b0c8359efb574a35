"""Calls of the sidecar's own tools, as agents name them."""

import pytest

from sidecar.subagents.permissions.policy import is_own_tool
from sidecar.subagents.permissions.question import Question

NAMES = [
    "subagent-sidecar_task",
    "mcp__subagent-sidecar__check_async_tasks",
    "mcp.subagent-sidecar.list_tasks",
    "task (subagent-sidecar MCP Server)",
]


def question(title: str, **more: object) -> Question:
    return Question(request_id="1", title=title, options=(), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", NAMES)
def test_each_agents_name_for_a_tool_is_known(name: str) -> None:
    assert is_own_tool(question(name))
    assert is_own_tool(question("anything", tool_name=name))


@pytest.mark.parametrize(
    "other",
    [
        question("task"),
        question("other_task"),
        question("subagent-sidecar_delete"),
        question(NAMES[0], tool_name="Bash"),
        question(NAMES[0], command="rm -r ."),
        question(NAMES[0], paths=("a",)),
        question(NAMES[0], url="https://example.com"),
    ],
)
def test_what_only_looks_like_one_is_not(other: Question) -> None:
    assert not is_own_tool(other)
