"""What a Host keeps in memory of ended runs: nothing that only the garbage collector would free."""

import asyncio
import contextlib
import gc
from collections import Counter

import pytest

from sidecar.app.host import Host
from sidecar.app.launching.workspace import Workspace
from tests.app.callers import caller
from tests.app.test_host import host, launch, workspace

__all__ = ["host", "workspace"]

RUNS = 8
OF_ONE_RUN = (
    "ChildProcess",
    "CommandRun",
    "PreparedLaunch",
    "Run",
    "RunFold",
    "RunMonitor",
    "RunScope",
    "RunTask",
    "Transcript",
    "FileNotFoundError",
)


def alive() -> Counter[str]:
    """Count the living objects of these types by name."""
    return Counter(type(each).__name__ for each in gc.get_objects() if type(each).__name__ in OF_ONE_RUN)


async def run_one(host: Host, workspace: Workspace, name: str) -> None:
    record = await host.launcher.launch(launch(name), caller(workspace, host.store))
    if name == "wait":
        await host.control.cancel_all("user")
    await host.registry.settled(record.task.id)


@pytest.mark.slow
async def test_ended_runs_are_freed_without_the_garbage_collector(host: Host, workspace: Workspace) -> None:
    gc.collect()
    before = alive()
    gc.disable()
    try:
        for _ in range(RUNS):
            await run_one(host, workspace, "cat")
            await run_one(host, workspace, "wait")
        await host.end_runs()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(10):
                while alive() - before:  # the pipes of a process close some turns after its end
                    await asyncio.sleep(0.01)
        assert alive() - before == Counter()
    finally:
        gc.enable()
