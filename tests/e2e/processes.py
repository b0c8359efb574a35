"""What is seen of a run from outside: its events, and its processes."""

import asyncio
from typing import Any

import psutil

from sidecar.subagents.runners.process.marker import find
from tests.e2e.conftest import Sidecar

Json = dict[str, Any]


async def events(sidecar: Sidecar, task_id: str, kind: str) -> list[Json]:
    """The events of one kind that a run has had."""
    page = await sidecar.request("asyncTasks/events", taskId=task_id, limit=5000)
    return [event for event in page["events"] if event["type"] == kind]


def command_of(pid: int) -> list[str]:
    """The command line of a process; nothing of one that is gone."""
    try:
        return psutil.Process(pid).cmdline()
    except psutil.Error:
        return []


def first_process(task_id: str) -> int:
    """The process of a run that started first: its agent. The lowest id may be another, since ids wrap."""
    return min(find([task_id]), key=lambda pid: psutil.Process(pid).create_time())


async def gone(task_id: str, seconds: float) -> None:
    """Wait until no process of a run is left."""
    async with asyncio.timeout(seconds):
        while find([task_id]):
            await asyncio.sleep(0.05)


async def until_retrying(sidecar: Sidecar, task_id: str) -> None:
    """Wait until a run reports that its agent repeats a request to the model."""
    await sidecar.request("asyncTasks/subscribe", taskId=task_id, afterSeq=0)
    await sidecar.until(lambda: any("retrying" in event for event in sidecar.events.get(task_id, [])), 240)
