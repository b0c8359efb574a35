"""`stats`: print tokens and costs of stored tasks, in total and by group."""

from pathlib import Path

import click

from sidecar.api.stored.stats import GROUPS, GroupKey, StatsParams, StatsResult, Totals
from sidecar.app.settings import SettingsStore
from sidecar.cli import output
from sidecar.cli.options import common, foreign_roots
from sidecar.cli.stored.opening import open_history, report_unlistable
from sidecar.cli.stored.other_stores import print_other_stores

_BY = ["workspace", "mode", "product", "day", "model", "status"]
_COLUMNS = ["BY", "KEY", "TASKS", "TOKENS", "CACHE READS", "COST", "MESSAGES", "SIZE"]
_ESTIMATED = "ESTIMATED"
_SHOWN = 10
"""How many rows of one kind are shown on a terminal."""

Row = tuple[str, str, Totals]


@click.command()
@foreign_roots
@click.option(
    "--filter", "filter_text", help="Only tasks whose ID, title, mode or status contains this text."
)
@click.option("--query", help="Only tasks that match a query, as in `list --query`.")
@click.option(
    "--by", "group_by", type=click.Choice(_BY), multiple=True, help="Group by this field. Can be repeated."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the result of tasks/stats.")
@common
def stats(
    roots: tuple[Path, ...],
    filter_text: str | None,
    query: str | None,
    group_by: tuple[GroupKey, ...],
    as_json: bool,
    store: SettingsStore,
) -> int:
    """Add up tokens and cost of all tasks, by workspace, mode, product and day.

    A task that started others has two rows: "parent" counts only that task, "tree" counts its
    descendants too.
    """
    from sidecar.history import insight

    params = StatsParams(filter=filter_text, query=query, group_by=list(group_by or GROUPS))
    history = open_history(roots, store)
    settings = store.current.history
    result = insight.stats(history, params, settings.rules, estimate=settings.estimate_cost)
    if as_json:
        output.write_json(result)
        return report_unlistable(history)
    kinds = [[("all", "", result.totals)], *_groups(result), _parents(result)]
    shown = _SHOWN if output.on_terminal() else None
    rows = [_cells(*row) for kind in kinds for row in kind[:shown]]
    columns = _COLUMNS
    if settings.estimate_cost:
        estimates = [output.dollars(row[2].estimated_cost) for kind in kinds for row in kind[:shown]]
        place = _COLUMNS.index("COST") + 1
        columns = [*_COLUMNS[:place], _ESTIMATED, *_COLUMNS[place:]]
        rows = [[*row[:place], cell, *row[place:]] for row, cell in zip(rows, estimates, strict=True)]
    output.write_table(columns, rows, title_column=1)
    _print_notes(result, any(len(kind) > _SHOWN for kind in kinds))
    if not (roots or filter_text or query or result.matched):
        print_other_stores(history, 0)
    return report_unlistable(history)


def _groups(result: StatsResult) -> list[list[Row]]:
    return [
        [(by, group.key if group.key is not None else "(unknown)", group.totals) for group in groups]
        for by, groups in result.groups.items()
    ]


def _parents(result: StatsResult) -> list[Row]:
    own_and_tree = (
        (("parent", tree.title, tree.own), ("tree", tree.title, tree.tree)) for tree in result.parents
    )
    return [row for both in own_and_tree for row in both]


def _cells(by: str, key: str, totals: Totals) -> list[str]:
    return [
        by,
        key,
        str(totals.tasks),
        output.count(totals.tokens),
        output.count(totals.cache_reads),
        output.dollars(totals.cost),
        output.count(totals.messages),
        output.size(totals.size_bytes),
    ]


def _print_notes(result: StatsResult, cut: bool) -> None:
    if not output.on_terminal():
        return
    estimated = result.totals.tasks_with_estimated_cost or 0
    unknown = result.totals.tasks - result.totals.tasks_with_cost - estimated
    notes = [f"cost is unknown for {unknown} tasks"] if unknown else []
    if estimated:
        notes.append(f"cost is estimated for {estimated} tasks by {result.prices}, and not part of COST")
    if result.copies:
        notes.append(f"{result.copies} copies in other stores are not counted; `doctor` names them")
    notes += ["only the first of each kind are shown; use --json for all"] if cut else []
    if notes:
        output.echo("\n" + "; ".join(notes), err=True)
