"""`fleet`: show the cluster of the settings, and remove what ended runs left there."""

import asyncio
import os
from pathlib import Path

import click

from sidecar.api.runs.fleet import FleetStatus
from sidecar.app.settings import SettingsStore
from sidecar.cli import exits, output
from sidecar.cli.fleet_waiting import patiently
from sidecar.cli.options import common, workspace_folder

_GC_SECONDS = 300


@click.group()
def fleet() -> None:
    """Show or clean up the cluster that runs with `placement: ray` use."""


@fleet.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the result of fleet/status.")
@common
def status(as_json: bool, store: SettingsStore) -> int:
    """Show nodes, slots, runs, versions and problems of the cluster."""
    found = read_status(store)
    if as_json:
        output.write_json(found)
    else:
        _print(found)
    return exits.DONE if found.configured and found.problem is None else exits.FAILED


@fleet.command()
@workspace_folder
@common
def gc(workspace: Path, store: SettingsStore) -> int:
    """Remove what runs no longer need.

    Removes from the repository of the workspace the refs of runs that the checked-out branch contains, and
    those older than journal.retentionDays. Removes from all nodes the folders of ended runs, and the parts of
    their caches that have not been used for a long time.
    """
    pruned = _pruned(workspace, store)
    for ref in pruned:
        output.echo(ref)
    cleaned = asyncio.run(_gc(store))
    for name in cleaned["removed"]:
        output.echo(name)
    for problem in cleaned["problems"]:
        output.echo(f"not cleaned: {problem}", err=True)
    output.echo(f"{len(pruned) + len(cleaned['removed'])} removed", err=True)
    return exits.FAILED if cleaned["problems"] else exits.DONE


def read_status(store: SettingsStore) -> FleetStatus:
    """Return the status of the cluster, through a gateway of its own."""
    return asyncio.run(_status(store))


async def _status(store: SettingsStore) -> FleetStatus:
    from sidecar.subagents.runners.fleet_links import FleetLinks
    from sidecar.subagents.runners.remote.status import fleet_status

    links = FleetLinks()
    try:
        link = links.link(store.current.fleet, os.environ)
        return await patiently(link, fleet_status(link))
    finally:
        await links.aclose()


def _pruned(workspace: Path, store: SettingsStore) -> list[str]:
    """Remove refs from the repository of a workspace; return them, none without a repository."""
    from sidecar.storage import scratch
    from sidecar.subagents.runners.remote.git import GitError, is_without_repository
    from sidecar.subagents.runners.remote.refs import run_refs

    scratch.remove_left()
    try:
        old = run_refs.prune_old(workspace, store.current.journal.retention_days)
        return [*old, *run_refs.prune_merged(workspace)]
    except GitError as error:
        why = f"no refs were removed: {error}"
        if is_without_repository(error):
            why = "not in a git repository, so no refs were removed; to remove refs, run this in a repository"
        output.echo(f"{workspace}: {why}", err=True)
        return []


async def _gc(store: SettingsStore) -> dict[str, list[str]]:
    from sidecar.subagents.runners.fleet_links import FleetLinks

    links = FleetLinks()
    try:
        link = links.link(store.current.fleet, os.environ)
        cleaned: dict[str, list[str]] = await patiently(link, link.request("gc", _GC_SECONDS))
        return cleaned
    finally:
        await links.aclose()


def _print(found: FleetStatus) -> None:
    if not found.configured:
        output.echo("no cluster is configured; set fleet.gateway (see docs/fleet.md)")
        return
    if found.address is not None:
        token = "with" if found.authentication else "without"
        versions = f"sidecar {found.version}, Ray {found.ray}, Python {found.python}"
        output.echo(f"{found.address}: {versions}, {token} authentication, {len(found.runs)} runs")
        rows = [
            [
                node.name,
                node.address,
                f"{node.free_slots}/{node.slots}",
                node.version or "",
                ", ".join(node.agents or ()),
                node.problem or "",
            ]
            for node in found.nodes
        ]
        output.write_table(["NODE", "ADDRESS", "FREE", "VERSION", "AGENTS", "PROBLEM"], rows, title_column=5)
    if found.problem is not None:
        output.echo(f"problem: {found.problem}", err=True)
