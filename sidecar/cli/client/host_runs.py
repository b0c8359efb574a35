"""Watch, follow and await runs as a client of their Host."""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from sidecar.api.runs.async_tasks import AsyncTask
from sidecar.api.runs.requests import AsyncListResult
from sidecar.cli.client.attached import attached
from sidecar.cli.event_lines import EventLog

_EVENTS = 500
REFRESH_SECONDS = 1.0
"""The longest time between two lists of `watch`: times pass even if nothing changes."""
PAUSE_SECONDS = 0.25
"""The shortest time between two lists of `watch`."""


async def newest(root: Path, limit: int) -> AsyncListResult:
    """Return the newest runs. Raises HostEnded."""
    async with attached(root, {}) as host:
        host.on("asyncTasks/didChange", _ignore)
        return msgspec.convert(await host.request("asyncTasks/list", limit=limit), AsyncListResult)


async def watch(root: Path, limit: int, show: Callable[[AsyncListResult], None]) -> None:
    """Call `show` with the newest runs again and again. Raises HostEnded."""
    changed = asyncio.Event()
    async with attached(root, {}) as host:
        host.on("asyncTasks/didChange", lambda change: changed.set())
        while True:
            changed.clear()
            show(msgspec.convert(await host.request("asyncTasks/list", limit=limit), AsyncListResult))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(REFRESH_SECONDS):
                    await changed.wait()
                    await asyncio.sleep(PAUSE_SECONDS)


async def follow(root: Path, task_id: str, log: EventLog) -> None:
    """Print the events of a run until it ends. Raises HostEnded, TaskNotFound and AmbiguousTaskId."""
    async with attached(root, {}) as host:
        host.on("asyncTasks/didChange", _ignore)
        task = (await host.request("asyncTasks/get", taskId=task_id))["task"]
        run = task["id"]
        if "completedAt" not in task:
            host.on("asyncTasks/didOutput", lambda output: log.take(output["events"]))
            await host.request("asyncTasks/subscribe", taskId=run, afterSeq=log.seq)
            await host.request("asyncTasks/wait", taskIds=[run])
            await host.request("asyncTasks/unsubscribe", taskId=run)
        while True:
            page = await host.request("asyncTasks/events", taskId=run, afterSeq=log.seq, limit=_EVENTS)
            log.take(page["events"])
            if not page["more"]:
                return


async def ended(root: Path, task_ids: Sequence[str], seconds: float | None) -> list[AsyncTask]:
    """Return the runs when all have ended or after the timeout. Raises HostEnded and for unknown IDs."""
    loop = asyncio.get_running_loop()
    deadline = None if seconds is None else loop.time() + seconds
    async with attached(root, {}) as host:
        host.on("asyncTasks/didChange", _ignore)
        left = {} if deadline is None else {"timeoutSeconds": max(0.0, deadline - loop.time())}
        answer = await host.request("asyncTasks/wait", taskIds=list(task_ids), **left)
    return msgspec.convert(answer["tasks"], list[AsyncTask])


def _ignore(change: Any) -> None:
    """Drop a notification that would otherwise be shown on a terminal."""
