"""Examine the rows, lists and folders of every root, one by one, and find tasks in several roots."""

import os
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from sidecar.api.stored.doctor import DoctorPlace, DoctorResult, DoctorRoot, Finding
from sidecar.api.stored.tasks import TaskInfo
from sidecar.history.catalog.root_catalog import RootCatalog
from sidecar.history.discovery import discover_roots
from sidecar.history.doctor.disagreement import disagreements
from sidecar.history.doctor.folders import (
    EmptyFolders,
    find_empty_folders,
    locks_and_leftovers,
    not_missing,
    strange_names,
    what_is_left,
)
from sidecar.history.doctor.kept_copies import damaged_copies, nameless_copies
from sidecar.history.doctor.remedies import finding, shared_finding
from sidecar.history.doctor.retention import due_soon
from sidecar.history.listing.selection import Selection
from sidecar.history.prices import table_name
from sidecar.history.stored.reading import stamp_of
from sidecar.history.stores.contract import Root, Store
from sidecar.history.stores.editors import Machine
from sidecar.history.stores.task_folders.files import ITEM_FILE, read_task, task_folder
from sidecar.history.stores.task_folders.ids import is_epoch_id
from sidecar.history.stores.task_folders.lists import RootLists, read_lists
from sidecar.history.stores.task_folders.products.cline import CLINE_LIST
from sidecar.history.stores.task_folders.products.kilo import KILO_STATE
from sidecar.history.stores.task_folders.products.roo import ROO_INDEX
from sidecar.history.stores.task_folders.store import TaskFolderStore
from sidecar.history.stores.task_folders.structural.view import TaskSource
from sidecar.history.task_history import TaskHistory

_OF_A_SAVE: Final = frozenset({"missing", "recovered"})
"""Problems that a save causes for a moment."""


def examine(
    history: TaskHistory,
    now: int,
    roots: list[str] | None = None,
    home: Path | None = None,
    progress: Callable[[int, int], object] = lambda done, total: None,
) -> DoctorResult:
    """Examine `roots` (default: all, and the stores in `home`). Changes nothing.

    `progress(done, total)` counts the roots. Raises InvalidParams for an unknown root.
    """
    rows = history.select(Selection(children=True), roots)
    paths = history.names.selected(roots)
    wanted = [root for root in history.roots if root.path in paths]
    searched = _searched(home) if home is not None and roots is None else None
    places = [place.path for place in searched or () if place.found]
    findings: list[Finding] = []
    seen: list[DoctorRoot] = []
    for done, root in enumerate(wanted):
        progress(done, len(wanted))
        own = [row for row in rows if row.root == root.path]
        in_folders = isinstance(history.store(root.path), TaskFolderStore)
        empty = find_empty_folders(root, {row.id for row in own}) if in_folders else EmptyFolders({})
        damaged = [*damaged_copies(_catalog(history, root))]
        findings += damaged
        if in_folders:
            findings += _findings(root, own, empty, now)
        else:
            findings += _problems_of(history, root, own, {each.path for each in damaged})
        findings += due_soon(_catalog(history, root), now)
        count = len(empty) if in_folders else _without_messages(history, root)
        seen.append(_root(root, own, count, history.names.others(root.path, places)))
    findings += duplicates(rows, {root.path: history.store(root.path) for root in wanted})
    if roots is None:
        findings += nameless_copies(history.kept, {root.copies for root in wanted})
    return DoctorResult(
        roots=seen,
        searched=searched,
        findings=findings,
        counts=dict(Counter(each.code for each in findings)),
        prices=table_name(),
        revision=history.revision,
    )


def _without_messages(history: TaskHistory, root: Root) -> int:
    """Count the sessions in which nobody wrote anything."""
    return sum(not row.body for row in _catalog(history, root).rows("structural").values())


def _catalog(history: TaskHistory, root: Root) -> RootCatalog:
    (catalog,) = (each for each in history.catalogs if each.root == root)
    return catalog


def _root(root: Root, rows: list[TaskInfo], empty: int, other_names: list[str]) -> DoctorRoot:
    return DoctorRoot(
        path=root.path,
        product=root.product,
        exists=Path(root.path).is_dir(),
        tasks=len(rows),
        empty_folders=empty,
        other_names=other_names or None,
    )


def _searched(home: Path) -> list[DoctorPlace]:
    """Return every place that autoDiscover checks, even if it is off."""
    places = discover_roots(Machine(home, os.environ, sys.platform)).searched
    return [DoctorPlace(path=str(place.path), why=place.why, found=place.found) for place in places]


