"""`mcp`: connect an agent to the model's tools; without `--install` it serves them on stdio."""

from pathlib import Path

import click

from sidecar.api.errors import InvalidParams
from sidecar.cli import exits, output
from sidecar.cli.install.agents import AGENTS, NAME, server_command
from sidecar.cli.install.change import Change, backup_path, plan_install, plan_uninstall
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
@click.option("--yes", is_flag=True, help="Do not ask before the configuration is changed.")
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
    path = AGENTS[name].path(workspace)
    if install is None:
        return _make(plan_uninstall(path, AGENTS[name]), f"{NAME} is not in {path}", yes)
    options = [] if storage_root is None else ["--storage-root", str(storage_root.absolute())]
    options += [] if config is None else ["--config", str(config.absolute())]
    options += ["--trust"] if trust else []
    change = plan_install(path, AGENTS[name], server_command(options))
    done = _make(change, f"{NAME} is already in {path}", yes)
    if change is not None and AGENTS[name].advice:
        output.echo(AGENTS[name].advice, err=True)
    return done


def _make(change: Change | None, nothing: str, yes: bool) -> int:
    if change is None:
        output.echo(nothing)
        return exits.DONE
    output.echo(printable(change.diff()))
    if not yes:
        click.confirm("Write this change?", abort=True, err=True)
    change.apply()
    done = "changed" if change.after is not None else "removed"
    output.echo(f"{done} {change.path}")
    if change.backup == "write" and change.before is not None:
        output.echo(f"the old text is in {backup_path(change.path)}; --uninstall restores it")
    return exits.DONE
