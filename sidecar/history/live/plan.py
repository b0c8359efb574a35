"""Which folders are watched, and which task a changed path belongs to."""

import heapq
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from sidecar.history.catalog.root_catalog import RootCatalog
from sidecar.history.stores.contract import Store
from sidecar.history.stores.index_row import IndexRow
from sidecar.history.stores.status_by_age import DAY_MS

NEWEST: Final = 500
"""Tasks of a root that are watched whatever their age."""
MAX_WATCHES: Final = 4_000
"""Folders watched in all: half of the smallest limit that kernels have for all programs of a user."""
NEW_MS: Final = 60_000
"""How long the folder of a new task is watched before anything in it makes it a task."""
ACTIVE_MS: Final = 600_000
"""How long it is known which tasks are active while none of them changes: sorting 20,000 takes 15 ms."""


class TaskKey(NamedTuple):
    """A task, by the path of its root and its id."""

    root: str
    task_id: str


class News(NamedTuple):
    """What changed paths mean: tasks to look at, roots whose shared lists changed, and folders of tasks."""

    tasks: set[TaskKey]
    lists: set[str]
    folders: dict[str, TaskKey]


class _Active(NamedTuple):
    """The active tasks among rows, which are replaced whenever one of them changes, at a time in ms."""

    rows: Mapping[str, IndexRow]
    at: int
    names: Sequence[str]


Identity = tuple[int, int, int]
"""Device, inode and mode of a folder. A watch stays valid as long as none of them changes."""
Folders = dict[str, Identity]
"""Readable folders by path."""


def active_tasks(rows: Iterable[IndexRow], now: int) -> list[str]:
    """The tasks touched within a day, and the newest, newest first; `now` is in ms."""
    newest = heapq.nlargest(MAX_WATCHES, rows, key=lambda row: row.touched)
    return [row.id for place, row in enumerate(newest) if place < NEWEST or now - row.touched < DAY_MS]


class WatchPlan:
    """Folders to watch for some roots. Events name real paths, whatever link led to a root."""

    def __init__(self, catalogs: Sequence[RootCatalog]) -> None:
        self._catalogs = catalogs
        self._real = {catalog.root.path: Path(catalog.root.path) for catalog in catalogs}
        self._stores = {catalog.root.path: catalog.store for catalog in catalogs}
        self._new: dict[TaskKey, int] = {}
        self._active: dict[str, _Active] = {}

    def shared(self) -> dict[str, Folders]:
        """By root, the folders of the tasks and of the lists, as far as they can be watched.

        Links to roots are followed again each time.
        """
        found = {}
        for root, store in self._stores.items():
            self._real[root] = Path(root).resolve()
            found[root] = _identified(str(self._real[root] / name) for name in store.shared_folders)
        return found

    def folders(self, now: int) -> Folders:
        """The folders of the tasks, of the lists, and of active tasks, as far as they can be watched; ms."""
        shared = {path: each for folders in self.shared().values() for path, each in folders.items()}
        tasks: list[str] = []  # texts, since paths would double the price of thousands
        for catalog in self._catalogs:
            root, folder_of = str(self._real[catalog.root.path]), catalog.store.folder_of
            folders = (folder_of(name) for name in self.active(catalog, now))
            tasks += [root + os.sep + folder for folder in folders if folder is not None]
        return shared | _identified(tasks[: MAX_WATCHES - len(shared)])

    def active(self, catalog: RootCatalog, now: int) -> list[str]:
        """The tasks of a root that are likely to change: those just made, then as `active_tasks`."""
        self._new = {key: since for key, since in self._new.items() if 0 <= now - since < NEW_MS}
        new = [key.task_id for key in self._new if key.root == catalog.root.path]
        return [*dict.fromkeys([*new, *self._active_of(catalog, now)])]

    def news(self, paths: Iterable[str]) -> News:
        """Tell what paths that changed have to do with the roots; writers' temporary files mean nothing."""
        news = News(set(), set(), {})
        for path in paths:
            for root, real in self._real.items():
                if (whole := Path(path)).is_relative_to(real):
                    _add(news, self._stores[root], path, whole.relative_to(real).parts)
        return news

    def unwatched(self, news: News, watched: Mapping[str, Identity], now: int) -> bool:
        """Tell whether a task's folder among the news lacks a watch, and have it watched for a while; ms."""
        made = [key for path, key in news.folders.items() if _identity(path) not in (None, watched.get(path))]
        self._new.update(dict.fromkeys(made, now))
        return bool(made)

    def _active_of(self, catalog: RootCatalog, now: int) -> Sequence[str]:
        rows, known = catalog.rows("structural"), self._active.get(catalog.root.path)
        if known is None or known.rows is not rows or not 0 <= now - known.at < ACTIVE_MS:
            known = _Active(rows, now, active_tasks(rows.values(), now))
            self._active[catalog.root.path] = known
        return known.names


def _identified(paths: Iterable[str]) -> Folders:
    return {path: found for path in paths if (found := _identity(path)) is not None}


def _identity(path: str) -> Identity | None:
    try:
        found = os.stat(path)  # noqa: PTH116 (no path object for each folder)
    except (OSError, ValueError):
        return None
    if not stat.S_ISDIR(found.st_mode) or not os.access(path, os.R_OK):
        return None
    return found.st_dev, found.st_ino, found.st_mode


def _add(news: News, store: Store, path: str, parts: Sequence[str]) -> None:
    touched = store.touched(parts)
    if touched is None:
        return
    if touched.key is None:
        news.lists.add(store.root.path)
        return
    key = TaskKey(store.root.path, touched.key)
    news.tasks.add(key)
    if touched.folder:
        news.folders[path] = key
