"""Many short runs of many clients: compare the resources of a Host afterwards with those after warm-up."""

import asyncio
import os
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import psutil

from benchmarks.measure import Comparison, Unit, within
from benchmarks.promises import SOAK_GROWTH
from benchmarks.serving.shared_host import SharedHost, shared_host
from sidecar.rpc.client import RpcClient

TASKS: Final = 10_000
"""How many runs, unless the option --tasks says otherwise."""
CLIENTS: Final = 20
_WARM_UP: Final = 0.2
"""The share of the runs before the first measurement."""
_SAMPLES: Final = 40
"""How often the Host is measured afterwards."""
_JOURNAL_MEGABYTES: Final = 3
_JOURNAL_SLACK: Final = 1.5
"""How far the journal may exceed its limit between two rounds, which are a minute apart."""
_LIMIT_BYTES: Final = _JOURNAL_MEGABYTES * _JOURNAL_SLACK * 1e6
_PRUNE_SECONDS: Final = 180
"""How long retention may take: events of the last minute stay, and a round removes about 1 MB a second."""
_SETTINGS: Final = f"""
[asyncTasks]
max = {CLIENTS}
[journal]
maxMegabytes = {_JOURNAL_MEGABYTES}
"""
_TASK: Final = 'printf \'{"type":"message","text":"%01000d"}\\n\' 1'
_MIB: Final = 1024 * 1024


@dataclass
class _Needs:
    """What the Host needed at each measurement after warm-up."""

    memory: list[float] = field(default_factory=list)
    descriptors: list[float] = field(default_factory=list)
    threads: list[float] = field(default_factory=list)

    def measure(self, host: psutil.Process) -> None:
        with host.oneshot():
            self.memory.append(host.memory_info().rss / _MIB)
            self.descriptors.append(host.num_fds())
            self.threads.append(host.num_threads())


def measure(runs: int, tasks: int = TASKS) -> list[Comparison]:
    """Launch `tasks` runs with 20 clients, each waiting for its own. One series, whatever `runs` says.

    Raises RuntimeError when a run does not complete.
    """
    with shared_host(_SETTINGS, say=["/bin/sh", "-c", _TASK]) as host:
        needs, journal = asyncio.run(_soak(host, tasks))
    what = f"{tasks:,} runs of {CLIENTS} clients"
    growths = [
        _growth(f"{what}: memory of the Host", needs.memory, "MiB"),
        _growth(f"{what}: its descriptors", needs.descriptors),
        _growth(f"{what}: its threads", needs.threads),
    ]
    return [*growths, within(f"{what}: the journal", [journal / _MIB], _LIMIT_BYTES / _MIB, "MiB")]


def _growth(what: str, values: list[float], unit: Unit = "") -> Comparison:
    """Compare the last quarter of the measurements with the first."""
    quarter = max(1, len(values) // 4)
    before, after = values[:quarter], values[-quarter:]
    return Comparison(what, "after warm-up", after, before, unit, promise=SOAK_GROWTH)


async def _soak(host: SharedHost, tasks: int) -> tuple[_Needs, int]:
    clients = [await host.client() for _ in range(CLIENTS)]
    process, needs, done = psutil.Process(host.pid()), _Needs(), 0
    warm_up = int(tasks * _WARM_UP)
    interval = max(1, (tasks - warm_up) // _SAMPLES)

    async def use(client: RpcClient) -> None:
        nonlocal done
        for _ in range(tasks // CLIENTS):
            await _run_one(client)
            done += 1
            if done > warm_up and done % interval == 0:
                needs.measure(process)
                _report(done, needs, host)

    async with asyncio.TaskGroup() as group:
        for client in clients:
            group.create_task(use(client))
    size = await _pruned(host.root / "sidecar.db")
    await asyncio.gather(*(client.close() for client in clients))
    return needs, size


async def _pruned(journal: Path) -> int:
    """Wait until retention has reduced the journal to its limit, at most two rounds; return its bytes."""
    deadline = time.monotonic() + _PRUNE_SECONDS
    while (size := journal.stat().st_size) > _LIMIT_BYTES and time.monotonic() < deadline:
        await asyncio.sleep(1)
    return size


async def _run_one(client: RpcClient) -> None:
    given = {"subagentName": "say", "goalPrompt": "say it"}
    launched = await client.request("asyncTasks/launch", given, timeout=120)
    ended = await client.request("asyncTasks/wait", {"taskIds": [launched["task"]["id"]]}, timeout=120)
    if ended["tasks"][0]["status"] != "completed":
        raise RuntimeError(f"a run ended as {ended['tasks'][0]}")


def _report(done: int, needs: _Needs, host: SharedHost) -> None:
    journal = (host.root / "sidecar.db").stat().st_size / _MIB
    memory, descriptors, threads = needs.memory[-1], needs.descriptors[-1], needs.threads[-1]
    print(
        f"  {done:,} runs: {memory:.1f} MiB, {descriptors:.0f} descriptors, {threads:.0f} threads,"
        f" journal {journal:.1f} MiB, load {os.getloadavg()[0]:.1f}",
        file=sys.stderr,
    )
