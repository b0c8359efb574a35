"""`list`: print stored tasks for people, pipes and models."""

from pathlib import Path
from typing import Literal

import click
from msgspec.structs import replace

from sidecar.api.stored.tasks import MAX_PAGE, Rules, Sort, SortKey, TaskInfo
from sidecar.app.clock import history_clock_ms
from sidecar.app.settings import SettingsStore
from sidecar.cli import output
from sidecar.cli.options import common, foreign_roots
from sidecar.cli.stored.answering import Answering
from sidecar.cli.stored.opening import open_history, report_unlistable
from sidecar.cli.stored.other_stores import print_other_stores
from sidecar.history import TaskHistory
from sidecar.history.listing.pages import ListPage
from sidecar.history.listing.selection import ListQuery
from sidecar.history.stores.registry import is_root

_SORTS = ["createdAt", "lastActivity", "title", "tokens", "cost", "messages", "duration", "size"]


@click.command("list")
@foreign_roots
@click.option(
    "--filter", "filter_text", help="Only tasks whose ID, title, mode or status contains this text."
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
    answering = Answering(history, wanted, roots, store) if form == "json" else None
    page = _page(history, wanted, limit)
    if answering is not None:
        answering.print(page)
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
            print_other_stores(history, page.total)
    code = report_unlistable(history)
    if answering is not None:
        answering.keep(code)
    return code


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
    from sidecar.status_words import stored_status  # JSON and texts for models need none of its types

    now = history_clock_ms()
    # On a terminal, a whole path would leave no space for the title; `show` prints it.
    place = ["ROOT"] * (several_roots and not output.on_terminal())
    product = ["PRODUCT"] * several_roots
    columns = ["STATUS", "TITLE", "MODE", "TOKENS", "COST", "ACTIVE", *product, *place, "ID"]
    rows = [
        [
            stored_status(task.status, task.outcome) + ("!" if task.problems else ""),
            task.title,
            task.mode.name or task.mode.current or "",
            output.count(task.token_usage.total if task.token_usage else None),
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
    tasks = output.number_of(matched, "task")
    parts = [f"{shown} of {tasks}" if shown < matched else tasks]
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


def _cost(task: TaskInfo) -> str:
    """Return the recorded cost, else the estimated one, marked as an estimate."""
    usage = task.token_usage
    if usage is None or usage.cost is not None or usage.estimated_cost is None:
        return output.dollars(usage.cost if usage else None)
    return f"~{output.dollars(usage.estimated_cost)}"
