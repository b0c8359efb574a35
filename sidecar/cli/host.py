"""`host`: show or stop the Host that the clients of a root share."""

from pathlib import Path

import click

from sidecar.app.settings import SettingsStore
from sidecar.cli import exits, output
from sidecar.cli.client.asking import host_status, stop_host
from sidecar.cli.options import common, storage_root


@click.group()
def host() -> None:
    """Show or stop the Host that the clients of a root share."""


@host.command()
@storage_root
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@common
def status(own_root: Path, as_json: bool, store: SettingsStore) -> int:
    """Show the process, the clients and the runs of the Host. Does not start one."""
    found = host_status(own_root)
    if as_json:
        output.write_json({"running": False} if found is None else found)
    elif found is None:
        output.echo(f"no Host is running for {own_root}")
    else:
        runs = found["runs"]
        rows = [
            [
                str(found["pid"]),
                found["version"],
                output.span(found["uptimeMs"]),
                str(found["clients"]),
                str(runs["running"]),
                str(runs["queued"]),
            ]
        ]
        output.write_table(["PID", "VERSION", "UPTIME", "CLIENTS", "RUNNING", "QUEUED"], rows, title_column=1)
    return exits.FAILED if found is None else exits.DONE


@host.command()
@storage_root
@click.option("--cancel-running", is_flag=True, help="Cancel queued and running runs first.")
@common
def stop(own_root: Path, cancel_running: bool, store: SettingsStore) -> int:
    """Stop the Host and wait until it has ended. Its clients lose their connection."""
    if not stop_host(own_root, cancel_running=cancel_running):
        output.echo(f"no Host is running for {own_root}", err=True)
    return exits.DONE
