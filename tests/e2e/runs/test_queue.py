"""The order of the queue, and what counts against the limit."""

import asyncio
from typing import Any

import pytest

from sidecar.rpc.errors import RpcError
from tests.e2e.conftest import Json, Sidecar


@pytest.fixture
async def line(sidecar: Sidecar) -> list[str]:
    """Three runs that wait behind one."""
    await sidecar.request("asyncTasks/setMax", max=1)
    await sidecar.launch_ready("wait")
    return [await sidecar.launch("cat", name, overLimit="queue") for name in ("a", "b", "c")]


async def order(sidecar: Sidecar) -> list[str]:
    items: list[Json] = (await sidecar.request("asyncTasks/list", status="queued"))["items"]
    return [item["goalPrompt"] for item in sorted(items, key=lambda item: item["queuePosition"])]


@pytest.mark.parametrize(
    ("place", "position", "expected", "goals"), [(2, 1, 1, "cab"), (0, 99, 3, "bca"), (1, 2, 2, "abc")]
)
async def test_a_queued_run_moves_and_every_move_is_announced(
    sidecar: Sidecar, line: list[str], place: int, position: int, expected: int, goals: str
) -> None:
    before = len(sidecar.changes)
    answer = await sidecar.request("asyncTasks/reorder", taskId=line[place][:12], position=position)
    assert answer["queuePosition"] == expected
    assert answer["revision"] >= 1
    await sidecar.request("health")
    moved = {change["goalPrompt"]: change["queuePosition"] for change in sidecar.changes[before:]}
    assert moved == {goal: n for n, goal in enumerate(goals, 1) if goal != "abc"[n - 1]}
    assert await order(sidecar) == list(goals)


async def test_the_new_order_is_the_order_of_the_starts(sidecar: Sidecar, line: list[str]) -> None:
    await sidecar.request("asyncTasks/reorder", taskId=line[2], position=1)
    running = (await sidecar.request("asyncTasks/list", status="running"))["items"]
    await sidecar.request("asyncTasks/cancel", taskId=running[0]["id"])
    await sidecar.ended(*line)
    started = [change["goalPrompt"] for change in sidecar.changes if change["status"] == "running"]
    assert list(dict.fromkeys(started)) == ["do it", "c", "a", "b"]


@pytest.mark.parametrize("position", [0, -1])
async def test_a_place_before_the_first_is_refused(sidecar: Sidecar, line: list[str], position: int) -> None:
    with pytest.raises(RpcError, match=r"position: .* is not between 1 and") as caught:
        await sidecar.request("asyncTasks/reorder", taskId=line[0], position=position)
    assert caught.value.code == -32602


async def test_only_a_queued_run_has_a_place(sidecar: Sidecar, line: list[str]) -> None:
    (running,) = (await sidecar.request("asyncTasks/list", status="running"))["items"]
    with pytest.raises(RpcError, match="only a queued task") as caught:
        await sidecar.request("asyncTasks/reorder", taskId=running["id"], position=1)
    assert (caught.value.code, caught.value.data) == (
        -32017,
        {"taskId": running["id"], "status": "running"},
    )
    await sidecar.request("asyncTasks/cancel", taskId=line[1])
    with pytest.raises(RpcError) as caught:
        await sidecar.request("asyncTasks/reorder", taskId=line[1], position=1)
    assert (caught.value.code, caught.value.data) == (-32017, {"taskId": line[1], "status": "cancelled"})
    with pytest.raises(RpcError) as caught:
        await sidecar.request("asyncTasks/reorder", taskId="nobody", position=1)
    assert caught.value.code == -32010


async def test_a_synchronous_run_counts_apart_from_those_that_hold_slots(sidecar: Sidecar) -> None:
    await sidecar.request("asyncTasks/setMax", max=1)
    await sidecar.launch_ready("wait")
    arguments: dict[str, Any] = {"subagent_name": "wait", "goal_prompt": "in front"}
    calling = asyncio.create_task(sidecar.request("tools/call", name="task", arguments=arguments))
    await sidecar.until(lambda: any(change["goalPrompt"] == "in front" for change in sidecar.changes))
    listed = await sidecar.request("asyncTasks/list")
    assert (listed["counts"]["running"], listed["foreground"], listed["max"]) == (1, 1, 1)
    assert (await sidecar.request("health"))["asyncTasks"]["running"] == 1
    await sidecar.request("asyncTasks/cancelAll")
    await calling
    listed = await sidecar.request("asyncTasks/list")
    assert (listed["counts"]["running"], listed["counts"]["cancelled"]) == (0, 2)
    assert "foreground" not in listed
