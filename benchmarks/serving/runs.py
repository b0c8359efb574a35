"""Time the launch and the cancel of background runs, and measure the memory of one serving sidecar."""

import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median
from typing import Any

import psutil

from benchmarks.measure import Comparison, within
from benchmarks.processes import SIDECAR, environment, running
from benchmarks.promises import CANCEL_SECONDS, LAUNCH_SECONDS
from benchmarks.serving.roundtrip import METHOD
from sidecar.rpc.client import RpcClient

_ROUNDS = 20
"""Launches, each with a cancel and small requests between, in one run."""
_MIB = 1024 * 1024
_DEFINITION = "---\nname: wait\ndescription: Waits for ever.\nrunner: wait\n---\n"
_RUNNERS = {"wait": {"type": "command", "command": ["sleep", "600"]}}
_LOADED = "import sys, pygls.server; print(flush=True); sys.stdin.read()"


def measure(runs: int) -> list[Comparison]:
    """Compare a launch and a cancel, both until answered, with a request that does nothing; then memory."""
    launched, cancelled, empty, resident = [], [], [], []
    for _ in range(runs):
        launch, cancel, nothing, memory = asyncio.run(_one_run())
        launched.append(launch)
        cancelled.append(cancel)
        empty.append(nothing)
        resident.append(memory)
    imported = [_memory_of_pygls() for _ in range(runs)]
    above = [launch - nothing for launch, nothing in zip(launched, empty, strict=True)]
    return [
        within("launch answered, p50, above an empty request", above, LAUNCH_SECONDS),
        Comparison("launch answered, p50", METHOD, launched, empty),
        within("cancel acknowledged, p50", cancelled, CANCEL_SECONDS),
        Comparison("resident memory of serve", "import pygls.server", resident, imported, "MiB"),
    ]


async def _one_run() -> tuple[float, float, float, float]:
    """Return the medians in seconds of launch, cancel and empty request, and the resident MiB at the end."""
    async with _sidecar() as client:
        launches, cancels, empties = [], [], []
        for _ in range(_ROUNDS):
            empties.append((await _timed(client, METHOD))[0])
            seconds, answer = await _timed(
                client, "asyncTasks/launch", subagentName="wait", goalPrompt="wait"
            )
            launches.append(seconds)
            empties.append((await _timed(client, METHOD))[0])
            task_id = answer["task"]["id"]
            cancels.append((await _timed(client, "asyncTasks/cancel", taskId=task_id))[0])
        memory = psutil.Process(client.pid).memory_info().rss / _MIB
    return median(launches), median(cancels), median(empties), memory


@asynccontextmanager
async def _sidecar() -> AsyncIterator[RpcClient]:
    with tempfile.TemporaryDirectory() as home:
        root, workspace = Path(home, "root"), Path(home, "workspace")
        agents = workspace / ".sidecar" / "agents"
        agents.mkdir(parents=True)
        (agents / "wait.md").write_text(_DEFINITION)
        command = (*SIDECAR, "serve", "--in-process", "--storage-root", str(root))
        async with await RpcClient.spawn(command, env=environment()) as client:
            opening: dict[str, Any] = {
                "protocolVersion": 1,
                "workspaceFolders": [str(workspace)],
                "workspaceTrusted": True,
                "settings": {"runners": _RUNNERS},
            }
            await client.request("initialize", opening)
            yield client


async def _timed(client: RpcClient, method: str, **params: Any) -> tuple[float, Any]:
    start = time.perf_counter()
    answer = await client.request(method, params)
    return time.perf_counter() - start, answer


def _memory_of_pygls() -> float:
    """Return the resident MiB of a Python that has imported pygls."""
    with running((sys.executable, "-c", _LOADED)) as child:
        assert child.stdout
        child.stdout.readline()
        return float(psutil.Process(child.pid).memory_info().rss / _MIB)
