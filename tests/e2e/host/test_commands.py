"""The commands of a terminal against the Host."""

import asyncio
import json
import os
import signal
import sys

from tests.e2e.host.conftest import HostSetting


async def test_a_launch_returns_at_once_and_the_other_commands_follow_it(shared: HostSetting) -> None:
    code, task_id, _ = await shared.command("launch", "wait", "do it")
    assert code == 0
    assert shared.status() is not None
    task_id = task_id.strip()
    assert len(task_id) == 36
    code, listed, _ = await shared.command("ps", "--json")
    assert [task["status"] for task in json.loads(listed)["items"]] == ["running"]
    code, _, err = await shared.command("cancel", task_id[:8])
    assert (code, err.strip()) == (0, f"{task_id} was cancelled")
    code, out, _ = await shared.command("wait", task_id)
    assert (code, out.strip()) == (3, f"{task_id} cancelled")


async def test_a_launch_that_waits_prints_the_message(shared: HostSetting) -> None:
    code, out, err = await shared.command("launch", "cat", "hello", "--wait")
    assert code == 0, err
    assert out.splitlines()[-1] == "hello"


async def test_an_interrupted_launch_cancels_its_run(shared: HostSetting) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "sidecar", "launch", "wait", "x", "--wait"),
        env={**shared.environment, "SIDECAR_STORAGE_ROOT": str(shared.root)},
        cwd=shared.home / "workspace",
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    task_id = (await asyncio.wait_for(process.stdout.readline(), 40)).decode().strip()
    client = await shared.attach()
    os.killpg(process.pid, signal.SIGINT)
    assert await asyncio.wait_for(process.wait(), 20) == 130
    assert (await client.task(task_id))["endReason"] == "cancelledByUser"


async def test_status_and_stop(shared: HostSetting) -> None:
    code, out, _ = await shared.command("host", "status", "--json")
    assert (code, json.loads(out)) == (1, {"running": False})
    assert (await shared.command("host", "stop"))[0] == 0
    client = await shared.attach()
    task_id = await client.launch_ready("wait")
    code, out, _ = await shared.command("host", "status", "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["clients"], found["runs"]) == (1, {"running": 1, "queued": 0})
    code, _, err = await shared.command("host", "stop")
    assert code == 1
    assert "--cancel-running" in err
    assert (await client.task(task_id))["status"] == "running"
    assert (await shared.command("host", "stop", "--cancel-running"))[0] == 0
    assert shared.processes() == []
    assert await client.client.wait(5) == 1
    again = await shared.attach()
    ended = await again.task(task_id)
    assert (ended["status"], ended["endReason"]) == ("cancelled", "cancelledByUser")


async def test_the_queue_can_be_reordered_and_skipped(shared: HostSetting) -> None:
    client = await shared.attach()
    await client.request("asyncTasks/setMax", max=1)
    first = await client.launch_ready("wait")
    queued = [await client.launch("wait", overLimit="queue") for _ in range(2)]
    code, _, err = await shared.command("reorder", queued[1], "1")
    assert (code, err.strip()) == (0, "position 1")
    assert (await client.task(queued[0]))["queuePosition"] == 2
    code, _, err = await shared.command("start-now", queued[0])
    assert (code, err.strip()) == (0, f"{queued[0]} is running")
    for task_id in (*reversed(queued), first):
        await client.request("asyncTasks/cancel", taskId=task_id)
