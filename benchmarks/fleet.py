"""Runs on a cluster against local ones: `python -m benchmarks.fleet`, after `scripts/fleet_env`.

Starts three nodes on this machine. Prints how much later an event arrives than from a local run, the events
a second that one gateway delivers while agents print them, and how long a launch takes on a node that knows
the repository. How fast a journal that is already written is passed on has no promise.
"""

import asyncio
import base64
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median, quantiles
from typing import Any
from uuid import uuid4

import msgspec

from sidecar.api.settings import FleetSettings, RunnerSettings
from sidecar.subagents.runners.command.runner import CommandRunner
from sidecar.subagents.runners.contract import Runner, RunObserver, RunSpec
from sidecar.subagents.runners.fleet_links import FleetLinks
from sidecar.subagents.runners.remote.job import Job, to_plain
from sidecar.subagents.runners.remote.link import FleetLink
from sidecar.subagents.runners.remote.runner import RemoteRunner
from sidecar.subagents.runners.remote.workspace import packed, prepare
from tests.fleet.local_cluster import local_cluster

REPO = Path(__file__).parents[1]
PYTHON = REPO / ".cache" / "fleet" / "bin" / "python"
TOKEN = "5a" * 24
SAMPLES = 120
EVENTS = 200_000
LIVE_RUNS, LIVE_EVENTS = 4, 60_000
"""How many agents print at once, as many as the nodes have slots, and how many events each of them."""
_LIVE = f"events a second while {LIVE_RUNS} agents print them"
REPOSITORY_FILES, FILE_BYTES = 500, 100_000
P50_SECONDS, P99_SECONDS, EVENTS_A_SECOND, LAUNCH_SECONDS = 0.003, 0.050, 20_000, 2.0
_STAMPS = (
    "import json, sys, time\n"
    "for _ in range(int(sys.argv[1])):\n"
    " print(json.dumps({'type': 'emit', 'name': 'at', 'value': time.time()}), flush=True)\n"
    " time.sleep(0.21)\n"
)
_LINES = 'for i in range({count}): print(\'{{"type": "emit", "name": "n", "value": %d}}\' % i)'

Event = dict[str, Any]


def main() -> int:
    """Measure, and return 1 if a promise is not met."""
    with (
        tempfile.TemporaryDirectory(prefix="sidecar-fleet-") as folder,
        local_cluster(PYTHON, Path(folder), TOKEN) as address,
    ):
        results = asyncio.run(_measure(Path(folder), address))
    for what, value, promise, is_met in results:
        met = {True: "met", False: "NOT MET", None: ""}[is_met]
        print(f"{what:60} {value:>12} {promise:>12} {met}".rstrip())
    return 1 if any(is_met is False for *_, is_met in results) else 0


async def _measure(folder: Path, address: str) -> list[tuple[str, str, str, bool | None]]:
    workspace = _repository(folder / "workspace")
    fleet = FleetSettings(
        gateway=[str(PYTHON), "-m", "sidecar.fleet.gateway"],
        address=address,
        token_path=str(folder / "token"),
        labels={"fleet.name": "B"},
    )
    links = FleetLinks()
    link = links.link(fleet, {**os.environ, "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"})
    try:
        launches = [await _first_event(_remote(fleet, link, ["echo", "x"]), workspace) for _ in range(4)]
        stamps = [sys.executable, "-c", _STAMPS, str(SAMPLES)]
        local = await _delays(CommandRunner("stamps", _events(stamps)), workspace)
        remote = await _delays(_remote(fleet, link, stamps), workspace)
        live = await _live_rate(fleet, link, workspace)
        replay = await _replay_rate(fleet, link, workspace)
    finally:
        await links.aclose()
    p50 = median(remote) - median(local)
    p99 = quantiles(remote, n=100)[98] - quantiles(local, n=100)[98]
    launch = min(launches[1:])
    return [
        ("event later than from a local run, p50", f"{p50 * 1e3:.2f} ms", "3 ms", p50 <= P50_SECONDS),
        ("event later than from a local run, p99", f"{p99 * 1e3:.2f} ms", "50 ms", p99 <= P99_SECONDS),
        (_LIVE, f"{live:,.0f}", "20,000", live >= EVENTS_A_SECOND),
        ("events a second of a journal that is already written", f"{replay:,.0f}", "", None),
        ("launch on a warm node, 50 MB repository", f"{launch:.2f} s", "2 s", launch <= LAUNCH_SECONDS),
    ]


