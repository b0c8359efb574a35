"""What the tool `task` says before it answers."""

import asyncio
from typing import Any

import pytest

from sidecar.rpc.errors import RpcError
from tests.e2e.conftest import Json, Sidecar

STREAM = """i=0; while [ $i -lt 300 ]; do echo '{"type":"message","text":"line '$i' "}'; i=$((i+1)); done"""


class Reports:
    """The progress of one token."""

    def __init__(self, sidecar: Sidecar, token: str | int) -> None:
        self.token = token
        self.values: list[Json] = []
        self._sidecar = sidecar
        self._came = asyncio.Event()
        sidecar.client.on_notification("$/progress", self._take)

    def _take(self, params: Any) -> None:
        assert params["token"] == self.token
        self.values.append(params["value"])
        self._came.set()

    @property
    def text(self) -> str:
        return "".join(value["message"] for value in self.values)

    async def until(self, part: str) -> None:
        async with asyncio.timeout(20):
            while part not in self.text:
                self._came.clear()
                await self._came.wait()

    async def call(self, name: str, goal: str = "x", **more: Any) -> Json:
        arguments = {"subagent_name": name, "goal_prompt": goal, **more}
        answer: Json = await self._sidecar.request(
            "tools/call", name="task", arguments=arguments, workDoneToken=self.token
        )
        return answer


async def test_the_id_comes_at_once_and_then_the_words(sidecar: Sidecar) -> None:
    reports = Reports(sidecar, "t1")
    calling = asyncio.create_task(reports.call("wait"))
    await reports.until("ready")
    (task,) = (await sidecar.request("asyncTasks/list"))["items"]
    assert reports.text.startswith(f"Subagent 'wait' is running (ID: {task['id']}).\n")
    await sidecar.request("asyncTasks/cancel", taskId=task["id"])
    assert (await calling)["metadata"]["cancelled"] is True


async def test_all_output_comes_once_and_in_order_before_the_answer(sidecar: Sidecar) -> None:
    reports = Reports(sidecar, 7)
    answer = await reports.call("events", STREAM)
    task_id = answer["metadata"]["agentId"]
    words = "\n".join(f"line {number} " for number in range(300))
    assert reports.text == f"Subagent 'events' is running (ID: {task_id}).\n{words}"
    assert {value["kind"] for value in reports.values} == {"report"}


async def test_a_background_run_streams_its_id_and_nothing_after_the_answer(sidecar: Sidecar) -> None:
    reports = Reports(sidecar, "t")
    answer = await reports.call("cat", "printed", **{"async": True})
    count = len(reports.values)
    await sidecar.ended(answer["metadata"]["agentId"])
    await sidecar.request("health")
    assert answer["metadata"]["agentId"] in reports.text
    assert len(reports.values) == count


async def test_a_cancelled_call_ends_its_reports_and_its_run(sidecar: Sidecar) -> None:
    reports = Reports(sidecar, "t")
    calling = asyncio.create_task(reports.call("wait"))
    await reports.until("ready")
    calling.cancel()
    await sidecar.until(lambda: any(change["status"] == "cancelled" for change in sidecar.changes))
    count = len(reports.values)
    await sidecar.request("health")
    assert len(reports.values) == count


async def test_a_refused_call_reports_nothing(sidecar: Sidecar) -> None:
    reports = Reports(sidecar, "t")
    assert (await reports.call("nobody"))["error"]["type"] == "EXECUTION_FAILED"
    with pytest.raises(RpcError):
        await sidecar.request("tools/call", name="rm", arguments={}, workDoneToken="t")
    assert reports.values == []


async def test_no_token_means_no_reports(sidecar: Sidecar) -> None:
    reports = Reports(sidecar, "t")
    arguments = {"subagent_name": "cat", "goal_prompt": "x"}
    await sidecar.request("tools/call", name="task", arguments=arguments)
    assert reports.values == []
