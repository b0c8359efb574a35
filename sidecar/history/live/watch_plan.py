"""Choose the folders to watch, and map changed paths to tasks."""

import heapq
import os
import stat
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, zip_longest
from pathlib import Path
from typing import Final, NamedTuple

from sidecar.history.catalog.root_catalog import RootCatalog
from sidecar.history.stores.contract import Store
from sidecar.history.stores.index_row import IndexRow, condense
from sidecar.history.stores.status_by_age import DAY_MS

NEWEST: Final = 500
"""How many tasks of a root are watched regardless of their age."""
MAX_WATCHES: Final = 2_000
"""The most folders watched in total: a quarter of the smallest per-user limit of any kernel."""
NEW_MS: Final = 60_000
"""How long a new folder is watched while it does not hold a task yet."""
ACTIVE_MS: Final = 600_000
"""How long the list of active tasks is reused while the rows do not change: sorting 20,000 takes 15 ms."""


class TaskKey(NamedTuple):
    """The path of a root and the ID of one of its tasks."""

    root: str
    task_id: str


class ChangedPaths(NamedTuple):
    """What changed: tasks, the paths of roots whose shared lists changed, and folders of tasks."""

    tasks: set[TaskKey]
    lists: set[str]
    folders: dict[str, TaskKey]


class _Active(NamedTuple):
    """The active tasks among `rows` at a time in ms; the mapping is replaced whenever a row changes."""

    rows: Mapping[str, IndexRow]
    at: int
    names: Sequence[str]


Identity = int
"""Device, inode and mode of a folder, condensed. A watch stays valid as long as none of them changes."""
Folders = dict[str, Identity]
"""Readable folders by path."""


def active_tasks(rows: Iterable[IndexRow], now: int) -> list[str]:
    """Return the IDs of the `NEWEST` tasks and of all touched within a day, newest first; `now` is in ms."""
    newest = heapq.nlargest(MAX_WATCHES, rows, key=lambda row: row.touched)
    return [row.id for place, row in enumerate(newest) if place < NEWEST or now - row.touched < DAY_MS]


class WatchPlan:
    """Choose the folders to watch. Watches report real paths, even when a link leads to a root."""

    def __init__(self, catalogs: Sequence[RootCatalog]) -> None:
        self._catalogs = catalogs
        self._real = {catalog.root.path: Path(catalog.root.path) for catalog in catalogs}
        self._new: dict[TaskKey, int] = {}
        self._active: dict[str, _Active] = {}
        self._readable: Folders = {}

    @property
    def _stores(self) -> Mapping[str, Store]:
        """The stores by root; an empty root may become that of another product."""
        return {catalog.root.path: catalog.store for catalog in self._catalogs}

    def shared(self) -> dict[str, Folders]:
        """Return, by root, the folders that hold tasks and lists and can be watched.

        Each call resolves links to roots again.
        """
        found = {}
        for root, store in self._stores.items():
            self._real[root] = Path(root).resolve()
            real = str(self._real[root])
            found[root] = _identified((_joined(real, name) for name in store.shared_folders), self._readable)
        self._readable = _merged(found)
        return found

    def folders(self, now: int, shared_now: Mapping[str, Folders] | None = None) -> Folders:
        """Return the shared folders and those of active tasks that can be watched; `now` is in ms.

        If there are too many, each root has the same share. `shared_now` is a recent result of `shared`.
        """
        shared = _merged(self.shared() if shared_now is None else shared_now)
        turns = chain.from_iterable(zip_longest(*(self._own(catalog, now) for catalog in self._catalogs)))
        own = [path for path in dict.fromkeys(turns) if path is not None and path not in shared]
        return shared | _identified(own[: max(0, MAX_WATCHES - len(shared))], {})

    def _own(self, catalog: RootCatalog, now: int) -> Iterable[str]:
        """Return the folders of active tasks, each once, as texts: Path objects take twice as long."""
        root, folder_of = str(self._real[catalog.root.path]), catalog.store.folder_of
        folders = dict.fromkeys(folder_of(name) for name in self.active(catalog, now))
        return [root + os.sep + folder for folder in folders if folder is not None]

    def active(self, catalog: RootCatalog, now: int) -> list[str]:
        """Return the tasks of a root that are likely to change: new ones, then `active_tasks`."""
        self._new = {key: since for key, since in self._new.items() if 0 <= now - since < NEW_MS}
        new = [key.task_id for key in self._new if key.root == catalog.root.path]
        return [*dict.fromkeys([*new, *self._active_of(catalog, now)])]

    def shares(self, most: int, now: int) -> Counter[str]:
        """Return how many of its active tasks each root has among the `most` newest of all; ms."""
        touched = (
            (row.touched if (row := rows.get(name)) is not None else now, catalog.root.path)
            for catalog in self._catalogs
            for rows in (catalog.rows("structural"),)
            for name in self.active(catalog, now)
        )
        return Counter(root for _, root in heapq.nlargest(most, touched))

    def changed(self, paths: Iterable[str]) -> ChangedPaths:
        """Map changed paths to tasks and lists; temporary files of writers are ignored."""
        changed = ChangedPaths(set(), set(), {})
        stores = self._stores
        for path in paths:
            for root, real in self._real.items():
                if (whole := Path(path)).is_relative_to(real):
                    _add(changed, stores[root], path, whole.relative_to(real).parts)
        return changed

    def unwatched(self, changed: ChangedPaths, watched: Mapping[str, Identity], now: int) -> bool:
        """Return whether a changed task folder lacks a watch, and add such folders to the plan; ms."""
        made = [
            key
            for path, key in changed.folders.items()
            if _identity(path, None) not in (None, watched.get(path))
        ]
        self._new.update(dict.fromkeys(made, now))
        return bool(made)

    def _active_of(self, catalog: RootCatalog, now: int) -> Sequence[str]:
        rows, known = catalog.rows("structural"), self._active.get(catalog.root.path)
        if known is None or known.rows is not rows or not 0 <= now - known.at < ACTIVE_MS:
            known = _Active(rows, now, active_tasks(rows.values(), now))
            self._active[catalog.root.path] = known
        return known.names


@lru_cache(MAX_WATCHES)
def _joined(real: str, name: str) -> str:
    """Join two paths; a path object takes a third of the time of the stat that follows."""
    return str(Path(real) / name)


def _merged(by_root: Mapping[str, Folders]) -> Folders:
    return {path: each for folders in by_root.values() for path, each in folders.items()}


def _identified(paths: Iterable[str], readable: Mapping[str, Identity]) -> Folders:
    return {path: found for path in paths if (found := _identity(path, readable.get(path))) is not None}


def _identity(path: str, readable: Identity | None) -> Identity | None:
    """Return the identity of a folder that can be watched; `readable` is its identity when it last could."""
    try:
        found = os.stat(path)  # noqa: PTH116 (no path object for each folder)
    except (OSError, ValueError):
        return None
    identity = condense(((found.st_dev, found.st_ino, found.st_mode),))
    if identity != readable and not (stat.S_ISDIR(found.st_mode) and os.access(path, os.R_OK)):
        return None
    return identity


def _add(changed: ChangedPaths, store: Store, path: str, parts: Sequence[str]) -> None:
    touched = store.touched(parts)
    if touched is None:
        return
    if touched.key is None:
        changed.lists.add(store.root.path)
        return
    key = TaskKey(store.root.path, touched.key)
    changed.tasks.add(key)
    if touched.folder:
        changed.folders[path] = key
