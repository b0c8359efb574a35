"""Sessions in databases whose content cannot be read for a moment, or never."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.api.errors import StorageError
from sidecar.api.stored.tasks import TaskInfo
from sidecar.corpus.sessions.opencode import Written, write_opencode
from sidecar.corpus.sessions.plot import NOW
from sidecar.history import TaskHistory
from sidecar.history.catalog.kept_rows import FIRST_PAUSE_MS, LONGEST_PAUSE_MS
from sidecar.history.doctor import examine
from sidecar.history.stores.opencode import databases, failures
from sidecar.history.stores.opencode.databases import DatabaseSource
from sidecar.history.stores.opencode.reading import content_of
from sidecar.history.stores.sessions.databases import foreign_database
from sidecar.history.stores.sessions.databases.foreign_database import ForeignDatabase

pytestmark = pytest.mark.usefixtures("without_rests")
BROKEN = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_READ)


@pytest.fixture
def written(tmp_path: Path) -> Any:
    made = write_opencode(tmp_path / "root", 3)
    yield made
    made.close()


class Failing:
    """Let the reading of sessions fail with `code` while it is set: of all, or of those in `only`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.code = 0
        self.only: set[str] | None = None
        self.tries: list[str] = []
        self._content = content_of
        monkeypatch.setattr(databases, "content_of", self)

    def __call__(self, connection: sqlite3.Connection, header: Any, *rest: Any) -> Any:
        key = header.id
        if self.code and (self.only is None or key in self.only):
            self.tries.append(key)
            raise error_of(self.code)
        return self._content(connection, header, *rest)


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> int:
        return self.now


