"""Limits that the settings put on runs, besides their number and their time."""

from typing import Any

import pytest

from sidecar.rpc.errors import RpcError
from tests.e2e.conftest import Sidecar, Start

COSTLY = """printf '{"type":"usage","inputTokens":70,"outputTokens":7,"cost":0.5}\\n'; exec sleep 600"""


async def update(sidecar: Sidecar, **settings: Any) -> None:
    await sidecar.request("settings/update", settings=settings)


async def test_a_run_that_reports_its_work_and_stops_writing_is_stopped(sidecar: Sidecar) -> None:
    await update(sidecar, asyncTasks={"inactivityTimeoutSeconds": 0.4})
    silent, plain = await sidecar.launch("events", "echo half; exec sleep 600"), await sidecar.launch("wait")
    (task,) = await sidecar.ended(silent)
    assert (task["status"], task["endReason"]) == ("failed", "inactivity")
    assert "asyncTasks.inactivityTimeoutSeconds" in task["error"]
    assert task["partial"]["final_message"] == "half"
    assert (await sidecar.task(plain))["status"] == "running"


async def test_minus_one_lets_a_run_be_silent(sidecar: Sidecar) -> None:
    await update(sidecar, asyncTasks={"inactivityTimeoutSeconds": -1})
    (task,) = await sidecar.ended(await sidecar.launch("events", "sleep 0.3; echo late"))
    assert task["output"]["final_message"] == "late"


@pytest.mark.parametrize("budget", [{"perTaskCost": 0.1}, {"perTaskTokens": 76}, {"perDayCost": 0.4}])
async def test_a_run_over_its_budget_is_stopped(sidecar: Sidecar, budget: dict[str, float]) -> None:
    await update(sidecar, budget=budget)
    (task,) = await sidecar.ended(await sidecar.launch("events", COSTLY))
    assert (task["status"], task["endReason"]) == ("failed", "budget")
    assert f"budget.{next(iter(budget))}" in task["error"]


@pytest.mark.slow
async def test_a_day_without_budget_left_refuses_launches_even_after_a_restart(
    sidecar: Sidecar, start: Start
) -> None:
    await update(sidecar, budget={"perTaskCost": 0.1})
    await sidecar.ended(await sidecar.launch("events", COSTLY))
    await sidecar.shut_down()
    again = await start()
    await update(again, budget={"perDayTokens": 77})
    with pytest.raises(RpcError, match=r"budget\.perDayTokens is 77") as caught:
        await again.launch("cat")
    assert caught.value.code == -32014


async def test_a_limit_of_a_synchronous_run_is_reported_to_its_caller(sidecar: Sidecar) -> None:
    await update(sidecar, budget={"perTaskCost": 0.1})
    arguments = {"subagent_name": "events", "goal_prompt": COSTLY}
    answer = await sidecar.request("tools/call", name="task", arguments=arguments)
    assert answer["error"]["type"] == "EXECUTION_FAILED"
    assert "budget.perTaskCost" in answer["llmContent"]
    assert (await sidecar.request("asyncTasks/list"))["items"][0]["endReason"] == "budget"


async def test_a_full_runner_refuses_or_queues_and_holds_up_no_other(sidecar: Sidecar) -> None:
    await update(sidecar, asyncTasks={"perRunnerMax": {"wait": 1}})
    first = await sidecar.launch("wait")
    with pytest.raises(RpcError, match="Runner 'wait'") as caught:
        await sidecar.launch("wait")
    assert (caught.value.code, caught.value.data) == (-32012, {"running": 1, "max": 1})
    arguments = {"subagent_name": "wait", "goal_prompt": "x", "async": True}
    answer = await sidecar.request("tools/call", name="task", arguments=arguments)
    assert "Runner 'wait'" in answer["error"]["message"]
    queued = await sidecar.launch("wait", overLimit="queue")
    await sidecar.ended(await sidecar.launch("cat", overLimit="queue"))
    assert (await sidecar.task(queued))["status"] == "queued"
    await sidecar.request("asyncTasks/cancel", taskId=first)
    await sidecar.until(lambda: any(c["id"] == queued and c["status"] == "running" for c in sidecar.changes))


async def test_a_higher_limit_lets_what_waits_start_at_once(sidecar: Sidecar) -> None:
    await update(sidecar, asyncTasks={"perRunnerMax": {"cat": 0}})
    queued = await sidecar.launch("cat", overLimit="queue")
    await update(sidecar, asyncTasks={"perRunnerMax": {"cat": 1}})
    assert [task["status"] for task in await sidecar.ended(queued)] == ["completed"]
