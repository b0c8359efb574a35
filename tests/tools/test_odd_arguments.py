"""No argument makes a tool raise, whatever a model or a program gives it."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.api.stored.tasks import ListResult, Rules, TaskInfo
from sidecar.history.listing.selection import ListQuery
from sidecar.subagents import AsyncTaskManager
from sidecar.tools import CheckAsyncTasksTool, ListTasksTool, TaskTool
from sidecar.tools.result import ToolResult


class NoTasks:
    """A history without a task."""

    def list(
        self, filter: str | None = None, rules: Rules = "structural", query: str | None = None
    ) -> Sequence[TaskInfo]:
        return []

    def page(self, query: ListQuery) -> ListResult:
        return ListResult(items=[], total=0, matched=0, counts={}, revision=0)


class Odd:
    """A value that no JSON has."""


def no_orchestrator() -> Any:
    raise RuntimeError("nothing is launched here")


Tool = ListTasksTool | TaskTool | CheckAsyncTasksTool
TOOLS: list[Tool] = [
    ListTasksTool(NoTasks()),
    TaskTool(no_orchestrator, AsyncTaskManager),
    CheckAsyncTasksTool(AsyncTaskManager()),
]
NAMES = sorted({name for tool in TOOLS for name in tool.parameter_schema["properties"]})

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**400, -(10**400), 2**63])
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["list", "peek", "cancel", "\ud800", ""])
    | st.binary(max_size=5)
    | st.builds(Odd)
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=5) | st.integers() | st.none(), inner, max_size=4)
    ),
    max_leaves=10,
)
one_odd = st.builds(
    lambda name, value: {"subagent_name": "scout", "goal_prompt": "look", name: value},
    st.sampled_from(NAMES),
    scalars | values,
)
arguments = values | st.dictionaries(st.sampled_from(NAMES), values, max_size=5) | one_odd


def answer(tool: Tool, given: Any) -> ToolResult:
    return asyncio.run(tool.execute(given))


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
@settings(max_examples=200, deadline=None)
@given(given=arguments)
def test_any_value_is_answered_and_described(tool: Tool, given: Any) -> None:
    result = answer(tool, given)
    assert isinstance(result.llm_content, str)
    assert result.error is None or result.error.type in ("PARAMETER_VALIDATION", "EXECUTION_FAILED")
    assert len(tool.describe(given)) > 0


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
@pytest.mark.parametrize("given", ["x", None, [], 5, True, Odd()], ids=lambda given: type(given).__name__)
def test_what_is_no_object_is_refused(tool: Tool, given: Any) -> None:
    result = answer(tool, given)
    assert result.error is not None
    assert result.error.type == "PARAMETER_VALIDATION"
    assert "must be an object" in result.error.message
