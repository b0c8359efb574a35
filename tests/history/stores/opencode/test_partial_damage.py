"""Databases of which only a part is damaged, and their repair."""

import json
import os
import shutil
import sqlite3
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from sidecar.corpus.sessions.opencode import write_opencode
from sidecar.corpus.sessions.plot import NOW
from sidecar.history import TaskHistory
from sidecar.history.catalog.kept_rows import FIRST_PAUSE_MS
from sidecar.history.stores.opencode import counts, databases, reading
from sidecar.history.stores.opencode.reading import content_of
from sidecar.history.stores.sessions.databases import foreign_database, private_copy
from sidecar.history.stores.sessions.databases.foreign_database import ForeignDatabase

pytestmark = pytest.mark.usefixtures("without_rests")
PAGE = 4096
INDEXES = """
CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
CREATE INDEX part_session_idx ON part (session_id);
"""
"""As opencode creates them."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the only database of a root, without a log."""
    written = write_opencode(tmp_path / "root", 3)
    written.open[0].executescript(INDEXES)
    written.open[0].execute("PRAGMA wal_checkpoint(TRUNCATE)")
    written.close()
    (tmp_path / "root" / "opencode-beta.db").unlink()
    for folder in ("storage", "project"):
        shutil.rmtree(tmp_path / "root" / folder, ignore_errors=True)
    return tmp_path / "root" / "opencode.db"


def readable(history: TaskHistory) -> set[str]:
    return {task.id for task in history.list(children=True) if not task.problems}


def listed(history: TaskHistory) -> set[str]:
    return {task.id for task in history.list(children=True)}


def with_damaged_part(path: Path) -> bytes:
    """Overwrite one page of the table of parts, in place; return the sound content."""
    sound = path.read_bytes()
    database = sqlite3.connect(path)
    (data,) = database.execute("SELECT data FROM part ORDER BY rowid DESC LIMIT 1").fetchone()
    database.close()
    page = sound.rindex(data.encode()[:60]) // PAGE
    path.write_bytes(sound[: page * PAGE] + b"\xff" * PAGE + sound[(page + 1) * PAGE :])
    return sound


@pytest.mark.parametrize("most_read", [0, 1 << 30])
def test_a_damaged_page_hides_no_session_of_other_pages_until_it_is_repaired(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most_read: int
) -> None:
    monkeypatch.setattr(counts, "_MOST_READ", most_read)
    clock = [NOW]
    before = listed(TaskHistory([path.parent], now=lambda: NOW))
    sound = with_damaged_part(path)
    made = [TaskHistory([path.parent], now=lambda: clock[0], cache=tmp_path / "index") for _ in range(2)]
    assert listed(made[0]) == before
    assert readable(made[0]) and readable(made[0]) < before
    path.write_bytes(sound)
    clock[0] += FIRST_PAUSE_MS
    made[0].refresh()
    assert readable(made[0]) == before
    assert made[0].store(str(path.parent)).unlistable() is None
    made[0].close()
    assert readable(made[1]) == before


def test_sessions_repaired_between_two_processes_are_read(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "content_of", failing(content_of, set(), [None]))
    before = listed(TaskHistory([path.parent], now=lambda: NOW))
    broken: list[Any] = [sqlite3.SQLITE_CORRUPT]
    monkeypatch.setattr(databases, "content_of", failing(content_of, {min(before)}, broken))
    clock = [NOW]
    made = [TaskHistory([path.parent], now=lambda: clock[0], cache=tmp_path / "index") for _ in range(2)]
    assert readable(made[0]) == before - {min(before)}
    made[0].close()
    broken[0] = None
    clock[0] += FIRST_PAUSE_MS
    assert readable(made[1]) == before


def failing(read: Any, keys: set[str], code: list[Any]) -> Any:
    def content(connection: sqlite3.Connection, header: Any, *rest: Any) -> Any:
        if code[0] is not None and header.id in keys:
            error = sqlite3.DatabaseError("damaged")
            error.sqlite_errorcode = code[0]
            raise error
        return read(connection, header, *rest)

    return content


