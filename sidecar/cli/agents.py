"""`agents` and `launch`: list and check definitions, and run a subagent from a terminal."""

import asyncio
import signal
from collections.abc import Callable, Mapping
from pathlib import Path

import click
import msgspec
from click.core import ParameterSource

from sidecar.api.runs.async_tasks import AsyncTask
from sidecar.api.runs.subagents import DefinitionProblem, SubagentsResult
from sidecar.app.settings import SettingsStore, user_config_dir
from sidecar.cli import exits, output
from sidecar.cli.attached import attached
from sidecar.cli.checks.commands import check, doctor
from sidecar.cli.options import common, process_options, storage_root, workspace, workspace_folder
from sidecar.host.attach import address
from sidecar.status_words import status_text
from sidecar.subagents.runners.registry import build_runners
from sidecar.subagents.runs.targets.launch_targets import LaunchTargets

_EXITS = {"completed": exits.DONE, "failed": exits.FAILED, "cancelled": exits.CANCELLED}


@click.group(invoke_without_command=True)
@storage_root
@workspace
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the result of subagents/list.")
@common
@click.pass_context
def agents(
    context: click.Context,
    own_root: Path,
    workspace: Path,
    trust: bool,
    as_json: bool,
    store: SettingsStore,
) -> None:
    """List subagent definitions and their problems."""
    if context.invoked_subcommand is not None:
        _refuse_options(context)
        return
    settings = store.current
    runners = build_runners(settings.runners)
    targets = LaunchTargets(user_config_dir())
    found = targets.describe(settings, runners, [workspace], trusted=trust)
    if as_json:
        output.write_json(found)
        return
    _write_items(found)
    for problem in found.problems:
        output.echo_line(_line(problem), err=True)
    places = targets.places(settings, [workspace], trusted=True)
    if not trust and any(place.level == "workspace" and place.path.is_dir() for place in places):
        output.echo("The workspace has its own definitions; use --trust to list them too.", err=True)


@agents.command()
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path, resolve_path=True))
@workspace_folder
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the result of subagents/validate.")
@common
def validate(paths: tuple[Path, ...], workspace: Path, as_json: bool, store: SettingsStore) -> int:
    """Report problems in the definitions of PATH…, or of all places.

    A PATH is a file, a folder of definitions, or a workspace. Nothing is run, so nothing has to be trusted.
    """
    settings = store.current
    runners = build_runners(settings.runners)
    targets = LaunchTargets(user_config_dir())
    if paths:
        found = targets.check(settings, runners, paths)
    else:
        found = targets.describe(settings, runners, [workspace], trusted=True)
    if as_json:
        output.write_json(found)
    else:
        for problem in found.problems:
            output.echo_line(_line(problem))
        output.echo(
            f"{_counted(len(found.items), 'definition')}, {_counted(len(found.problems), 'problem')}",
            err=True,
        )
    return exits.FAILED if found.problems else exits.DONE


agents.add_command(doctor)
agents.add_command(check)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _refuse_options(context: click.Context) -> None:
    """Raise a usage error for options before a subcommand, which would be ignored silently."""
    for name in context.params:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"put options after {context.invoked_subcommand}", context)


def _write_items(found: SubagentsResult) -> None:
    rows = [
        [
            item.name,
            item.description,
            item.runner + (" (not available)" if item.unavailable else ""),
            item.source.level + (" (shadowed)" if item.shadowed_by else ""),
            item.source.path,
        ]
        for item in found.items
    ]
    output.write_table(["NAME", "DESCRIPTION", "RUNNER", "LEVEL", "FILE"], rows, title_column=1)


def _line(problem: DefinitionProblem) -> str:
    line = f":{problem.line}" if problem.line else ""
    return f"{problem.path}{line}: {problem.message}"


@click.command()
@click.argument("name")
@click.argument("goal")
@storage_root
@workspace
@click.option(
    "--wait", is_flag=True, help="Wait until the run ends and print its final message. Ctrl+C cancels it."
)
@click.option("--queue", is_flag=True, help="Queue the run if too many are running.")
@click.option("--json", "as_json", is_flag=True, help="Print only the ended task, as JSON.")
@process_options
def launch(
    name: str,
    goal: str,
    own_root: Path,
    workspace: Path,
    trust: bool,
    wait: bool,
    queue: bool,
    as_json: bool,
    config: Path | None,
    log_level: str,
) -> int:
    """Run the subagent NAME on GOAL in the background, and print its id. `logs` and `wait` follow it."""
    if not wait and not address.SUPPORTED:
        raise click.UsageError("this platform has no shared Host to run it in the background: add --wait")
    params = {"subagentName": name, "goalPrompt": goal, **({"overLimit": "queue"} if queue else {})}
    options = {"config": None if config is None else str(config), "log-level": log_level}
    print_id = None if as_json and wait else output.echo
    try:
        task = asyncio.run(_run(own_root, options, workspace, trust, params, print_id, wait=wait))
    except asyncio.CancelledError:
        return exits.INTERRUPTED
    if not wait:
        return exits.DONE
    if as_json:
        output.write_json(task)
    else:
        _print_end(task)
    return _EXITS[task.status]


async def _run(
    root: Path,
    options: Mapping[str, str | None],
    workspace: Path,
    trust: bool,
    params: dict[str, str],
    print_id: Callable[[str], None] | None,
    *,
    wait: bool,
) -> AsyncTask:
    """Launch in the Host and return the task, ended if `wait`; an interrupt cancels the run then."""
    main_task = asyncio.current_task()
    assert main_task is not None
    for number in (signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, main_task.cancel)
    async with attached(root, options, workspace, trust=trust) as host:
        task = (await host.request("asyncTasks/launch", **params))["task"]
        if print_id is not None:
            print_id(task["id"])
        if wait:
            try:
                task = (await host.request("asyncTasks/wait", taskIds=[task["id"]]))["tasks"][0]
            except asyncio.CancelledError:
                await host.request("asyncTasks/cancel", taskId=task["id"])
                raise
        return msgspec.convert(task, AsyncTask)


def _print_end(task: AsyncTask) -> None:
    message = (task.output or {}).get("final_message")
    if message:
        output.echo(message)
    if task.status != "completed":
        output.echo(": ".join(filter(None, (status_text(task), task.error))), err=True)
