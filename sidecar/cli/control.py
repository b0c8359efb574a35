"""`cancel` and `wait`: end runs of other processes or wait for them."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import click

from sidecar.api.async_tasks import AsyncTask
from sidecar.api.errors import StorageError
from sidecar.app.host import Host
from sidecar.app.settings import SettingsStore
from sidecar.cli import exits, output
from sidecar.cli.abandoned import OwnerWatch
from sidecar.cli.options import common, storage_root
from sidecar.cli.runs import POLL_SECONDS, reading, resolve
from sidecar.storage.layout import OwnRoot
from sidecar.storage.root_lock import living_owner
from sidecar.subagents.journal.journal import Journal


@click.command()
@click.argument("task_id", metavar="ID")
@storage_root
@common
def cancel(task_id: str, own_root: Path, store: SettingsStore) -> int:
    """Clean up a run whose sidecar has died. A run that still has its sidecar must be cancelled there.

    ID can be a unique prefix.
    """
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
@click.argument("task_ids", nargs=-1, required=True, metavar="ID...")
@storage_root
@click.option("--timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="Give up after this long.")
@common
def wait(task_ids: tuple[str, ...], own_root: Path, timeout: float | None, store: SettingsStore) -> int:
    """Wait until runs end and print the id and status of each. ID can be a unique prefix.

    \b
    Exit codes:
      0  all runs are completed
      1  a run failed, or something went wrong
      2  the command was used incorrectly
      3  a run was cancelled, and none failed
      4  a run is still running or queued after the timeout
    """
    tasks = asyncio.run(reading(own_root, lambda journal: _ended(journal, own_root, task_ids, timeout)))
    for task in tasks:
        output.echo(f"{task.id} {task.status}")
        if task.error is not None:
            output.echo(f"{task.id}: {task.error}", err=True)
    return _exit_code({task.status for task in tasks})


async def _find(journal: Journal, ids: Sequence[str]) -> list[AsyncTask]:
    return [(await resolve(journal, each)).task for each in ids]


async def _ended(
    journal: Journal, root: Path, prefixes: Sequence[str], seconds: float | None
) -> list[AsyncTask]:
    """Return the tasks when all have ended or after the timeout. Raises StorageError for an abandoned one."""
    loop = asyncio.get_running_loop()
    deadline = None if seconds is None else loop.time() + seconds
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