def error_of(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("cannot be read now")
    error.sqlite_errorcode = code
    return error


def titles(history: TaskHistory) -> dict[str, str]:
    return {task.id: task.title for task in history.list(children=True)}


def read_titles(history: TaskHistory) -> dict[str, str]:
    """Return the titles of the sessions that could be read."""
    return {task.id: task.title for task in history.list(children=True) if not reasons(task)}


def reasons(task: TaskInfo) -> list[str]:
    return [each.message for each in task.problems if each.message.startswith("opencode.db ")]


def in_main_only(written: Written) -> list[str]:
    """Return the sessions with messages that only the first database holds."""
    writer, other = written.open
    held = {key for (key,) in other.execute("SELECT id FROM session")}
    held |= {path.stem for path in written.root.rglob("ses*.json")}
    found = writer.execute("SELECT session_id FROM message GROUP BY session_id ORDER BY 1")
    return [key for (key,) in found if key not in held]


def rename(written: Written, *keys: str, title: str = "new") -> None:
    for key in keys:
        query = "UPDATE session SET title = ?, time_updated = time_updated + 1 WHERE id = ?"
        written.open[0].execute(query, (title, key))
    written.open[0].commit()


@pytest.mark.parametrize("code", BROKEN)
def test_the_former_row_stays_while_contents_cannot_be_read(
    written: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    clock, failing = Clock(), Failing(monkeypatch)
    made = [TaskHistory([written.root], now=clock, cache=tmp_path / "index") for _ in range(3)]
    before, key = titles(made[0]), in_main_only(written)[0]
    rename(written, key)
    failing.code = code
    for history in made[:2]:  # the second is a process that starts meanwhile
        history.refresh()
        assert titles(history) == before
        rows = {task.id: task for task in history.list(children=True)}
        assert [name for name, task in rows.items() if reasons(task)] == [key]
        shown, _ = history.get(key)
        assert reasons(shown)
        named = [each.task_id for each in examine(history, clock.now).findings if each.code == "unreadable"]
        assert key in named
        assert not history.refresh().any()
        history.close()
    failing.code = 0
    clock.now += FIRST_PAUSE_MS
    assert titles(made[2]) == {**before, key: "new"}
    assert read_titles(made[2])[key] == "new"
    assert made[2].store(str(written.root)).unlistable() is None


def test_a_session_that_can_never_be_read_hides_no_other(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = titles(TaskHistory([written.root], now=lambda: NOW))
    clock, failing, keys = Clock(), Failing(monkeypatch), in_main_only(written)
    failing.code, failing.only = sqlite3.SQLITE_IOERR_READ, {keys[0], keys[2]}
    history = TaskHistory([written.root], now=clock)
    readable = {key: title for key, title in expected.items() if key not in failing.only}
    for _ in range(3):
        assert read_titles(history) == readable
        clock.now += LONGEST_PAUSE_MS
    history.refresh()
    rename(written, keys[1], keys[2])
    parents = {task.id: task.parent_id for task in history.list(children=True)}
    changed = {*history.refresh().changed} - {parents[keys[1]]}  # a parent shows what its children used
    assert keys[1] in changed and failing.only.isdisjoint(changed)
    failing.code = 0
    clock.now += LONGEST_PAUSE_MS
    assert titles(history) == {**expected, keys[1]: "new", keys[2]: "new"}


def test_a_session_that_can_never_be_read_is_tried_ever_more_rarely(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, failing, key = Clock(), Failing(monkeypatch), in_main_only(written)[0]
    history = TaskHistory([written.root], now=clock)
    titles(history)
    rename(written, key)
    failing.code, failing.only = sqlite3.SQLITE_IOERR_READ, {key}
    history.refresh()
    failing.tries.clear()
    for _ in range(64):
        clock.now += FIRST_PAUSE_MS
        assert not history.refresh().any()
    assert failing.tries == [key] * 6  # after 1, 3, 7, 15, 31 and 63 minutes


def test_a_session_that_takes_long_is_not_tried_whenever_the_database_changes(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(failures, "_AGAIN_SECONDS", 3_600)
    failing, key = Failing(monkeypatch), in_main_only(written)[0]
    history = TaskHistory([written.root], now=lambda: NOW)
    before = titles(history)
    failing.code, failing.only = sqlite3.SQLITE_INTERRUPT, {key}
    for number in range(4):
        rename(written, key, title=str(number))
        changed = history.refresh().changed
        assert (key in changed) == (number == 0)  # with the reason
    assert failing.tries == [key]
    assert titles(history) == before
    with (
        pytest.raises(StorageError, match="takes longer"),
        history.store(str(written.root)).open_messages(key, "ui"),
    ):
        pass  # who asks for this session waits for it


@pytest.mark.parametrize("code", [sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_TOOBIG])
def test_many_sessions_that_cannot_be_read_hide_no_other_at_the_first_look(
    written: Written, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    expected = titles(TaskHistory([written.root], now=lambda: NOW))
    failing = Failing(monkeypatch)
    failing.code, failing.only = code, set(in_main_only(written)[::2])
    history = TaskHistory([written.root], now=lambda: NOW)
    assert read_titles(history) == {k: title for k, title in expected.items() if k not in failing.only}
    assert "opencode.db" in str(history.store(str(written.root)).unlistable())


@pytest.mark.parametrize("code", [sqlite3.SQLITE_BUSY, sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_CORRUPT])
def test_later_processes_say_which_sessions_could_not_be_read(
    written: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    clock, failing, keys = Clock(), Failing(monkeypatch), set(in_main_only(written)[::2])
    failing.code, failing.only = code, keys
    made = [TaskHistory([written.root], now=clock, cache=tmp_path / "index") for _ in range(3)]
    for history in made[:2]:
        rows = {task.id: task for task in history.list(children=True)}
        assert all(reasons(rows[key]) for key in keys)
        shown, _ = history.get(min(keys))
        assert shown.created_at == rows[min(keys)].created_at and reasons(shown)
        named = {each.task_id for each in examine(history, NOW).findings if "opencode.db" in each.message}
        assert keys <= named
        history.close()
    failing.code = 0
    rename(written, *keys)
    clock.now += LONGEST_PAUSE_MS
    assert {title for key, title in read_titles(made[2]).items() if key in keys} == {"new"}


@pytest.mark.parametrize("unreadable", ["heads", "folder"])
def test_a_process_that_cannot_read_a_database_keeps_the_rows_of_others(
    written: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unreadable: str
) -> None:
    made = [TaskHistory([written.root], now=lambda: NOW, cache=tmp_path / "index") for _ in range(3)]
    before = titles(made[0])
    made[0].close()
    with monkeypatch.context() as patch:
        if unreadable == "heads":
            patch.setattr(databases, "all_heads", lambda _: raising(error_of(sqlite3.SQLITE_BUSY)))
        else:
            patch.setattr(ForeignDatabase, "stamps", lambda _: raising(PERMISSION))
        assert titles(made[1]) == before
        assert not made[1].refresh().any()
        made[1].catalogs[0].reconcile(NOW)
        assert titles(made[1]) == before
        made[1].close()
    assert titles(made[2]) == before
    assert not made[2].refresh().any()


PERMISSION = foreign_database.Refused("unreadable", "opencode.db cannot be read: Permission denied")


def raising(error: Exception) -> Any:
    raise error


def test_a_session_deleted_from_one_database_is_removed_while_another_cannot_be_read(
    written: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [TaskHistory([written.root], now=lambda: NOW, cache=tmp_path / "index") for _ in range(2)]
    before, (writer, other) = titles(made[0]), written.open
    (other_path,) = (row[2] for row in other.execute("PRAGMA database_list"))
    made[0].close()
    gone, *_ = in_main_only(written)
    for table, column in (("part", "session_id"), ("message", "session_id"), ("session", "id")):
        writer.execute(f"DELETE FROM {table} WHERE {column} = ?", (gone,))
    writer.commit()
    read: Callable[..., Any] = ForeignDatabase.read

    def fails(database: ForeignDatabase, work: Callable[..., Any]) -> Any:
        return raising(PERMISSION) if database.path == other_path else read(database, work)

    monkeypatch.setattr(ForeignDatabase, "read", fails)
    assert titles(made[1]).keys() == before.keys() - {gone}


def test_a_problem_of_contents_stays_while_the_list_of_sessions_can_be_read(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing, keys = Failing(monkeypatch), in_main_only(written)
    path = str(written.root / "opencode.db")
    source = DatabaseSource(path)
    source.heads()
    failing.code = sqlite3.SQLITE_BUSY
    assert source.contents(keys[:2], lambda content: content, patient=True) == {}
    rename(written, keys[2])
    source.heads()
    assert source.problem is not None and source.problem.code == "unreadable"
    failing.code = 0
    assert source.contents(keys[:1], lambda content: content, patient=True).keys() == {keys[0]}
    assert source.problem is not None
    assert source.contents(keys[1:2], lambda content: content, patient=True).keys() == {keys[1]}
    assert source.problem is None


def test_a_database_that_is_reached_again_has_no_problem(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = DatabaseSource(str(written.root / "opencode.db"))
    heads = source.heads()
    with monkeypatch.context() as patch:
        patch.setattr(ForeignDatabase, "stamps", lambda _: raising(PERMISSION))
        assert source.heads() == heads and source.is_unread
    assert source.heads() == heads and source.problem is None


def test_a_reading_that_takes_too_long_is_not_repeated_because_the_database_changes(written: Written) -> None:
    tries = []

    def work(connection: sqlite3.Connection) -> None:
        tries.append(connection)
        rename(written, in_main_only(written)[0], title=str(len(tries)))
        raise error_of(sqlite3.SQLITE_INTERRUPT)

    with pytest.raises(foreign_database.Refused, match="takes longer"):
        ForeignDatabase(str(written.root / "opencode.db")).read(work)
    assert len(tries) == 1