def _findings(root: Root, rows: list[TaskInfo], empty: EmptyFolders, now: int) -> Iterator[Finding]:
    lists = read_lists(root, RootLists())
    yield from strange_names(root)
    yield from empty.findings(root)
    yield from _index_only(root, lists, {row.id for row in rows})
    for row in sorted(rows, key=lambda row: row.id):
        yield from _problems(root, row)
        yield from locks_and_leftovers(root, row.id, row.problems)
        yield from _orphan(root, lists, row)
        yield from _disagreement(root, lists, row, now)


def _problems_of(
    history: TaskHistory, root: Root, rows: list[TaskInfo], reported: Collection[str | None]
) -> Iterator[Finding]:
    """Report the problems of shared files and of rows, except that a file in `reported` cannot be read."""
    store = history.store(root.path)
    problems = store.problems()
    for path, found in (*problems, *(each for each in store.unlisted() if each not in problems)):
        yield shared_finding(root.path, found, path)
    for row in sorted(rows, key=lambda row: row.id):
        for problem in row.problems:
            location = history.store(row.root).location(row.id)
            if problem.code == "unreadable" and location in reported:
                continue
            yield finding(problem.code, row.root, problem.message, row.id, location)


def _problems(root: Root, row: TaskInfo) -> Iterator[Finding]:
    """Report the problems of a row, except those caused by a recent save."""
    steady = tuple(not_missing(root, row.id)) if row.problems else ()
    for problem in row.problems:
        code, message = problem.code, problem.message
        if code in _OF_A_SAVE and message.startswith(steady):
            continue
        if code == "empty":
            if any(other.code == "unreadable" for other in row.problems):
                continue  # the messages may be there
            code = "messagesGone"
            if left := what_is_left(root, row.id):
                message = f"{message}; the folder still holds {', '.join(left)}"
        yield finding(code, root.path, message, row.id, task_folder(root.path, row.id))


def _index_only(root: Root, lists: RootLists, present: set[str]) -> Iterator[Finding]:
    for entries in (lists.entries, lists.hints):
        for task_id in sorted(entries.keys() - present):
            source = lists.place_of(task_id) if entries is lists.entries else ROO_INDEX
            path = f"{root.path}{os.sep}{source.replace('/', os.sep)}"
            yield finding("indexOnly", root.path, f"{source} names {task_id!r}", task_id, path)


def _orphan(root: Root, lists: RootLists, row: TaskInfo) -> Iterator[Finding]:
    """Report a task as an orphan if its product keeps a list on disk that does not name it."""
    source, listed = _list_for(lists, row.id)
    folder = task_folder(root.path, row.id)
    has_item = stamp_of(f"{folder}{os.sep}{ITEM_FILE}") is not None
    if listed and row.id not in listed and not has_item and not _is_empty(row):
        yield finding("orphan", root.path, f"{source} does not name it", row.id, folder)


def _list_for(lists: RootLists, task_id: str) -> tuple[str, Collection[str]]:
    """Return the list in which a product keeps tasks with IDs of this form, or an empty one."""
    if is_epoch_id(task_id):
        return CLINE_LIST, lists.entries
    return (ROO_INDEX, lists.hints) if lists.hints else (KILO_STATE, lists.by_list.get(KILO_STATE, {}))


def _is_empty(row: TaskInfo) -> bool:
    return any(problem.code == "empty" for problem in row.problems)


def _disagreement(root: Root, lists: RootLists, row: TaskInfo, now: int) -> Iterator[Finding]:
    folder, entry = task_folder(root.path, row.id), lists.entries.get(row.id)
    if row.product == "sidecar" or (entry is None and stamp_of(f"{folder}{os.sep}{ITEM_FILE}") is None):
        return
    files = read_task(folder, with_metadata=False)
    place = lists.place_of(row.id)
    source = TaskSource(row.id, root.path, root.product, files, entry, None, now, place)
    if found := disagreements(source):
        yield finding("disagreement", root.path, "; ".join(found), row.id, folder)


def duplicates(rows: Sequence[TaskInfo], stores: Mapping[str, Store]) -> Iterator[Finding]:
    """Report each task that several stores hold, at the first one; `stores` is keyed by root path."""
    holders: defaultdict[str, list[str]] = defaultdict(list)
    for row in rows:
        holders[row.id].append(row.root)
    roots = [*stores]
    for task_id in sorted(holders):
        first, *others = sorted(holders[task_id], key=roots.index)
        if others:
            message = f"also in {', '.join(others)}"
            yield finding("duplicate", first, message, task_id, stores[first].location(task_id))
