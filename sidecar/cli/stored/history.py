"""`list` and `show`: print stored tasks for people, pipes and models."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
from msgspec.structs import replace

from sidecar.api.stored.tasks import (
    MAX_PAGE,
    GetResult,
    Rules,
    Sort,
    SortKey,
    StoredMessage,
    TaskInfo,
)
from sidecar.app.clock import history_clock_ms
from sidecar.app.roots import WantedRoots, default_storage_root, index_dir, kept_dir
from sidecar.app.settings import SettingsStore, default_config_path
from sidecar.changes.file_change import FileChange
from sidecar.cli import exits, output
from sidecar.cli.options import common, foreign_roots
from sidecar.history import TaskHistory
from sidecar.history.listing.pages import ListPage
from sidecar.history.listing.selection import ListQuery
from sidecar.history.stores.parallel import in_two_processes
from sidecar.history.stores.registry import is_root
from sidecar.printable import printable
from sidecar.status_words import stored_status

if TYPE_CHECKING:
    from sidecar.history.stores.contract import Kind

_SORTS = ["createdAt", "lastActivity", "title", "tokens", "cost", "messages", "duration", "size"]
_PAGE = 500
_FILES = 10
"""How many files of a task are shown."""


@click.command("list")
@foreign_roots
@click.option(
    "--filter", "filter_text", help="Only tasks whose id, title, mode or status contains this text."
)
@click.option("--query", help="Only tasks that match a query, e.g. status:failed cost>0.5 since:7d")
@click.option(
    "--rules",
    type=click.Choice(["structural", "guide"]),
    help="structural: accurate values. guide: those of the reference algorithm.",
)
@click.option("--sort", type=click.Choice(_SORTS), help="Sort by this field, descending; titles ascending.")
@click.option("--limit", type=click.IntRange(1, MAX_PAGE), help="Maximum number of tasks.")
@click.option("--children", is_flag=True, help="Include child sessions, such as those of subagents.")
@click.option("--json", "form", flag_value="json", help="Print JSON: the result of tasks/list.")
@click.option("--text", "form", flag_value="text", help="Print the text that the tool list_tasks returns.")
@common
def list_tasks(
    roots: tuple[Path, ...],
    filter_text: str | None,
    query: str | None,
    rules: Rules | None,
    sort: SortKey | None,
    limit: int | None,
    children: bool,
    form: Literal["json", "text"] | None,
    store: SettingsStore,
) -> int:
    """List the tasks of the own root and of the configured roots, or only those of each --root."""
    history = open_history(roots, store)
    chosen: Rules = rules or store.current.history.rules
    estimate = store.current.history.estimate_cost
    wanted = ListQuery(filter_text, query, chosen, _order(sort), children=children, estimate=estimate)
    page = _page(history, wanted, limit)
    if form == "json":
        output.write_pieces(page.pieces())
    elif form == "text":
        from sidecar.history.listing.text import format_tasks

        named = " ".join(filter(None, (filter_text, query))) or None
        # In a pipe, this is exactly the tool's result.
        output.write(format_tasks(page.items, named, chosen) + "\n" * output.on_terminal())
    else:
        _print_table(page.items, len(history.roots) > 1)
        _print_totals(len(page.items), page.matched, page.total)
        if not page.total:
            _print_advice(roots)
        if not roots:
            _print_other_stores(history, page.total)
    return report_unlistable(history)


@click.command()
@click.argument("task_id", metavar="ID")
@foreign_roots
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the result of tasks/get.")
@common
def show(task_id: str, roots: tuple[Path, ...], as_json: bool, store: SettingsStore) -> None:
    """Show one stored task and its transcript. ID can be a unique prefix."""
    history = open_history(roots, store)
    task, provenance = history.get(task_id, estimate=store.current.history.estimate_cost)
    tell_other_holders(history, task.id, task.root)
    if as_json:
        output.write_json(GetResult(task=task, provenance=provenance, revision=0))
        return
    location = history.store(task.root).location(task.id)
    rows = [(name, value, _source(provenance, key)) for name, key, value in _fields(task, location)]
    rows += [("Files", files, "")] if (files := _files(history, task)) else []
    width = max(len(name) for name, _, _ in rows)
    for name, value, source in rows:
        output.echo_line(f"{name:<{width}}  {value}" + (f"  ({source})" if source else ""))
    for problem in task.problems:
        output.echo_line(f"! {problem.code}: {problem.message}")
    kind: Kind = "ui" if task.ui_message_count else "api"
    cursor = None
    while True:
        page = history.messages(task.id, kind, cursor, _PAGE, root=task.root)
        for message in page.messages:
            _print_message(message)
        cursor = page.next_cursor
        if cursor is None:
            return


def open_history(roots: tuple[Path, ...], store: SettingsStore) -> TaskHistory:
    """Return the history of the named roots, else of the own root and the roots in the settings."""
    chosen = [root.absolute() for root in roots]
    if not chosen:
        chosen = [*WantedRoots.of(default_storage_root(), (), store.current.history).find()]
    history = TaskHistory(
        chosen, now=history_clock_ms, cache=index_dir(), parallel=in_two_processes, kept=kept_dir()
    )
    click.get_current_context().call_on_close(history.close)
    return history


def report_unlistable(history: TaskHistory) -> int:
    """Report on stderr the roots and folders that cannot be listed; return the exit code."""
    found: list[str] = []
    for root in history.roots:
        why = history.store(root.path).unlistable()
        if why is not None:
            found.append(f"{root.path}: the tasks cannot be listed: {why}")
        else:
            found += [f"{each.path}: {each.message}" for each in history.unlisted([root.path])]
    for line in found:
        output.echo_line(line, err=True)
    return exits.FAILED if found else exits.DONE


def tell_other_holders(history: TaskHistory, task_id: str, root: str) -> None:
    """Report on stderr that other roots have a task with the same ID, and how to show it."""
    for other in history.other_holders(task_id, root):
        note = (
            f"Showing the task in {root}. {other.path} has a task with this id too: use --root {other.path}"
        )
        output.echo_line(note, err=True)


def _order(by: SortKey | None) -> Sort | None:
    if by is None:
        return None
    return Sort(by=by, order="asc" if by == "title" else "desc")


def _page(history: TaskHistory, query: ListQuery, limit: int | None) -> ListPage:
    """Return one page, or all tasks as one page without a limit."""
    page = history.page(replace(query, limit=limit or MAX_PAGE))
    while limit is None and page.next_cursor is not None:
        page = page.followed_by(history.page(replace(query, limit=MAX_PAGE, cursor=page.next_cursor)))
    return page


def _print_table(tasks: list[TaskInfo], several_roots: bool) -> None:
    now = history_clock_ms()
    # On a terminal, a whole path would leave no space for the title; `show` prints it.
    place = ["ROOT"] * (several_roots and not output.on_terminal())
    product = ["PRODUCT"] * several_roots
    columns = ["STATUS", "TITLE", "MODE", "TOKENS", "COST", "ACTIVE", *product, *place, "ID"]
    rows = [
        [
            task.status + ("!" if task.problems else ""),
            task.title,
            task.mode.name or task.mode.current or "",
            _count(task),
            _cost(task),
            output.age(now, task.last_activity),
            *(task.product for _ in product),
            *(task.root for _ in place),
            task.id,
        ]
        for task in tasks
    ]
    output.write_table(columns, rows, title_column=1)


def _print_totals(shown: int, matched: int, total: int) -> None:
    if not output.on_terminal():
        return
    parts = [f"{shown} of {matched} tasks" if shown < matched else f"{matched} tasks"]
    if matched < total:
        parts.append(f"{total} in all")
    output.echo(f"\n{', '.join(parts)}", err=True)


def _print_advice(roots: tuple[Path, ...]) -> None:
    """Explain an empty list."""
    if not output.on_terminal():
        return
    for root in roots:
        if not is_root(root):
            output.echo(f"{root} does not contain tasks; `doctor` lists the folders that do", err=True)


def _print_other_stores(history: TaskHistory, shown: int) -> None:
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


def _fields(task: TaskInfo, location: str) -> list[tuple[str, str, str]]:
    usage = task.token_usage
    pairs = [
        ("Title", "title", task.title),
        ("Id", "id", task.id),
        ("Status", "status", stored_status(task.status, task.outcome)),
        ("Created", "createdAt", output.when(task.created_at)),
        ("Last activity", "lastActivity", output.when(task.last_activity)),
        ("Span", "duration", output.span(task.duration)),
        ("Mode", "mode", " / ".join(part for part in (task.mode.name, task.mode.current) if part)),
        ("Model", "model", task.model or ""),
        ("Workspace", "workspaceDir", task.workspace_dir or ""),
        ("Tokens", "tokenUsage", _count(task)),
        ("Cost", "cost", output.dollars(usage.cost if usage else None)),
        ("Estimated cost", "estimatedCost", output.dollars(usage.estimated_cost if usage else None)),
        ("Messages", "messageCount", output.count(task.message_count)),
        ("Size", "sizeBytes", output.size(task.size_bytes)),
        ("Product", "product", task.product),
        ("Parent", "parentId", task.parent_id or ""),
        ("Children", "childIds", " ".join(task.child_ids or ())),
        ("Kept", "kept", "the sidecar keeps a copy" if task.kept else ""),
        ("Location", "root", location),
    ]
    if usage is None:
        pairs = [pair for pair in pairs if pair[0] not in ("Tokens", "Cost")]
    return [pair for pair in pairs if pair[2]]


def _files(history: TaskHistory, task: TaskInfo) -> str:
    """Return the first files of the task with their added and deleted lines."""
    files = history.files.files(task)
    more = f" and {len(files) - _FILES} more" if len(files) > _FILES else ""
    return ", ".join(map(_file, files[:_FILES])) + more


def _file(file: FileChange) -> str:
    counts = (("+", file.additions), ("-", file.deletions))
    return " ".join(
        [file.path, *(f"{sign}{output.count(lines)}" for sign, lines in counts if lines is not None)]
    )


def _source(provenance: object, key: str) -> str:
    entry = provenance.get(key) if isinstance(provenance, dict) else None
    if entry is None:
        return ""
    return f"{entry.source}: {entry.note}" if entry.note else str(entry.source)


def _count(task: TaskInfo) -> str:
    return output.count(task.token_usage.total if task.token_usage else None)


def _cost(task: TaskInfo) -> str:
    """Return the recorded cost, else the estimated one with a sign of its own."""
    usage = task.token_usage
    if usage is None or usage.cost is not None or usage.estimated_cost is None:
        return output.dollars(usage.cost if usage else None)
    return f"~{output.dollars(usage.estimated_cost)}"


def _print_message(message: StoredMessage) -> None:
    head = f"{output.when(message.ts)}  {message.role} {message.kind}".strip()
    if message.tool is not None and message.tool.name:
        head += f" {message.tool.name}"
    if output.on_terminal():
        import shutil

        width = shutil.get_terminal_size().columns
        output.write("\n" + "-" * min(width, 80) + "\n")
    else:
        output.echo("")
    output.echo_line(head)
    if message.text:
        output.echo(printable(message.text).rstrip("\n"))
