"""Processes that carry nothing of their run any more: no marker, not its session, not its parent (Linux).

Next to another run, and after a kill of the sidecar, only a control group tells whose they are: these tests
need cgroup v2 with write access, as root in CI has.
"""

import asyncio
import os
import shlex
import signal
import sys
from pathlib import Path

import psutil
import pytest

from tests.e2e.conftest import Sidecar, Start
from tests.subagents.runners import hopper


def named(task_id: str) -> list[int]:
    processes = psutil.process_iter(["cmdline"])
    return [process.pid for process in processes if task_id in (process.info["cmdline"] or ())]


async def cancel(sidecar: Sidecar, task_id: str) -> None:
    await sidecar.request("asyncTasks/cancel", taskId=task_id)


async def gone(task_id: str) -> None:
    async with asyncio.timeout(5):
        while named(task_id):
            await asyncio.sleep(0.02)


async def test_they_end_with_the_run_and_are_taken_note_of(sidecar: Sidecar) -> None:
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


async def hopping(sidecar: Sidecar, beats: Path) -> str:
    """Launch a run that leaves a program which forks on and on under no name, and wait for its beats."""
    hop = shlex.join(["env", "-i", sys.executable, hopper.__file__, str(beats), "30"])
    task_id = await sidecar.launch("events", f"{hop} & exec sleep 60")
    async with asyncio.timeout(20):
        while not beats.exists() or beats.stat().st_size < 50:
            await asyncio.sleep(0.02)
    return task_id


async def is_still(beats: Path) -> bool:
    before = beats.stat().st_size
    await asyncio.sleep(0.3)
    return beats.stat().st_size == before


async def test_what_forks_on_and_on_is_dead_after_the_cancel_next_to_another_run(
    sidecar: Sidecar, home: Path
) -> None:
    await sidecar.launch_ready("wait")
    task_id = await hopping(sidecar, home / "beats")
    await cancel(sidecar, task_id)
    async with asyncio.timeout(5):
        while not await is_still(home / "beats"):
            pass


async def test_what_forks_on_and_on_is_dead_when_the_sidecar_has_ended(sidecar: Sidecar, home: Path) -> None:
    await hopping(sidecar, home / "beats")
    assert await sidecar.shut_down() == 0
    assert await is_still(home / "beats")


@pytest.mark.slow
async def test_a_killed_sidecar_leaves_nothing_for_the_next_one_that_hides(
    sidecar: Sidecar, start: Start, home: Path
) -> None:
    task_id = await sidecar.launch_ready("vanish")
    await hopping(sidecar, home / "beats")
    os.kill(sidecar.client.pid, signal.SIGKILL)
    assert await sidecar.client.wait(5) is not None
    assert named(task_id) and not await is_still(home / "beats")
    await start()
    assert named(task_id) == [] and await is_still(home / "beats")
