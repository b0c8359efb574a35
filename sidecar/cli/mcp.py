"""`mcp`: connect an agent to the model's tools; without `--install` it serves them on stdio."""

from collections.abc import Sequence
from pathlib import Path

import click

from sidecar.api.errors import InvalidParams
from sidecar.cli import exits, output
from sidecar.cli.install.agents import AGENTS, NAME, AgentConfig, server_command
from sidecar.cli.install.change import Change, backup_path, remove_unfinished
from sidecar.cli.install.plan import plan_install, plan_uninstall
from sidecar.cli.options import process_options
from sidecar.printable import printable

_AGENT = click.Choice(list(AGENTS))


@click.command()
@click.option("--storage-root", type=click.Path(path_type=Path), help="The sidecar's own root.")
@click.option(
    "--workspace",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="The workspace whose runs the model sees (default: the current directory). "
    "With --install or --uninstall: change the configuration of this workspace instead of the user's.",
)
@click.option("--trust", is_flag=True, help="Run the workspace's own definitions too.")
@click.option("--install", type=_AGENT, help="Add the server to the configuration of an agent.")
@click.option("--uninstall", type=_AGENT, help="Remove the server from the configuration of an agent.")
@click.option("--yes", is_flag=True, help="Change the configuration without asking.")
@process_options
def mcp(
    storage_root: Path | None,
    workspace: Path | None,
    trust: bool,
    install: str | None,
    uninstall: str | None,
    yes: bool,
    config: Path | None,
    log_level: str,
) -> int:
    """Serve the model's tools over the Model Context Protocol on stdio, or connect an agent to them."""
    if (install is None) == (uninstall is None):
        raise InvalidParams(
            "mcp: use either --install or --uninstall; to start the server, use neither "
            "(the server needs Unix domain sockets, which this platform may lack)"
        )
    name = install or uninstall or ""
    agent, places = AGENTS[name], AGENTS[name].places(workspace)
    remove_unfinished(places)
    if install is None:
        return _uninstall(places, agent, yes)
    options = [] if storage_root is None else ["--storage-root", str(storage_root.absolute())]
    options += [] if config is None else ["--config", str(config.absolute())]
    options += ["--trust"] if trust else []
    change = plan_install(places, agent, server_command(options))
    if change is None:
        output.echo(f"{NAME} is already in {_names(places)}")
        return exits.DONE
    _make(change, yes)
    if agent.advice:
        output.echo(agent.advice, err=True)
    return exits.DONE


def _uninstall(places: Sequence[Path], agent: AgentConfig, yes: bool) -> int:
    changes = plan_uninstall(places, agent)
    if all(change.before == change.after for change in changes):
        output.echo(f"{NAME} is not in {_names(places)}")
    for change in changes:
        _make(change, yes)
        if change.backup == "keep":
            output.echo(f"your own {NAME} from before the installation is in {backup_path(change.path)}")
    return exits.DONE


def _names(places: Sequence[Path]) -> str:
    return " or ".join(str(place) for place in places if place.exists()) or str(places[-1])


def _make(change: Change, yes: bool) -> None:
    backup, needless = backup_path(change.path), change.removed_backup
    if change.before != change.after:
        output.echo(printable(change.diff()))
    if needless:
        output.echo(f"- {needless}")
    if not yes:
        click.confirm("Write this change?", abort=True, err=True)
    change.apply()
    if change.before != change.after:
        output.echo(f"{'removed' if change.after is None else 'changed'} {change.path}")
    if needless:
        output.echo(f"removed the old backup {needless}")
    if change.backup == "write" and change.before is not None:
        output.echo(f"the old text is in {backup}; --uninstall restores it")
