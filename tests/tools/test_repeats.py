"""A model that asks the same again learns that nothing has changed."""

import pytest

from sidecar.subagents import AsyncTaskManager
from sidecar.tools import CheckAsyncTasksTool
from sidecar.tools.repeats import Repeats


@pytest.fixture
def time() -> list[int]:
    return [1_000_000]


@pytest.fixture
def manager(time: list[int]) -> AsyncTaskManager:
    manager = AsyncTaskManager(5, now=lambda: time[0])
    manager.register_task(id="aaaa", subagent_name="scout", goal_prompt="look", abort=lambda: None)
    return manager


@pytest.fixture
def tool(manager: AsyncTaskManager) -> CheckAsyncTasksTool:
    return CheckAsyncTasksTool(manager, repeats=Repeats())


@pytest.mark.parametrize(
    ("arguments", "following"),
    [
        ({}, 'a task ends or starts; to wait for an end, use action "wait".'),
        ({"task_id": "aa"}, 'the task makes progress or ends; to wait for its end, use action "wait".'),
    ],
)
async def test_a_repeated_question_is_answered_in_one_line_for_five_seconds(
    tool: CheckAsyncTasksTool, time: list[int], arguments: dict[str, str], following: str
) -> None:
    whole = await tool.execute(arguments)
    time[0] += 4_999
    again = await tool.execute(arguments)
    assert again.llm_content == f"Unchanged since the same question 4s ago. It changes next when {following}"
    assert again.metadata is not None
    assert again.metadata["unchanged"] is True
    time[0] += 1
    assert len((await tool.execute(arguments)).llm_content) > len(whole.llm_content) // 2
    assert "Unchanged" not in (await tool.execute({"action": "peek", "task_id": "a"})).llm_content


@pytest.mark.parametrize(
    ("arguments", "following"),
    [({}, "It changes next when a task is launched."), ({"task_id": "aa"}, "so this is final.")],
)
async def test_a_change_makes_the_answer_whole_again(
    tool: CheckAsyncTasksTool, manager: AsyncTaskManager, arguments: dict[str, str], following: str
) -> None:
    await tool.execute(arguments)
    manager.complete_task("aaaa", {"terminate_reason": "GOAL", "emitted_vars": {}})
    assert "Unchanged" not in (await tool.execute(arguments)).llm_content
    assert (await tool.execute(arguments)).llm_content.endswith(following)


async def test_another_question_is_not_a_repeated_one(tool: CheckAsyncTasksTool) -> None:
    for arguments in ({}, {"scope": "all"}, {"task_id": "a"}, {"task_id": "aa"}):
        assert "Unchanged" not in (await tool.execute(arguments)).llm_content


async def test_without_a_memory_every_answer_is_whole(manager: AsyncTaskManager) -> None:
    tool = CheckAsyncTasksTool(manager)
    assert (await tool.execute({})).llm_content == (await tool.execute({})).llm_content
