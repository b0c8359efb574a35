"""Stores whose sessions grow while a history reads them."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sidecar.api.stored.tasks import TaskInfo
from sidecar.history import TaskHistory
from sidecar.history.listing.selection import Selection
from tests.history.conftest import NOW


def append(file: Path, records: Iterable[Any]) -> None:
    """Append records to the file of a session."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as opened:
        opened.writelines(json.dumps(record) + "\n" for record in records)


def history_of(root: Path) -> TaskHistory:
    """Read a root at a fixed time, with an index next to it."""
    return TaskHistory([root], now=lambda: NOW, cache=root.parent / "cache")


def tasks(history: TaskHistory) -> dict[str, TaskInfo]:
    """List all sessions and child sessions by their ids."""
    return {task.id: task for task in history.select(Selection(children=True))}
