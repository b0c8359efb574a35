"""`send`, `cancel`, `reorder`, `start-now` and `wait`: control runs from a terminal or wait for them."""

import asyncio
import contextlib
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from sidecar.api.errors import StorageError
from sidecar.api.runs.async_tasks import AsyncTask
from sidecar.app.host import Host
from sidecar.app.settings import SettingsStore
from sidecar.cli import exits, output
from sidecar.cli.abandoned import OwnerWatch
from sidecar.cli.client import host_runs, silence
from sidecar.cli.client.attached import HostEnded, attached, run
from sidecar.cli.options import common, storage_root
from sidecar.cli.runs import POLL_SECONDS, reading, resolve
from sidecar.storage.layout import OwnRoot
from sidecar.storage.root_lock import living_owner
from sidecar.subagents.journal.journal import Journal

_DELIVERIES = {
    "now": "The agent has the message.",
    "nextTurn": "The agent gets the message at the end of its turn.",
}


@click.command()
@click.argument("task_id", metavar="ID")
@storage_root
@common
def cancel(task_id: str, own_root: Path, store: SettingsStore) -> int:
    """Cancel a run, or clean up after one whose sidecar has died. ID can be a unique prefix."""
    if run(silence.is_running(own_root)):
        answer = run(_ask_host(own_root, "asyncTasks/cancel", taskId=task_id))
        task = answer["task"]
        verb = "was" if answer["cancelled"] else "has already ended:"
        output.echo(f"{task['id']} {verb} {task['status']}", err=True)
        return exits.DONE
    task = asyncio.run(reading(own_root, lambda journal: _find(journal, [task_id])))[0]
    if task.completed_at is not None:
        output.echo(f"{task.id} has already ended: {task.status}", err=True)
        return exits.DONE
    owner = living_owner(OwnRoot(own_root))
    if owner is not None:
        reason = f"root in use by pid {owner}"
        raise StorageError(
            f"{own_root}: {reason}; cancel the run there: in its editor, or with Ctrl+C in its terminal",
            path=str(own_root),
            reason=reason,
        )
    asyncio.run(_recover(own_root, store))
    output.echo(f"{task.id} was lost when its sidecar died; none of its processes are left", err=True)
    return exits.DONE


@click.command()
@click.argument("task_id", metavar="ID")
@click.argument("text")
@storage_root
@common
def send(task_id: str, text: str, own_root: Path, store: SettingsStore) -> int:
    """Send TEXT to the agent of a run, and say when the agent gets it. ID can be a unique prefix.

    An agent that takes messages during its turn gets it now, any other at the end of its turn. If TEXT is -,
    the command reads it from stdin.
    """
    _require_host(own_root, "no run can receive messages")
    words = sys.stdin.read() if text == "-" else text
    answer = run(_ask_host(own_root, "asyncTasks/send", taskId=task_id, text=words))
    output.echo(_DELIVERIES[answer["delivery"]], err=True)
    return exits.DONE


@click.command()
@click.argument("task_id", metavar="ID")
@click.argument("position", type=click.IntRange(min=1))
@storage_root
@common
def reorder(task_id: str, position: int, own_root: Path, store: SettingsStore) -> int:
    """Move a queued run to POSITION in the queue, counted from 1. ID can be a unique prefix."""
    _require_host(own_root)
    answer = run(_ask_host(own_root, "asyncTasks/reorder", taskId=task_id, position=position))
    output.echo(f"position {answer['queuePosition']}", err=True)
    return exits.DONE


@click.command()
@click.argument("task_id", metavar="ID")
@storage_root
@common
def start_now(task_id: str, own_root: Path, store: SettingsStore) -> int:
    """Start a queued run now, even if the limit is reached. ID can be a unique prefix."""
    _require_host(own_root)
    task = run(_ask_host(own_root, "asyncTasks/startNow", taskId=task_id))["task"]
    output.echo(f"{task['id']} is {task['status']}", err=True)
    return exits.DONE


@click.command()
@click.argument("task_ids", nargs=-1, required=True, metavar="ID...")
@storage_root
@click.option("--timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="Give up after this time.")
@common
def wait(task_ids: tuple[str, ...], own_root: Path, timeout: float | None, store: SettingsStore) -> int:
    """Wait until runs end and print the ID and status of each. ID can be a unique prefix.

    \b
    Exit codes:
      0  all runs completed
      1  a run failed, or something went wrong
      2  the command was used incorrectly
      3  a run was cancelled, and none failed
      4  a run is still running or queued after the timeout
    """
    limit = None if timeout == math.inf else timeout
    tasks = run(_ended(own_root, task_ids, limit))
    for task in tasks:
        output.echo(f"{task.id} {task.status}")
        if task.error is not None:
            output.echo(f"{task.id}: {task.error}", err=True)
    return _exit_code({task.status for task in tasks})


async def _ask_host(root: Path, method: str, **params: Any) -> Any:
    async with attached(root, {}) as host:
        return await host.request(method, **params)


def _require_host(root: Path, consequence: str = "no runs are queued") -> None:
    """Raise StorageError, which says the consequence, if no Host is running."""
    if not run(silence.is_running(root)):
        raise StorageError(f"{root}: no Host is running, so {consequence}", path=str(root), reason="no Host")


async def _find(journal: Journal, ids: Sequence[str]) -> list[AsyncTask]:
    return [(await resolve(journal, each)).task for each in ids]


async def _ended(root: Path, prefixes: Sequence[str], seconds: float | None) -> list[AsyncTask]:
    """Return the tasks when all have ended or after the timeout. Raises StorageError for an abandoned one."""
    loop = asyncio.get_running_loop()
    deadline = None if seconds is None else loop.time() + seconds
    if await silence.is_running(root):
        with contextlib.suppress(HostEnded):
            return await host_runs.ended(root, prefixes, seconds)
    return await reading(root, lambda journal: _recorded_ends(journal, root, prefixes, deadline))


async def _recorded_ends(
    journal: Journal, root: Path, prefixes: Sequence[str], deadline: float | None
) -> list[AsyncTask]:
    loop = asyncio.get_running_loop()
    ids = [task.id for task in await _find(journal, prefixes)]
    owner = OwnerWatch(root)
    while True:
        owner.update()
        tasks = await _find(journal, ids)
        left = [task for task in tasks if task.completed_at is None]
        if not left or (deadline is not None and loop.time() >= deadline):
            return tasks
        owner.require(left[0].id)
        await asyncio.sleep(POLL_SECONDS)


async def _recover(root: Path, settings: SettingsStore) -> None:
    """End the runs of a killed sidecar and their processes, as every start does."""
    host = await Host.open(root, settings)
    try:
        host.require_ownership()
    finally:
        await host.aclose()


def _exit_code(states: set[str]) -> int:
    if states & {"queued", "running"}:
        return exits.STILL_RUNNING
    if "failed" in states:
        return exits.FAILED
    return exits.CANCELLED if "cancelled" in states else exits.DONE
