"""One run of 1,000 events a second that 10 clients show, and its effect on another client."""

import asyncio
import sys
import time
from typing import Any, Final

from benchmarks.measure import Comparison, within
from benchmarks.processes import REPOSITORY
from benchmarks.promises import BUSY_RUN_P99_SECONDS
from benchmarks.serving.roundtrip import METHOD
from benchmarks.serving.shared_host import SharedHost, shared_host
from sidecar.rpc.client import RpcClient

_CLIENTS: Final = 10
_EVENTS_PER_SECOND: Final = 1_000
_SECONDS: Final = 10
_PAUSE_SECONDS: Final = 0.01
"""Between two small requests."""
_TICK: Final = f"""
import os, time
start = time.monotonic()
for number in range({_EVENTS_PER_SECOND * _SECONDS}):
    time.sleep(max(0, start + number / {_EVENTS_PER_SECOND} - time.monotonic()))
    os.write(1, b'{{"type":"message","text":"%d "}}\\n' % number)
"""
_LIMIT: Final = 120


def measure(runs: int) -> list[Comparison]:
    """Time small requests while the run prints, and before. One long run, whatever `runs` says.

    Raises RuntimeError when a client misses an event, or gets one twice or out of order.
    """
    with shared_host("", tick=[sys.executable, "-SIEc", _TICK]) as host:
        idle, busy = asyncio.run(_one_run(host))
    what = f"one run of 1,000 events a second, {_CLIENTS} clients: round trip, p99"
    return [
        within(what, [_p99(busy)], BUSY_RUN_P99_SECONDS),
        Comparison(what, "the same Host before", [_p99(busy)], [_p99(idle)]),
    ]


async def _one_run(host: SharedHost) -> tuple[list[float], list[float]]:
    asking = await host.client()
    idle_ends = time.monotonic() + _SECONDS / 2
    idle = await _ask(asking, lambda: time.monotonic() < idle_ends)
    launched = await asking.request("asyncTasks/launch", {"subagentName": "tick", "goalPrompt": "tick"})
    task_id = launched["task"]["id"]
    watching = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "benchmarks.serving.watching", task_id, str(_CLIENTS), *host.serve),
        env=host.variables,
        cwd=REPOSITORY,
        stdout=asyncio.subprocess.PIPE,
    )
    assert watching.stdout is not None
    if await watching.stdout.readline() != b"watching\n":
        raise RuntimeError("the clients did not start")
    end = asyncio.create_task(asking.request("asyncTasks/wait", {"taskIds": [task_id]}, timeout=_LIMIT))
    busy = await _ask(asking, lambda: not end.done())
    result = (await end)["tasks"][0]
    if result["status"] != "completed" or await watching.wait() != 0:
        raise RuntimeError(f"the run or a client failed: {result.get('error')}")
    await asking.close()
    return idle, busy


async def _ask(client: RpcClient, is_busy: Any) -> list[float]:
    seconds = []
    while is_busy():
        start = time.perf_counter()
        await client.request(METHOD)
        seconds.append(time.perf_counter() - start)
        await asyncio.sleep(_PAUSE_SECONDS)
    return seconds


def _p99(seconds: list[float]) -> float:
    return sorted(seconds)[int(len(seconds) * 0.99)]
