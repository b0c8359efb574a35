"""`search`: find words in the messages of all stored tasks."""

import time
from itertools import groupby
from pathlib import Path

import click

from sidecar.api.errors import InvalidParams
from sidecar.api.stored.search import SearchHit, SearchParams, SearchResult
from sidecar.api.stored.tasks import MAX_PAGE
from sidecar.app.clock import history_clock_ms
from sidecar.app.roots import search_dir
from sidecar.app.settings import SettingsStore
from sidecar.cli import output
from sidecar.cli.options import common, foreign_roots
from sidecar.cli.stored.opening import open_history, report_unlistable
from sidecar.cli.stored.other_stores import print_other_stores
from sidecar.history.search import SearchService
from sidecar.history.search.words import MARKS
from sidecar.history.task_history import TaskHistory

_TITLE = 100
"""How many characters of a title are shown above its hits."""
_PATIENCE_SECONDS = 120.0
"""How long one session may be read before the search ends without it."""


@click.command()
@click.argument("text")
@foreign_roots
@click.option("--query", help="Only tasks that match a query, as in `list --query`.")
@click.option("--limit", type=click.IntRange(1, MAX_PAGE), default=50, help="Maximum number of hits.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the result of tasks/search.")
@common
def search(
    text: str, roots: tuple[Path, ...], query: str | None, limit: int, as_json: bool, store: SettingsStore
) -> int:
    """Find messages that contain all words of TEXT, best matches first.

    "Quoted words" must be adjacent; sta* finds words that start with sta. The first search of a store reads
    all of its messages; later ones only what changed.
    """
    if not store.current.history.search:
        raise InvalidParams("search is turned off by the setting history.search; turn it on to search")
    history = open_history(roots, store)
    found = _search(history, SearchParams(text=text, query=query, limit=limit))
    if as_json:
        output.write_json(found)
    elif output.on_terminal():
        _print_for_a_person(found.hits)
    else:
        output.write_table(["SNIPPET", "MESSAGE", "ROLE", "TITLE", "ID"], map(_cells, found.hits))
    for each in found.partly_searched or ():
        output.echo(f"{each.task_id} was only partly searched: {each.message}", err=True)
    if found.indexed < found.total:
        output.echo(f"{found.indexed} of {found.total} tasks were searched; search again for more", err=True)
    if not (roots or query or found.total or as_json):
        print_other_stores(history, 0)
    return report_unlistable(history)


def _search(history: TaskHistory, params: SearchParams) -> SearchResult:
    """Search again until the index is complete, or nothing more is read.

    If it ended while a large session is being read, the next search would start reading that session again.
    """
    service, announced = SearchService(search_dir()), False
    grew_at = time.monotonic()
    click.get_current_context().call_on_close(service.close)
    found = service.search(history, params)
    while found.indexed < found.total:
        if output.on_terminal() and not announced:
            output.echo("Reading all messages for the first search …", err=True)
            announced = True
        before, found = found.indexed, service.search(history, params)
        if found.indexed > before:
            grew_at = time.monotonic()
        elif not service.is_indexing or time.monotonic() - grew_at > _PATIENCE_SECONDS:
            break
    return found


def _cells(hit: SearchHit) -> list[str]:
    return ["".join(_pieces(hit.snippet)), f"{hit.kind} {hit.index}", hit.role, hit.title, hit.task_id]


def _print_for_a_person(hits: list[SearchHit]) -> None:
    """Print hits in order, with a heading whenever the task changes."""
    now = history_clock_ms()
    for _, group in groupby(hits, key=lambda hit: (hit.root, hit.task_id)):
        of_task = list(group)
        output.echo_line(f"{of_task[0].title[:_TITLE]}  {of_task[0].task_id}")
        for hit in of_task:
            place = ", ".join(filter(None, (f"{hit.kind} {hit.index}", hit.role, output.age(now, hit.ts))))
            first, *rest = _pieces(hit.snippet)
            output.write_marked([f"    {place}: {first}", *rest])
            output.echo("")
    if not hits:
        output.echo("no message contains these words", err=True)


def _pieces(snippet: str) -> list[str]:
    """Split a snippet at its marks; every second piece has found words."""
    start, end = MARKS
    return snippet.replace(end, start).split(start)
