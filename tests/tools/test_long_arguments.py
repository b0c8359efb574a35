"""Errors of the tools repeat only the beginning of what a model sent."""

from collections.abc import Mapping
from typing import Any

import pytest

from sidecar.subagents.tasks.manager import AsyncTaskManager
from sidecar.tools.arguments import BadArgument, quoted
from sidecar.tools.check_async_tasks import CheckAsyncTasksTool
from sidecar.tools.check_params import parse as parse_check
from sidecar.tools.task_params import parse as parse_task

LONG = "x" * 100_000
RUN = {"subagent_name": "scout", "goal_prompt": "look"}


@pytest.mark.parametrize(
    "arguments", [{LONG: 1}, {"action": LONG}, {"scope": LONG}, {"action": "wait", "mode": LONG}]
)
def test_an_invalid_argument_of_check_async_tasks_is_cut(arguments: Mapping[str, Any]) -> None:
    with pytest.raises(BadArgument, match="…") as failure:
        parse_check(arguments)
    assert len(str(failure.value)) < 500


@pytest.mark.parametrize("arguments", [{**RUN, LONG: 1}, {**RUN, "expected_outputs": {LONG: 1}}])
def test_an_invalid_argument_of_task_is_cut(arguments: Mapping[str, Any]) -> None:
    with pytest.raises(BadArgument, match="…") as failure:
        parse_task(arguments)
    assert len(str(failure.value)) < 1_000


@pytest.mark.asyncio
async def test_an_unknown_task_id_is_cut_in_every_text() -> None:
    result = await CheckAsyncTasksTool(AsyncTaskManager()).execute({"task_id": LONG})
    assert result.error is not None
    assert max(map(len, (result.llm_content, result.return_display, result.error.message))) < 500


def test_a_short_value_is_whole() -> None:
    assert quoted("scout") == "'scout'"