def _events(command: list[str]) -> RunnerSettings:
    return RunnerSettings(type="command", command=command, format="events")


def _remote(fleet: FleetSettings, link: FleetLink, command: list[str]) -> RemoteRunner:
    settings = _events(command)
    return RemoteRunner(CommandRunner("bench", settings), settings, fleet, link)


async def _run(runner: Runner, workspace: Path, emit: Callable[[Event], Awaitable[None]]) -> None:
    run = await runner.start(RunSpec(str(uuid4()), "", workspace, observer=RunObserver()), emit)
    result = await run.result()
    await run.stop()
    assert result.terminate_reason == "GOAL", result


async def _delays(runner: Runner, workspace: Path) -> list[float]:
    delays: list[float] = []

    async def emit(event: Event) -> None:
        if event["type"] == "emit":
            delays.append(time.time() - event["value"])

    await _run(runner, workspace, emit)
    return delays


async def _first_event(runner: RemoteRunner, workspace: Path) -> float:
    began, seen = time.perf_counter(), []

    async def emit(event: Event) -> None:
        seen.append(time.perf_counter())

    await runner.check_place(workspace, asyncio.get_running_loop().time() + 60)
    await _run(runner, workspace, emit)
    return seen[0] - began


async def _live_rate(fleet: FleetSettings, link: FleetLink, workspace: Path) -> float:
    """Return how many events a second arrive while agents on all nodes print them."""
    anywhere = msgspec.structs.replace(fleet, labels={})
    command = [sys.executable, "-c", _LINES.format(count=LIVE_EVENTS)]
    at: list[float] = []

    async def emit(event: Event) -> None:
        if event["type"] == "emit":
            at.append(time.perf_counter())

    runners = [_remote(anywhere, link, command) for _ in range(LIVE_RUNS)]
    await asyncio.gather(*(_run(each, workspace, emit) for each in runners))
    assert len(at) == LIVE_RUNS * LIVE_EVENTS, len(at)
    return len(at) / (at[-1] - at[0])


async def _replay_rate(fleet: FleetSettings, link: FleetLink, workspace: Path) -> float:
    """Return how many events a second a gateway passes on from the journal of a run that has written them."""
    run, count = str(uuid4()), 0
    nodes = [node["nodeId"] for node in (await link.status(20))["nodes"] if node["name"] == "B"]
    base = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=workspace, text=True).strip()
    named = {"run": run, "repository": "bench", "prefix": "", "base": base}
    await link.request("place", 60, nodes=nodes, slots=1, within=50.0, silence=50.0, former=0, **named)
    program = [sys.executable, "-c", _LINES.format(count=EVENTS)]
    # The tree cannot be made without the bundle, so the workspace comes first.
    data = packed(prepare(workspace), [])
    for offset in range(0, len(data), 1 << 20):
        piece = base64.b64encode(data[offset : offset + (1 << 20)]).decode()
        await link.request("put", 60, run=run, attachment=None, offset=offset, data=piece)
    job = Job(task_id=run, runner_name="bench", runner=_events(program), prompt="")
    await link.request("go", 60, run=run, job=to_plain(job))
    gateway = await link.gateway()
    took = 0.0
    for attempt in range(2):
        stream = gateway.listen()
        began, count = time.perf_counter(), 0
        await gateway.request("follow", 60, run=run, stream=stream.number, after=0, heartbeat=1.0)
        while (message := await stream.queue.get()) is not None and "over" not in message:
            gateway.acknowledge(stream)
            count += len(message["lines"])
        took = time.perf_counter() - began
        gateway.ignore(stream)
        assert count >= EVENTS, (attempt, count)
    await link.request("drop", 60, run=run)
    return count / took


def _repository(root: Path) -> Path:
    root.mkdir()
    (root / "data").mkdir()
    for number in range(REPOSITORY_FILES):
        (root / "data" / f"{number}.bin").write_bytes(os.urandom(FILE_BYTES))
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "."], [*identity, "commit", "-q", "-m", "first"]):
        subprocess.run(["git", *command], cwd=root, check=True)
    return root


if __name__ == "__main__":
    sys.exit(main())
