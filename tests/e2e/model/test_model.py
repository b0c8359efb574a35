"""The model's side over the wire: tools, reminders, turns."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from sidecar.rpc.errors import RpcError
from tests.e2e.conftest import Json, Sidecar


async def call(sidecar: Sidecar, tool: str, **arguments: Any) -> Json:
    answer: Json = await sidecar.request("tools/call", name=tool, arguments=arguments)
    return answer


async def test_the_three_tools_are_declared(sidecar: Sidecar) -> None:
    tools = {tool["name"]: tool for tool in (await sidecar.request("tools/list"))["tools"]}
    assert set(tools) == {"list_tasks", "task", "check_async_tasks"}
    assert tools["task"]["inputSchema"]["required"] == ["subagent_name", "goal_prompt"]
    assert tools["check_async_tasks"]["inputSchema"]["additionalProperties"] is False
    kinds = {name: tool["kind"] for name, tool in tools.items()}
    assert kinds == {"list_tasks": "read", "task": "execute", "check_async_tasks": "think"}


async def test_an_unknown_tool_is_a_bad_request(sidecar: Sidecar) -> None:
    with pytest.raises(RpcError) as caught:
        await call(sidecar, "rm")
    assert caught.value.code == -32602


async def test_a_synchronous_run_answers_with_its_result_and_is_journalled(sidecar: Sidecar) -> None:
    answer = await call(sidecar, "task", subagent_name="cat", goal_prompt="hello")
    assert '"final_message": "hello"' in answer["llmContent"]
    listed = (await sidecar.request("asyncTasks/list"))["items"]
    assert [task["id"] for task in listed] == [answer["metadata"]["agentId"]]
    assert (await call(sidecar, "check_async_tasks"))["llmContent"] == "No async tasks."
    assert (await sidecar.request("reminders/next"))["text"] == ""


async def test_a_synchronous_run_that_fails_or_times_out_says_so(sidecar: Sidecar) -> None:
    failed = await call(sidecar, "task", subagent_name="fail", goal_prompt="x")
    assert failed["error"]["type"] == "EXECUTION_FAILED"
    late = await call(sidecar, "task", subagent_name="wait", goal_prompt="x", timeout_seconds=0.3)
    assert late["error"]["type"] == "TIMEOUT"
    reasons = [task["endReason"] for task in (await sidecar.request("asyncTasks/list"))["items"]]
    assert reasons == ["timeout", "error"]


@pytest.mark.parametrize("in_background", [False, True])
async def test_an_unknown_subagent_with_a_long_name_is_cut_in_every_text(
    sidecar: Sidecar, in_background: bool
) -> None:
    options = {"async": in_background}
    answer = await call(sidecar, "task", subagent_name="x" * 100_000, goal_prompt="x", **options)
    texts = (answer["llmContent"], answer["returnDisplay"], answer["error"]["message"])
    assert max(map(len, texts)) < 1_000
    assert "no subagent is named" in answer["error"]["message"]


async def test_a_peek_shows_what_a_running_task_has_done(sidecar: Sidecar) -> None:
    launched = await call(sidecar, "task", subagent_name="wait", goal_prompt="x", **{"async": True})
    task_id = launched["metadata"]["agentId"]
    peek = await call(sidecar, "check_async_tasks", task_id=task_id)
    assert (peek["metadata"]["progress"]["turns"], peek["metadata"]["progress"]["toolCalls"]) == (0, 0)
    await sidecar.request("asyncTasks/cancel", taskId=task_id)
    await sidecar.ended(task_id)
    assert "progress" not in (await call(sidecar, "check_async_tasks", task_id=task_id))["metadata"]


@pytest.mark.parametrize("run_async", [True, False])
async def test_the_time_limit_of_a_definition_holds_for_the_tool_too(
    sidecar: Sidecar, home: Path, run_async: bool
) -> None:
    path = home / "config" / "subagent-sidecar" / "agents" / "short.md"
    path.write_text("---\nname: short\ndescription: x\nrunner: wait\ntimeoutSeconds: 0.3\n---\n")
    arguments = {"subagent_name": "short", "goal_prompt": "x", "async": run_async}
    answer = await call(sidecar, "task", **arguments)
    assert answer["metadata"]["effectiveTimeoutSeconds"] == 0.3
    (task,) = await sidecar.ended(answer["metadata"]["agentId"])
    assert (task["endReason"], task["timeoutSeconds"]) == ("timeout", 0.3)


async def test_cancelling_the_request_ends_its_synchronous_run(sidecar: Sidecar) -> None:
    request = asyncio.create_task(call(sidecar, "task", subagent_name="wait", goal_prompt="x"))
    await sidecar.until(lambda: any(change["status"] == "running" for change in sidecar.changes))
    request.cancel()
    await sidecar.until(lambda: any(change["status"] == "cancelled" for change in sidecar.changes))


async def test_an_async_run_is_launched_listed_peeked_and_cancelled_by_the_model(sidecar: Sidecar) -> None:
    launched = await call(sidecar, "task", subagent_name="wait", goal_prompt="long", **{"async": True})
    task_id = launched["metadata"]["agentId"]
    assert launched["llmContent"].endswith("You will be notified when it ends.")
    listed = await call(sidecar, "check_async_tasks")
    assert f"[{task_id[:8]}] wait - running" in listed["llmContent"]
    peek = await call(sidecar, "check_async_tasks", task_id=task_id[:10])
    assert peek["metadata"]["goalPrompt"] == "long"
    await call(sidecar, "check_async_tasks", task_id=task_id, action="cancel")
    (task,) = await sidecar.ended(task_id)
    assert task["endReason"] == "cancelledByModel"
    assert (await sidecar.request("reminders/next"))["taskIds"] == []


async def test_over_the_limit_the_tool_refuses_or_queues_as_set(sidecar: Sidecar) -> None:
    await sidecar.request("asyncTasks/setMax", max=1)
    await sidecar.launch_ready("wait")
    refused = await call(sidecar, "task", subagent_name="cat", goal_prompt="x", **{"async": True})
    assert refused["error"]["message"] == "Max async tasks (1) reached"
    await sidecar.request("settings/update", settings={"asyncTasks": {"overLimit": "queue"}})
    queued = await call(sidecar, "task", subagent_name="cat", goal_prompt="x", **{"async": True})
    assert queued["metadata"]["status"] == "queued"
    assert "queued at position 1" in queued["llmContent"]
    assert "- Queued: 1" in (await call(sidecar, "check_async_tasks"))["llmContent"]
    assert "[QUEUED]" in (await sidecar.request("reminders/status"))["text"]
    await sidecar.request("asyncTasks/cancelAll")


async def test_a_parameter_that_no_runner_supports_is_refused_by_name(sidecar: Sidecar) -> None:
    answer = await call(sidecar, "task", subagent_name="cat", goal_prompt="x", max_turns=3)
    assert answer["error"]["type"] == "PARAMETER_VALIDATION"
    assert "max_turns" in answer["llmContent"]


async def test_a_users_cancel_is_reported_to_the_model(sidecar: Sidecar) -> None:
    task_id = await sidecar.launch_ready("wait", notifyModel=True)
    await sidecar.request("asyncTasks/cancel", taskId=task_id)
    reminder = await sidecar.request("reminders/next")
    assert reminder["taskIds"] == [task_id]
    assert reminder["text"].startswith("---\nSystem Note: Async Task Status\n\n1 async task(s) completed:")
    assert '"status": "cancelled"' in reminder["text"]


async def test_a_reminder_comes_again_until_its_newest_delivery_is_acknowledged(sidecar: Sidecar) -> None:
    await sidecar.client.notify("agent/setBusy", {"busy": True})
    task_id = await sidecar.launch("cat", notifyModel=True)
    await sidecar.ended(task_id)
    first, second = await sidecar.request("reminders/next"), await sidecar.request("reminders/next")
    assert first["text"] == second["text"]
    assert first["deliveryId"] != second["deliveryId"]
    assert await sidecar.request("reminders/delivered", deliveryId=first["deliveryId"]) is None
    third = await sidecar.request("reminders/next")
    assert third["taskIds"] == [task_id]
    await sidecar.request("reminders/delivered", deliveryId=third["deliveryId"])
    assert (await sidecar.request("reminders/next"))["text"] == ""
    (item,) = (await sidecar.request("reminders/outbox"))["items"]
    assert item["state"] == "delivered"


async def test_a_model_with_little_room_gets_the_ends_in_parts(sidecar: Sidecar) -> None:
    await sidecar.client.notify("agent/setBusy", {"busy": True})
    ids = [await sidecar.launch("cat", "x" * 2_000, notifyModel=True) for _ in range(3)]
    for task_id in ids:
        await sidecar.ended(task_id)
    reported: list[str] = []
    for left in (2, 1, 0):
        reminder = await sidecar.request("reminders/next", maxChars=1)
        assert len(reminder["text"]) < 500
        assert (f"{left} more ended async task(s) will be reported next." in reminder["text"]) is (left > 0)
        await sidecar.request("reminders/delivered", deliveryId=reminder["deliveryId"])
        reported += reminder["taskIds"]
    assert sorted(reported) == sorted(ids)
    assert (await sidecar.request("reminders/next"))["text"] == ""


async def test_a_reminder_without_room_is_refused(sidecar: Sidecar) -> None:
    with pytest.raises(RpcError, match="maxChars"):
        await sidecar.request("reminders/next", maxChars=0)


async def test_an_end_starts_a_turn_when_the_agent_is_idle(sidecar: Sidecar) -> None:
    turns: asyncio.Queue[Json] = asyncio.Queue()

    async def take(params: Any) -> dict[str, bool]:
        turns.put_nowait(params)
        return {"accepted": True}

    sidecar.client.on_request("agent/triggerTurn", take)
    await sidecar.client.notify("agent/setBusy", {"busy": True})
    task_id = await sidecar.launch("cat", notifyModel=True)
    await sidecar.ended(task_id)
    assert turns.empty()
    await sidecar.client.notify("agent/setBusy", {"busy": False})
    turn = await asyncio.wait_for(turns.get(), 10)
    assert turn["taskIds"] == [task_id]
    assert turn["message"].startswith("---\nSystem Note")
    await sidecar.request("health")
    assert (await sidecar.request("reminders/next"))["taskIds"] == []


async def test_list_tasks_shows_the_runs(sidecar: Sidecar) -> None:
    await sidecar.ended(await sidecar.launch("cat", "write the report"))
    answer = await call(sidecar, "list_tasks", filter="report")
    assert "### Task: write the report (" in answer["llmContent"]
    assert (
        'No tasks found matching filter "zzz"'
        in (await call(sidecar, "list_tasks", filter="zzz"))["llmContent"]
    )


async def test_the_result_of_a_synchronous_run_is_cut_to_fit(sidecar: Sidecar) -> None:
    await sidecar.request("settings/update", settings={"tools": {"maxChars": 2_000}})
    answer = await call(sidecar, "task", subagent_name="cat", goal_prompt="x" * 10_000)
    assert len(answer["llmContent"]) < 2_300
    assert "more characters]" in answer["llmContent"]
    assert len(answer["metadata"]["finalMessage"]) < 2_000
