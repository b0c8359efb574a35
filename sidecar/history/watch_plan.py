"""What is watched of the roots, and which task a changed path belongs to. Pure but for a look at folders."""

import heapq
import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from sidecar.history.ageing import DAY_MS
from sidecar.history.catalog import RootCatalog
from sidecar.history.index_row import IndexRow
from sidecar.history.products import is_task_id
from sidecar.history.reading import API_FILE, ITEM_FILE, METADATA_FILE, UI_FILE

NEWEST: Final = 500
"""Tasks of a root that are watched whatever their age."""
MAX_WATCHES: Final = 4_000
"""Folders watched in all: half of the smallest limit that kernels have for all programs of a user."""
_READ: Final = frozenset({UI_FILE, API_FILE, ITEM_FILE, METADATA_FILE})


class TaskKey(NamedTuple):
    """A task, by the path of its root and its id."""

    root: str
    task_id: str


class News(NamedTuple):
    """What changed paths mean: tasks to be looked at, and roots whose shared lists changed."""

    tasks: set[TaskKey]
    lists: set[str]


def active_tasks(rows: Iterable[IndexRow], now: int) -> list[str]:
    """The tasks touched within a day, and the newest, newest first; `now` is in ms."""
    newest = heapq.nlargest(MAX_WATCHES, rows, key=lambda row: row.touched)
    return [row.id for place, row in enumerate(newest) if place < NEWEST or now - row.touched < DAY_MS]


class WatchPlan:
    """Folders to watch for some roots. Events name real paths, whatever link led to a root."""

    def __init__(self, catalogs: Sequence[RootCatalog]) -> None:
        self._catalogs = catalogs
        self._real = {catalog.root.path: Path(catalog.root.path).resolve() for catalog in catalogs}

    def folders(self, now: int) -> dict[str, int]:
        """The folders of the tasks, of the lists, and of active tasks, as far as they exist; `now` in ms.

        Each with its inode: one that was put in another's place needs a watch of its own.
        """
        shared: list[str] = []
        tasks: list[str] = []  # texts, since paths would double the price of thousands
        for catalog in self._catalogs:
            real = self._real[catalog.root.path]
            shared += [str(real / "tasks"), str(real / "state")]
            rows = catalog.rows("structural").values()
            tasks += [f"{shared[-2]}{os.sep}{task_id}" for task_id in active_tasks(rows, now)]
        wanted = [*shared, *tasks[: MAX_WATCHES - len(shared)]]
        return {folder: inode for folder in wanted if (inode := _inode_of_folder(folder)) is not None}

    def news(self, paths: Iterable[str]) -> News:
        """Tell what paths that changed have to do with the roots; writers' temporary files mean nothing."""
        news = News(set(), set())
        for path in map(Path, paths):
            for root, real in self._real.items():
                if path.is_relative_to(real):
                    _add(news, root, path.relative_to(real).parts)
        return news


def _inode_of_folder(path: str) -> int | None:
    try:
        found = os.stat(path)  # noqa: PTH116 (no path object for each folder)
    except (OSError, ValueError):
        return None
    return found.st_ino if stat.S_ISDIR(found.st_mode) else None


def _add(news: News, root: str, parts: Sequence[str]) -> None:
    match parts:
        case [("tasks" | "state"), ("_index.json" | "taskHistory.json")]:
            news.lists.add(root)
        case ["tasks", name] if is_task_id(name):
            news.tasks.add(TaskKey(root, name))
        case ["tasks", name, file] if is_task_id(name) and file in _READ:
            news.tasks.add(TaskKey(root, name))
