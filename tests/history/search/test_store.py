"""The file of a search index numbers its messages without reading all tasks."""

import contextlib
import sqlite3
from pathlib import Path

from sidecar.history.search.store import IndexedMessage, SearchStore


def messages(count: int) -> list[IndexedMessage]:
    return [IndexedMessage("ui", number, "user", None, "words") for number in range(count)]


def steps_to_add(path: Path, tasks: int) -> int:
    """Return the time, in hundreds of SQLite's steps, that one more task takes in a file with many."""
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    with contextlib.closing(SearchStore(path)) as store:
        for number in range(tasks):
            store.replace(f"task {number}", "1", messages(1))
        store._database.set_progress_handler(count, 100)
        store.replace("another", "1", messages(1))
    return steps


def test_another_task_takes_as_long_in_a_large_file_as_in_a_small_one(tmp_path: Path) -> None:
    assert steps_to_add(tmp_path / "large", 3_000) <= steps_to_add(tmp_path / "small", 30) + 10


def test_a_file_of_an_earlier_release_gets_the_index(tmp_path: Path) -> None:
    path = tmp_path / "search.db"
    with contextlib.closing(SearchStore(path)) as store:
        store.replace("task", "1", messages(2))
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("DROP INDEX task_last")
    with contextlib.closing(SearchStore(path)) as store:
        assert store.versions() == {"task": "1"}
    with contextlib.closing(sqlite3.connect(path)) as database:
        plan = str(database.execute("EXPLAIN QUERY PLAN SELECT max(last) FROM task").fetchall())
    assert "task_last" in plan
