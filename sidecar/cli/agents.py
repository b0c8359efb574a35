"""`agents` and `launch`: which subagents there are, and one run from a terminal."""

import asyncio
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from sidecar.api.async_tasks import AsyncTask, LaunchParams
from sidecar.app.host import Host, Listener
from sidecar.app.settings import SettingsStore, user_config_dir
from sidecar.app.workspace import Workspace
from sidecar.cli import exits, output
from sidecar.cli.options import common, storage_root, workspace
from sidecar.subagents.catalogue import Catalogue

_EXITS = {"completed": exits.DONE, "failed": exits.FAILED, "cancelled": exits.CANCELLED}


@click.command()
@storage_root
@workspace
@click.option("--json", "as_json", is_flag=True, help="The result of subagents/list.")
@common
def agents(own_root: Path, workspace: Path, trust: bool, as_json: bool, store: SettingsStore) -> None:
    """List the subagent definitions, and what is wrong with the rest."""
    found = Catalogue(user_config_dir()).describe(store.current, [workspace], trusted=trust)
    if as_json:
        output.write_json(found)
        return
    rows = [
        [
            item.name,
            item.description,
            item.runner,
            item.source.level + (" (shadowed)" if item.shadowed_by else ""),
            item.source.path,
        ]
        for item in found.items
    ]
    output.write_table(["NAME", "DESCRIPTION", "RUNNER", "LEVEL", "FILE"], rows, title_column=1)
    for problem in found.problems:
        line = f":{problem.line}" if problem.line else ""
        click.echo(f"{problem.path}{line}: {problem.message}", err=True)
    if not trust and (workspace / ".sidecar" / "agents").is_dir():
        click.echo("The workspace has definitions of its own; --trust lists them too.", err=True)


@click.command()
@click.argument("name")
@click.argument("goal")
@storage_root
@workspace
@click.option("--wait", is_flag=True, help="Wait for the end and print the final message.")
@click.option("--json", "as_json", is_flag=True, help="Print only the ended task, as JSON.")
@common
def launch(
    name: str,
    goal: str,
    own_root: Path,
    workspace: Path,
    trust: bool,
    wait: bool,
    as_json: bool,
    store: SettingsStore,
) -> int:
    """Run the subagent NAME on GOAL. Its id is printed first, then its final message."""
    if not wait:
        raise click.UsageError(
            "without a shared Host nothing would be left to run it: add --wait, and wait for its end"
        )
    place = Workspace((workspace,), trusted=trust)
    params = LaunchParams(subagent_name=name, goal_prompt=goal)
    try:
        task = asyncio.run(_run(own_root, store, params, place, None if as_json else output.write))
    except asyncio.CancelledError:
        return exits.INTERRUPTED
    if as_json:
        output.write_json(task)
    else:
        _print_end(task)
    return _EXITS[task.status]


async def _run(
    root: Path,
    settings: SettingsStore,
    params: LaunchParams,
    place: Workspace,
    print_id: Callable[[str], Any] | None,
) -> AsyncTask:
    """Launch in a Host of this process and return the ended task; an interrupt cancels it first."""
    main_task = asyncio.current_task()
    assert main_task is not None
    for number in (signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, main_task.cancel)
    host = await Host.open(root, settings)
    host.listen(_Progress())
    try:
        host.require_ownership()
        record = await host.runs.launch(params, place)
        task_id = record.task.id
        if print_id is not None:
            print_id(f"{task_id}\n")
        try:
            await host.registry.settled(task_id)
        except asyncio.CancelledError:
            await host.runs.cancel(task_id, by="user")
            raise
        return (await host.registry.resolve(task_id)).task
    finally:
        await host.aclose()


def _print_end(task: AsyncTask) -> None:
    message = (task.output or {}).get("final_message")
    if message:
        output.write(f"{message}\n")
    if task.status != "completed":
        click.echo(f"{task.status}: {task.error or task.end_reason}", err=True)


class _Progress(Listener):
    """Say on a terminal how a run stands."""

    def run_changed(self, task: AsyncTask) -> None:
        if sys.stderr.isatty():
            click.echo(f"{task.subagent_name}: {task.status}", err=True)
