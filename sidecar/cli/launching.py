"""`launch`: run a subagent from a terminal."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from sidecar.api.runs.async_tasks import AsyncTask
from sidecar.cli import exits, output
from sidecar.cli.client.attached import attached, run
from sidecar.cli.options import process_options, storage_root, workspace
from sidecar.host.attach import address
from sidecar.status_words import status_text

_EXITS = {"completed": exits.DONE, "failed": exits.FAILED, "cancelled": exits.CANCELLED}


@click.command()
@click.argument("name")
@click.argument("goal")
@storage_root
@workspace
@click.option(
    "--wait", is_flag=True, help="Wait until the run ends and print its final message. Ctrl+C cancels it."
)
@click.option("--queue", is_flag=True, help="Queue the run if too many are running.")
@click.option(
    "--placement",
    type=click.Choice(["local", "ray"]),
    help="Run on this machine (local) or on the cluster (ray). Takes precedence over the definition and the "
    "runner.",
)
@click.option(
    "--node-label",
    "labels",
    multiple=True,
    metavar="NAME=VALUE",
    help="A label that the node of the cluster must have. Can be repeated.",
)
@click.option("--model", metavar="MODEL", help="The agent's model. Takes precedence over the definition.")
@click.option(
    "--mode", metavar="MODE", help="The mode of the agent's session. Takes precedence over the definition."
)
@click.option("--effort", metavar="EFFORT", help="The model's effort. Takes precedence over the definition.")
@click.option(
    "--attach",
    "files",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Give the agent this file or image with the goal. Can be repeated.",
)
@click.option(
    "--add-dir",
    "folders",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path, resolve_path=True),
    metavar="DIR",
    help="A folder that the agent may use besides its working directory. Can be repeated.",
)
@click.option("--json", "as_json", is_flag=True, help="With --wait: print only the ended task, as JSON.")
@process_options
def launch(
    name: str,
    goal: str,
    own_root: Path,
    workspace: Path,
    trust: bool,
    wait: bool,
    queue: bool,
    placement: str | None,
    labels: tuple[str, ...],
    model: str | None,
    mode: str | None,
    effort: str | None,
    files: tuple[Path, ...],
    folders: tuple[Path, ...],
    as_json: bool,
    config: Path | None,
    log_level: str,
) -> int:
    """Run the subagent NAME on GOAL in the background, and print its ID. `logs` and `wait` follow it."""
    if not wait and not address.SUPPORTED:
        raise click.UsageError("this platform has no shared Host to run it in the background: add --wait")
    chosen = {"model": model, "mode": mode, "effort": effort, "overLimit": "queue" if queue else None}
    params: dict[str, Any] = {
        "subagentName": name,
        "goalPrompt": goal,
        **_placed(placement, labels),
        **{option: value for option, value in chosen.items() if value is not None},
        **_given(files, folders),
    }
    options = {"config": None if config is None else str(config), "log-level": log_level}
    print_id = None if as_json and wait else output.echo
    task = run(_run(own_root, options, workspace, trust, params, print_id, wait=wait))
    if not wait:
        return exits.DONE
    if as_json:
        output.write_json(task)
    else:
        _print_end(task)
    return _EXITS[task.status]


def _placed(placement: str | None, labels: Sequence[str]) -> dict[str, Any]:
    """Return the parameters of a launch that say where it works. Raises UsageError for a wrong label."""
    pairs = [each.partition("=") for each in labels]
    if wrong := next((label for label, pair in zip(labels, pairs, strict=True) if not all(pair)), None):
        raise click.UsageError(f"--node-label {wrong!r} is not NAME=VALUE, such as fleet.name=A")
    given = {} if placement is None else {"placement": placement}
    return {**given, **({"nodeLabels": {name: value for name, _, value in pairs}} if labels else {})}


def _given(files: Sequence[Path], folders: Sequence[Path]) -> dict[str, Any]:
    """Return the parameters of a launch that give the agent files and folders."""
    # The Host would read relative paths from the working directory of the run.
    attachments = [{"path": str(path.absolute())} for path in files]
    directories = [str(path) for path in folders]
    found = {"attachments": attachments, "additionalDirectories": directories}
    return {name: value for name, value in found.items() if value}


async def _run(
    root: Path,
    options: Mapping[str, str | None],
    workspace: Path,
    trust: bool,
    params: dict[str, Any],
    print_id: Callable[[str], None] | None,
    *,
    wait: bool,
) -> AsyncTask:
    """Launch in the Host and return the task, ended if `wait`; an interrupt cancels the run then."""
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
