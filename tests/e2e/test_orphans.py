"""Processes that carry nothing of their run any more: no marker, not its session, not its parent (Linux)."""

import asyncio

import psutil

from tests.e2e.conftest import Sidecar


def named(task_id: str) -> list[int]:
    processes = psutil.process_iter(["cmdline"])
    return [process.pid for process in processes if task_id in (process.info["cmdline"] or ())]


async def cancel(sidecar: Sidecar, task_id: str) -> None:
    await sidecar.request("asyncTasks/cancel", taskId=task_id)


async def gone(task_id: str) -> None:
    async with asyncio.timeout(5):
        while named(task_id):
            await asyncio.sleep(0.02)


async def test_they_end_with_the_last_run_and_are_taken_note_of(sidecar: Sidecar) -> None:
    task_id = await sidecar.launch_ready("vanish")
    assert named(task_id)
    await cancel(sidecar, task_id)
    await gone(task_id)
    async with asyncio.timeout(5):
        while psutil.Process(sidecar.client.pid).children():
            await asyncio.sleep(0.02)


async def test_no_other_run_suffers_for_them(sidecar: Sidecar) -> None:
    other = await sidecar.launch_ready("wait")
    task_id = await sidecar.launch_ready("vanish")
    await cancel(sidecar, task_id)
    assert (await sidecar.ended(task_id))[0]["status"] == "cancelled"
    assert (await sidecar.task(other))["status"] == "running"
    await cancel(sidecar, other)
    await gone(task_id)


async def test_they_end_with_the_sidecar(sidecar: Sidecar) -> None:
    task_id = await sidecar.launch_ready("vanish")
    assert await sidecar.shut_down() == 0
    assert named(task_id) == []
