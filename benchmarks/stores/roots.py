"""Time until a list is right after a whole root was deleted, renamed or replaced."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from benchmarks.measure import Comparison, within
from benchmarks.promises import ROOT_SECONDS
from sidecar.history import TaskHistory
from sidecar.history.catalog.pool import WorkerPool
from sidecar.history.live import LiveHistory

_MESSAGES: Final = b'[{"ts":1776247196051,"type":"say","say":"text","text":"Count the words of a file"}]'
_LOOK_SECONDS: Final = 0.02


def measure(runs: int) -> list[Comparison]:
    """Change whole roots of a followed history, and time from the end of each change to the right list."""
    return [
        within(f"root of {tasks:,} tasks {change}, until the list is right", [seconds], limit)
        for tasks, limit in ROOT_SECONDS.items()
        for change, seconds in _one_run(tasks).items()
    ]


def _one_run(tasks: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        root, other, away = (Path(folder, name) for name in ("root", "other", "away"))
        ours, theirs = _fill(root, tasks, "a"), _fill(other, tasks, "b")
        pool = WorkerPool()
        history = TaskHistory([root], read=pool.read)
        history.list()
        live = LiveHistory(history, lambda _: None)
        live.start()
        while live.state.mode != "watch":
            time.sleep(_LOOK_SECONDS)

        def replace(new: Path) -> None:
            root.rename(away)
            new.rename(root)

        def link() -> None:
            root.rename(other)
            root.symlink_to(away, target_is_directory=True)

        def unlink() -> None:
            root.unlink()
            away.rename(root)

        changes: dict[str, tuple[Callable[[], object], set[str]]] = {
            "renamed away": (lambda: root.rename(away), set()),
            "moved back": (lambda: away.rename(root), ours),
            "replaced by another": (lambda: replace(other), theirs),
            "replaced by a link": (link, ours),
            "put in place of a link": (unlink, ours),
            "deleted": (lambda: shutil.rmtree(root), set()),
            "created later": (lambda: other.rename(root), theirs),
        }
        try:
            return {name: _time(history, change, right) for name, (change, right) in changes.items()}
        finally:
            live.close(10)
            pool.close()


def _fill(root: Path, tasks: int, mark: str) -> set[str]:
    names = {f"{number:08d}-0000-4000-8000-{mark * 12}" for number in range(tasks)}
    for name in names:
        task = root / "tasks" / name
        task.mkdir(parents=True)
        (task / "ui_messages.json").write_bytes(_MESSAGES)
    return names


def _time(history: TaskHistory, change: Callable[[], object], right: set[str]) -> float:
    """Return the seconds from the end of a change until the list, requested repeatedly, has these tasks."""
    change()
    start = time.monotonic()
    while history.catalogs[0].rows("structural").keys() != right:
        time.sleep(_LOOK_SECONDS)
    seconds = time.monotonic() - start
    listed = {task.id for task in history.list()}
    if listed != right:
        raise RuntimeError(
            f"{len(listed ^ right)} tasks are listed wrongly in {os.fspath(history.roots[0].path)}"
        )
    return seconds
