"""`check_async_tasks` waits for ends, sends messages, and keeps to its scope."""

import asyncio
import math
from typing import Any

import pytest

from sidecar.api.errors import InvalidState
from sidecar.subagents import AsyncTaskManager
from sidecar.tools import CheckAsyncTasksTool

OUTPUT = {"terminate_reason": "GOAL", "emitted_vars": {}}


@pytest.fixture
def manager() -> AsyncTaskManager:
    manager = AsyncTaskManager(5)
    for id in ("aaaa", "bbbb"):
        manager.register_task(id=id, subagent_name="scout", goal_prompt="look", abort=lambda: None)
    return manager


async def test_waiting_without_running_tasks_answers_at_once() -> None:
    result = await CheckAsyncTasksTool(AsyncTaskManager()).execute({"action": "wait", "timeout_seconds": 300})
    assert result.llm_content == "No async tasks are running."
    assert result.metadata == {"ended": [], "pending": [], "timedOut": False}


@pytest.mark.parametrize(
    ("mode", "ends", "ended"), [("any", ["aaaa"], ["aaaa"]), ("all", ["aaaa", "bbbb"], ["aaaa", "bbbb"])]
)
async def test_waiting_ends_with_any_or_all_tasks(
    manager: AsyncTaskManager, mode: str, ends: list[str], ended: list[str]
) -> None:
    tool = CheckAsyncTasksTool(manager)
    waiting = asyncio.create_task(tool.execute({"action": "wait", "mode": mode}))
    for id in ends:
        await asyncio.sleep(0)
        assert not waiting.done()
        manager.complete_task(id, OUTPUT)
    result = await waiting
    assert result.metadata is not None
    assert result.metadata["ended"] == ended
    assert result.metadata["timedOut"] is False
    assert "[OK] [aaaa] scout - completed" in result.llm_content


async def test_waiting_stops_after_its_timeout_and_cancels_nothing(manager: AsyncTaskManager) -> None:
    arguments = {"action": "wait", "task_ids": ["aa", "bb"], "mode": "all", "timeout_seconds": 0}
    result = await CheckAsyncTasksTool(manager).execute(arguments)
    assert result.llm_content.startswith("Stopped waiting after 0s: 0 of 2 task(s) ended.")
    assert len(manager.get_running_tasks()) == 2


async def test_a_cancelled_wait_cancels_no_task(manager: AsyncTaskManager) -> None:
    waiting = asyncio.create_task(CheckAsyncTasksTool(manager).execute({"action": "wait"}))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert len(manager.get_running_tasks()) == 2


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"action": "wait", "timeout_seconds": 301}, "'timeout_seconds' must be from 0 to 300"),
        ({"action": "wait", "timeout_seconds": True}, "'timeout_seconds' must be a number"),
        ({"action": "wait", "timeout_seconds": math.nan}, "'timeout_seconds' must be a number"),
        ({"action": "wait", "timeout_seconds": 10**309}, "'timeout_seconds' must be from 0 to 300"),
        ({"action": "wait", "mode": "some"}, "'mode' must be one of any, all"),
        ({"action": "wait", "task_ids": "a"}, "'task_ids' must be a list"),
        ({"scope": "world"}, "'scope' must be one of workspace, all"),
        ({"action": "send", "task_id": "aaaa", "message": 5}, "'message' must be a string"),
        ({"action": "send", "task_id": "aaaa", "message": " "}, "a message that is not blank"),
        ({"action": "send", "message": "x"}, "provide a task_id"),
        ({"action": "wait", "task_ids": ["nosuch"]}, "No async task found"),
    ],
)
async def test_bad_arguments_are_refused_by_name(
    manager: AsyncTaskManager, arguments: dict[str, Any], named: str
) -> None:
    result = await CheckAsyncTasksTool(manager).execute(arguments)
    assert result.error is not None
    assert result.error.type == "PARAMETER_VALIDATION"
    assert named in result.llm_content


async def test_a_message_is_sent_to_the_task_with_this_prefix(manager: AsyncTaskManager) -> None:
    sent: list[tuple[str, str]] = []

    async def send(task_id: str, text: str) -> None:
        if task_id == "bbbb":
            raise InvalidState("task bbbb cannot receive messages", taskId=task_id, status="running")
        sent.append((task_id, text))

    tool = CheckAsyncTasksTool(manager, send=send)
    result = await tool.execute({"action": "send", "task_id": "aa", "message": "hurry"})
    assert sent == [("aaaa", "hurry")]
    assert result.llm_content.startswith("Message sent to task aaaa.")
    refused = await tool.execute({"action": "send", "task_id": "bb", "message": "hurry"})
    assert refused.error is not None
    assert refused.error.message == "task bbbb cannot receive messages"


@pytest.mark.parametrize("action", ["peek", "cancel", "wait", "send"])
async def test_a_task_out_of_scope_is_unknown_unless_all_are_asked_for(
    manager: AsyncTaskManager, action: str
) -> None:
    tool = CheckAsyncTasksTool(manager, sees=lambda task_id: task_id == "aaaa")
    arguments = {"action": action, "task_id": "bbbb", "message": "x", "timeout_seconds": 0}
    assert (await tool.execute(arguments)).llm_content == "No async task found with ID or prefix 'bbbb'."
    assert "bbbb" not in (await tool.execute({})).llm_content
    assert "bbbb" in (await tool.execute({"scope": "all"})).llm_content
    widened = await tool.execute({**arguments, "scope": "all"})
    assert "No async task found" not in widened.llm_content
