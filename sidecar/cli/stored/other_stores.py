"""Name the stores on this machine that no command reads yet."""

import os

from sidecar.app.settings import default_config_path
from sidecar.cli import output
from sidecar.history import TaskHistory


def print_other_stores(history: TaskHistory, shown: int) -> None:
    """Name the stores on this machine that are not listed, and how to list them."""
    from sidecar.history.discovery import discover_roots

    found = [
        place
        for place in discover_roots().searched
        if place.found and history.names.root_at(str(place.path)) is None
    ]
    if not found:
        if not shown and output.on_terminal():
            output.echo("No other stores were found; `doctor` lists the folders that were searched", err=True)
        return
    output.echo("\nOther stores on this machine, which are read only on request:", err=True)
    for place in found:
        output.echo_line(f"  {place.path}: {place.why}", err=True)
    advice = "List one with --root PATH, or all with `autoDiscover = true` below `[history]` in"
    output.echo_line(f"{advice} {default_config_path(os.environ)}", err=True)
