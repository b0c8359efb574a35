"""Runs outlive their clients; nothing outlives the Host unseen."""

import asyncio
import os
import signal
import time

import psutil

from tests.e2e.host.conftest import HostSetting
from tests.e2e.processes import gone


async def test_a_run_continues_without_clients_and_its_result_waits(shared: HostSetting) -> None:
    one = await shared.attach()
    await one.request("asyncTasks/list")
    task_id = await one.launch("cat", "kept", notifyModel=True)
    one.client.close_input()
    assert await one.client.wait(5) == 1
    two = await shared.attach()
    ended = (await two.ended(task_id))[0]
    assert ended["output"]["final_message"].endswith("kept")
    assert (await two.request("reminders/next"))["taskIds"] == [task_id]


async def test_a_killed_client_touches_no_run(shared: HostSetting) -> None:
    one, two = await shared.attach(), await shared.attach()
    task_id = await one.launch_ready("wait")
    os.kill(one.client.pid, signal.SIGKILL)
    await one.client.wait(5)
    assert (await two.task(task_id))["status"] == "running"
    await two.request("asyncTasks/subscribe", taskId=task_id, afterSeq=0)
    await two.until(lambda: "ready" in two.text(task_id))
    async with asyncio.timeout(10):
        while (found := shared.status()) is None or found["clients"] > 1:
            await asyncio.sleep(0.05)
    await two.request("asyncTasks/cancel", taskId=task_id)


async def test_the_host_ends_by_itself_when_nobody_needs_it(shared: HostSetting) -> None:
    one = await shared.attach()
    await one.ended(await one.launch("cat"))
    assert len(shared.processes()) == 1
    assert await one.shut_down() == 0
    await shared.ended()
    assert not (shared.root / "host.address").exists()
    assert (shared.root / "sidecar.lock").read_text() == "released"


async def test_runs_end_when_no_client_came_back_in_time(shared: HostSetting) -> None:
    shared.configure(host={"idleSeconds": 0.2, "surviveMinutes": 0.02})
    one = await shared.attach()
    task_id = await one.launch_ready("stubborn")
    one.client.close_input()
    await shared.ended()
    await gone(task_id, 5)
    two = await shared.attach()
    ended = await two.task(task_id)
    assert (ended["status"], ended["endReason"]) == ("failed", "hostExit")


async def test_a_client_that_comes_back_starts_the_time_again(shared: HostSetting) -> None:
    shared.configure(host={"idleSeconds": 0.2, "surviveMinutes": 0.05})
    one = await shared.attach()
    task_id = await one.launch_ready("wait")
    one.client.close_input()
    two = await shared.attach()
    left_at = time.monotonic()
    two.client.close_input()
    await shared.ended()
    assert time.monotonic() - left_at >= 3
    await gone(task_id, 5)


async def test_a_killed_host_is_reported_at_once_and_recovered_by_the_next(shared: HostSetting) -> None:
    one, two = await shared.attach(), await shared.attach()
    task_id = await one.launch_ready("stubborn")
    pid = shared.pid
    os.kill(pid, signal.SIGKILL)
    assert [await client.client.wait(5) for client in (one, two)] == [1, 1]
    three = await shared.attach()
    assert shared.pid != pid
    assert three.instance != one.instance
    lost = await three.task(task_id)
    assert (lost["status"], lost["endReason"]) == ("failed", "lost")
    await gone(task_id, 5)


async def test_a_terminated_host_ends_its_runs_and_its_clients(shared: HostSetting) -> None:
    one = await shared.attach()
    task_id = await one.launch_ready("stubborn")
    os.kill(shared.pid, signal.SIGTERM)
    assert await one.client.wait(5) == 1
    await shared.ended()
    await gone(task_id, 5)
    two = await shared.attach()
    assert (await two.task(task_id))["endReason"] == "hostExit"


async def test_a_frozen_host_answers_when_it_is_thawed(shared: HostSetting) -> None:
    one = await shared.attach()
    host = psutil.Process(shared.pid)
    host.suspend()
    waiting = asyncio.create_task(shared.attach())
    asked = asyncio.create_task(one.request("asyncTasks/list"))
    await asyncio.sleep(0.5)
    assert not waiting.done()
    host.resume()
    assert (await waiting).instance == one.instance
    assert (await asked)["items"] == []


async def test_a_client_that_does_not_read_delays_nobody(shared: HostSetting) -> None:
    slow, quick = await shared.attach(), await shared.attach()
    task_id = await quick.launch_ready("wait")
    psutil.Process(slow.client.pid).suspend()
    for _ in range(50):
        await slow.client.notify("agent/setBusy", {"busy": True})
        await quick.request("asyncTasks/list")
    psutil.Process(slow.client.pid).resume()
    await quick.request("asyncTasks/cancel", taskId=task_id)
    assert (await slow.task(task_id))["status"] == "cancelled"
