"""`export` and `doctor`: print one task as a document, and diagnose stores."""

from itertools import groupby
from pathlib import Path

import click

from sidecar.api.stored.doctor import DoctorResult, DoctorRoot, Finding
from sidecar.api.stored.export import ExportFormat
from sidecar.app.clock import history_clock_ms
from sidecar.app.roots import default_storage_root
from sidecar.app.settings import SettingsStore
from sidecar.cli import output
from sidecar.cli.options import common, foreign_roots
from sidecar.cli.stored.opening import open_history, tell_other_holders
from sidecar.history.stores.registry import is_root

_SHOWN = 20
"""How many findings of one kind are shown; --json has them all."""


@click.command()
@click.argument("task_id", metavar="ID")
@foreign_roots
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "json"]),
    default="markdown",
    help="Format of the document.",
)
@click.option(
    "--redact",
    is_flag=True,
    help="Replace likely secrets, home directories and user names. Check the result before sharing.",
)
@common
def export(
    task_id: str, roots: tuple[Path, ...], form: ExportFormat, redact: bool, store: SettingsStore
) -> None:
    """Print one stored task as a document. ID can be a unique prefix."""
    from sidecar.history.export import export_pieces, make_redactor

    history = open_history(roots, store)
    root, name = history.resolve(task_id)
    tell_other_holders(history, name, root.path)
    redactor = make_redactor() if redact else None
    estimate = store.current.history.estimate_cost
    for piece in export_pieces(history, name, form, redactor, root.path, estimate):
        output.write(piece)
    if redactor is not None:
        counts = ", ".join(f"{each.count} {each.kind}" for each in redactor.report) or "nothing"
        output.echo(f"redacted: {counts}", err=True)


@click.command()
@foreign_roots
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the result of history/doctor.")
@common
def doctor(roots: tuple[Path, ...], as_json: bool, store: SettingsStore) -> None:
    """Diagnose damaged, orphaned or unreadable tasks and suggest fixes.

    Changes nothing. Without --root, it also checks the usual places of all agents.
    """
    from sidecar.history.doctor import examine

    home = None if roots else Path.home()
    result = examine(open_history(roots, store), history_clock_ms(), home=home)
    if as_json:
        output.write_json(result)
        return
    _print_report(result)
    _print_fleet(store)


def _print_fleet(store: SettingsStore) -> None:
    """Print what is wrong with the cluster, if one is configured."""
    if store.current.fleet.gateway:
        from sidecar.cli.fleet import read_status

        found = read_status(store)
        output.echo_line(f"\ncluster: {found.problem or f'{len(found.nodes)} nodes, no problems found'}")


def _print_report(result: DoctorResult) -> None:
    for root in result.roots:
        output.echo_line(f"{root.path}: {_what_is_there(root)}")
    _print_searched(result)
    findings = sorted(result.findings, key=lambda each: (each.code, each.root, each.task_id or ""))
    for code, group in groupby(findings, key=lambda each: each.code):
        _print_group(code, list(group), len(result.roots) > 1)
    if not findings:
        output.echo("\nNo problems found.")
    if result.prices is not None:
        output.echo(f"Estimates of costs use the table of {result.prices}.")


def _print_searched(result: DoctorResult) -> None:
    """Report where stores were searched, and which of the found ones are not listed."""
    if result.searched is None:
        return
    listed = {name for root in result.roots for name in (root.path, *(root.other_names or ()))}
    found = [place for place in result.searched if place.found]
    output.echo(f"\nStores found: {len(found)} ({len(result.searched)} places searched)")
    for place in found:
        if place.path not in listed:
            output.echo_line(
                f"  {place.path}: {place.why}; list it with --root, or all stores with autoDiscover"
            )


def _what_is_there(root: DoctorRoot) -> str:
    holds_sessions = root.exists and is_root(Path(root.path))
    if root.tasks and not holds_sessions:
        return f"{root.tasks} tasks, all from kept copies"
    if not root.exists:
        if Path(root.path) == default_storage_root():
            return "no tasks yet; the sidecar stores its own runs in this folder"
        return "no such folder; name one that contains tasks/ or sessions of a known agent"
    if not holds_sessions:
        return "does not contain tasks/ or sessions of a known agent"
    empty = (
        f", {output.number_of(root.empty_folders, 'empty folder')} without a task"
        if root.empty_folders
        else ""
    )
    names = f"; also named {', '.join(root.other_names)}, counted once" if root.other_names else ""
    return f"{output.number_of(root.tasks, 'task')}{empty}{names}"


def _print_group(code: str, findings: list[Finding], several_roots: bool) -> None:
    output.echo(f"\n{code} ({len(findings)}): {findings[0].remedy}")
    for each in findings[:_SHOWN]:
        subject = (each.path if several_roots else each.task_id) or each.path or each.root
        output.echo_line(f"  {subject}: {each.message}")
    if len(findings) > _SHOWN:
        output.echo(f"  and {len(findings) - _SHOWN} more")