def test_damaged_sessions_that_take_long_only_delay_the_others(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [NOW]
    before = listed(TaskHistory([path.parent], now=lambda: NOW))
    bad = set(sorted(before)[:4])
    monkeypatch.setattr(databases, "_MOST_FAILING_SECONDS", 0)
    monkeypatch.setattr(databases, "content_of", failing(content_of, bad, [sqlite3.SQLITE_CORRUPT]))
    history = TaskHistory([path.parent], now=lambda: clock[0])
    assert listed(history) == before
    for _ in range(8):
        clock[0] += 10 * FIRST_PAUSE_MS
        history.refresh()
    assert readable(history) == before - bad


def test_sessions_of_a_database_without_indexes_are_read_a_few_at_a_time(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [NOW]
    before = readable(TaskHistory([path.parent], now=lambda: NOW))
    database = sqlite3.connect(path)
    for name in ("message_session_time_created_id_idx", "part_session_idx"):
        database.execute(f"DROP INDEX {name}")
    database.close()
    monkeypatch.setattr(databases, "_SCAN_SECONDS", 0.0)
    history = TaskHistory([path.parent], now=lambda: clock[0])
    first = readable(history)
    assert 0 < len(first) < len(before)
    (unlisted,) = history.store(str(path.parent)).unlisted()
    assert "has no index of its sessions" in unlisted.problem.message
    for _ in before:
        clock[0] += 10 * FIRST_PAUSE_MS
        history.refresh()
    assert readable(history) == before


def test_each_process_reads_more_of_a_database_without_indexes(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = sqlite3.connect(path)
    for name in ("message_session_time_created_id_idx", "part_session_idx"):
        database.execute(f"DROP INDEX {name}")
    database.close()
    monkeypatch.setattr(databases, "_SCAN_SECONDS", 0.0)
    clock, found = [NOW], [set[str]()]
    while True:
        history = TaskHistory([path.parent], now=lambda: clock[0], cache=path.parent.with_name("index"))
        found.append(readable(history))
        unlisted = history.store(str(path.parent)).unlisted()
        history.close()
        assert found[-2] < found[-1]
        if found[-1] == listed(history):
            break
        assert "has no index of its sessions" in unlisted[0].problem.message
        clock[0] += 11_000


def test_sessions_without_messages_are_not_listed_while_no_messages_can_be_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = listed(TaskHistory([path.parent], now=lambda: NOW))
    database = sqlite3.connect(path)
    (count,) = database.execute("SELECT count(*) FROM session").fetchone()
    keys = {key for (key,) in database.execute("SELECT id FROM session")}
    database.close()
    assert count > len(before)
    monkeypatch.setattr(databases, "content_of", failing(content_of, keys, [sqlite3.SQLITE_BUSY]))
    assert listed(TaskHistory([path.parent], now=lambda: NOW)) == before


def test_a_value_over_the_limit_is_not_called_damage(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = listed(TaskHistory([path.parent], now=lambda: NOW))
    database = sqlite3.connect(path)
    query = "UPDATE part SET data = json_object('text', ?) WHERE id = (SELECT max(id) FROM part)"
    database.execute(query, ("x" * 200_000,))
    database.commit()
    database.close()
    monkeypatch.setattr(foreign_database, "MAX_VALUE", 100_000)
    history = TaskHistory([path.parent], now=lambda: NOW)
    assert listed(history) == before
    (found,) = [each for task in history.list(children=True) for each in task.problems]
    assert found.code == "tooLarge" and "100,000 bytes" in found.message


def test_memory_that_runs_out_is_a_problem_for_a_moment(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = listed(TaskHistory([path.parent], now=lambda: NOW))

    def content(*_: object) -> Any:
        raise MemoryError

    monkeypatch.setattr(databases, "content_of", content)
    history = TaskHistory([path.parent], now=lambda: NOW)
    assert listed(history) == before
    assert "not enough memory" in str(history.store(str(path.parent)).unlistable())


def test_a_database_with_an_empty_log_is_read_again_if_it_changes_meanwhile(path: Path) -> None:
    writer = sqlite3.connect(path)
    writer.execute("PRAGMA journal_mode=WAL")
    writer.execute("SELECT * FROM session").fetchone()
    assert path.with_name("opencode.db-wal").stat().st_size == 0
    tries = []

    def work(connection: sqlite3.Connection) -> tuple[Any, Any]:
        (first,) = connection.execute("SELECT max(title) FROM session").fetchone()
        tries.append(first)
        if len(tries) == 1:
            writer.execute("UPDATE session SET title = 'zz'")
            writer.execute("UPDATE part SET data = 'zz'")
            writer.commit()
            writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return first, connection.execute("SELECT max(substr(data, 1, 2)) FROM part").fetchone()[0]

    assert ForeignDatabase(str(path)).read(work)[1] == ("zz", "zz")
    writer.close()


def test_an_older_copy_in_files_names_the_reason_why_it_is_shown(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = TaskHistory([path.parent], now=lambda: NOW)
    task = next(task for task in history.list() if task.message_count)
    storage = path.parent / "storage"
    kept = {
        f"session/p/{task.id}.json": {"id": task.id, "title": "older", "time": {"created": 1, "updated": 1}},
        f"message/{task.id}/msg_1.json": {"id": "msg_1", "role": "user", "time": {"created": 1}},
        "part/msg_1/prt_1.json": {"id": "prt_1", "type": "text", "text": "older"},
    }
    for name, value in kept.items():
        (storage / name).parent.mkdir(parents=True)
        (storage / name).write_text(json.dumps(value))
    code = [sqlite3.SQLITE_CORRUPT]
    monkeypatch.setattr(databases, "content_of", failing(content_of, {task.id}, code))
    shown, _ = TaskHistory([path.parent], now=lambda: NOW).get(task.id)
    assert shown.title == "older"
    assert [each.code for each in shown.problems] == ["malformed"]


def test_errors_of_a_database_that_changes_all_the_time_are_not_called_damage(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreign_database, "_PAUSE_SECONDS", 0)

    def work(_: sqlite3.Connection) -> None:
        os.utime(path, ns=(0, path.stat().st_mtime_ns + 1_000_000))
        error = sqlite3.DatabaseError("damaged")
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error

    with pytest.raises(foreign_database.Refused, match="changes too fast"):
        ForeignDatabase(str(path)).read(work)


def test_a_log_that_is_deleted_before_it_is_copied_causes_no_problem(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = sqlite3.connect(path)
    writer.execute("UPDATE session SET title = 'new'")
    writer.commit()
    copy = private_copy.copy_of

    def late(*given: Any) -> AbstractContextManager[Path]:
        writer.close()  # which deletes the log
        return copy(*given)

    monkeypatch.setattr(foreign_database, "copy_of", late)
    query = "SELECT DISTINCT title FROM session"
    assert ForeignDatabase(str(path)).read(lambda found: found.execute(query).fetchall())[1] == [("new",)]


def test_a_session_that_would_take_too_much_memory_is_listed_without_some_rows(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = sqlite3.connect(path)
    key, part = database.execute("SELECT session_id, id FROM part LIMIT 1").fetchone()
    text = json.dumps({"type": "text", "text": "x" * 300_000 + "😀"})
    database.execute("UPDATE part SET data = ? WHERE id = ?", (text, part))
    database.commit()
    database.close()
    assert not any(task.problems for task in TaskHistory([path.parent], now=lambda: NOW).list())
    monkeypatch.setattr(reading, "MAX_TEXTS", 1_000_000)
    damaged = {task.id: task for task in TaskHistory([path.parent], now=lambda: NOW).list(children=True)}[key]
    assert [(each.code, each.message) for each in damaged.problems] == [
        ("tooLarge", "opencode.db: 1 row of the session would take too much memory")
    ]
