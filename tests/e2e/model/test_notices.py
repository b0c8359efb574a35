"""Whose ends the model hears of, and that nothing piles up for those that concern nobody."""

import asyncio
from typing import Any

import pytest

from sidecar.rpc.errors import METHOD_NOT_FOUND, RpcError
from tests.e2e.conftest import Json, Sidecar, Start

LIMIT = 5


async def call(sidecar: Sidecar, tool: str, **arguments: Any) -> Json:
    answer: Json = await sidecar.request("tools/call", name=tool, arguments=arguments)
    return answer


async def outbox(sidecar: Sidecar) -> dict[str, str]:
    return {item["taskId"]: item["state"] for item in (await sidecar.request("reminders/outbox"))["items"]}


def count_turns(sidecar: Sidecar) -> list[Json]:
    """Have every turn refused as by a client that does not know the method; return the requests."""
    turns: list[Json] = []

    async def refuse(params: Any) -> Json:
        turns.append(params)
        raise RpcError(METHOD_NOT_FOUND, "unknown method agent/triggerTurn")

    sidecar.client.on_request("agent/triggerTurn", refuse)
    return turns


async def test_the_end_of_a_client_s_own_run_is_not_a_reminder(sidecar: Sidecar) -> None:
    turns = count_turns(sidecar)
    task_id = await sidecar.launch("cat")
    (task,) = await sidecar.ended(task_id)
    assert task["notifiedAt"] == task["completedAt"]
    assert (await sidecar.request("reminders/next"))["text"] == ""
    assert await outbox(sidecar) == {task_id: "none"}
    cancelled = await sidecar.launch_ready("wait")
    await sidecar.request("asyncTasks/cancel", taskId=cancelled)
    assert (await sidecar.request("reminders/next"))["text"] == ""
    assert turns == []


async def test_the_end_of_what_the_model_launched_is_pending_until_it_is_delivered(sidecar: Sidecar) -> None:
    await sidecar.client.notify("agent/setBusy", {"busy": True})
    launched = await call(sidecar, "task", subagent_name="cat", goal_prompt="hi", **{"async": True})
    task_id = launched["metadata"]["agentId"]
    (task,) = await sidecar.ended(task_id)
    assert "notifiedAt" not in task
    assert await outbox(sidecar) == {task_id: "pending"}
    reminder = await sidecar.request("reminders/next")
    assert reminder["taskIds"] == [task_id]


@pytest.mark.parametrize(
    ("first", "chosen", "expected"),
    [(True, None, True), (False, None, False), (True, False, False), (False, True, True)],
)
async def test_a_resumed_run_keeps_the_choice_or_takes_its_own(
    sidecar: Sidecar, first: bool, chosen: bool | None, expected: bool
) -> None:
    await sidecar.client.notify("agent/setBusy", {"busy": True})
    ended = await sidecar.launch("cat", notifyModel=first)
    await sidecar.ended(ended)
    choice = {} if chosen is None else {"notifyModel": chosen}
    resumed = await sidecar.request("asyncTasks/resume", taskId=ended, **choice)
    await sidecar.ended(resumed["task"]["id"])
    assert (resumed["task"]["id"] in (await sidecar.request("reminders/next"))["taskIds"]) is expected


async def test_a_client_that_takes_no_turns_is_asked_once(sidecar: Sidecar) -> None:
    turns = count_turns(sidecar)
    first = await sidecar.launch("cat", notifyModel=True)
    await sidecar.ended(first)
    # The reminder is free as soon as the turn is refused: until then it waits for the answer.
    async with asyncio.timeout(20):
        while (await sidecar.request("reminders/next"))["taskIds"] != [first]:
            pass
    second = await sidecar.launch("cat", notifyModel=True)
    await sidecar.ended(second)
    await sidecar.client.notify("agent/setBusy", {"busy": True})
    await sidecar.client.notify("agent/setBusy", {"busy": False})
    assert (await sidecar.request("reminders/next"))["taskIds"] == [first, second]
    assert len(turns) == 1


@pytest.mark.slow
async def test_the_lists_of_a_client_that_takes_no_turns_do_not_grow(start: Start) -> None:
    for _ in range(2):
        sidecar = await start()
        count_turns(sidecar)
        ids = [await sidecar.launch("cat", overLimit="queue") for _ in range(3 * LIMIT)]
        await sidecar.ended(*ids)
        listed = await call(sidecar, "check_async_tasks")
        assert listed["metadata"]["count"] == 2 * LIMIT
        assert await sidecar.shut_down() == 0
    again = await start()
    assert (await call(again, "check_async_tasks"))["metadata"]["count"] == 0


async def test_a_launch_out_of_the_queue_that_fails_is_reported(sidecar: Sidecar) -> None:
    await sidecar.client.notify("agent/setBusy", {"busy": True})
    await sidecar.request("asyncTasks/setMax", max=0)
    await sidecar.request("settings/update", settings={"asyncTasks": {"overLimit": "queue"}})
    queued = await call(sidecar, "task", subagent_name="cat", goal_prompt="x", **{"async": True})
    task_id = queued["metadata"]["agentId"]
    tasks = sidecar.root / "tasks"
    tasks.write_text("in the way")
    await sidecar.request("asyncTasks/setMax", max=1)
    (task,) = await sidecar.ended(task_id)
    assert task["status"] == "failed"
    assert (await sidecar.request("reminders/next"))["taskIds"] == [task_id]
    tasks.unlink()
