"""Damaged, foreign, locked and changing databases of opencode: list what can be read, and report the rest."""

import contextlib
import errno
import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidecar.api.errors import StorageError, TaskNotFound
from sidecar.corpus.sessions.compare import differences
from sidecar.corpus.sessions.opencode import Written, write_opencode
from sidecar.corpus.sessions.plot import NOW
from sidecar.history import TaskHistory
from sidecar.history.doctor import examine
from sidecar.history.stored.complexity import MAX_VALUES
from sidecar.history.stores.opencode import failures, heads
from sidecar.history.stores.opencode.files import FileSource
from sidecar.history.stores.sessions.databases import copied_file, foreign_database
from sidecar.history.stores.sessions.databases.foreign_database import ForeignDatabase, columns
from sidecar.history.stores.sessions.saving import MAX_DOCUMENT
from tests.history.stores.fixtures.foreign_files import seen


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIDECAR_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def written(tmp_path: Path) -> Any:
    made = write_opencode(tmp_path / "root", 3)
    yield made
    made.close()


def history_of(root: Path) -> TaskHistory:
    return TaskHistory([root], now=lambda: NOW)


def closed(written: Written) -> Path:
    """Close the databases, which empties their logs, and return the main one."""
    written.close()
    return written.root / "opencode.db"


def in_files(written: Written) -> set[str]:
    """Return the sessions that are in files, so that no database is needed for them."""
    return {path.stem for path in written.root.glob("**/*.json") if path.stem.startswith("ses_")}


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:5000]), "malformed"),
        (lambda path: path.write_bytes(b"\0" * 8192), "malformed"),
        (lambda path: path.write_text("this is not a database" * 500), "malformed"),
    ],
)
def test_a_damaged_database_hides_no_session_in_files(written: Written, damage: Any, code: str) -> None:
    path = closed(written)
    damage(path)
    history = history_of(written.root)
    listed = {task.id for task in history.list(children=True)}
    assert in_files(written) <= listed
    found = examine(history, NOW).findings
    assert [(each.code, each.path) for each in found if each.task_id is None] == [(code, str(path))]
    why = history.store(str(written.root)).unlistable()
    assert why is not None and "opencode.db" in why


def overwritten(path: Path) -> None:
    """Write other bytes into the file, with the same size and time."""
    before = path.stat()
    with path.open("r+b") as file:
        file.write(b"x" * before.st_size)
    os.utime(path, ns=(before.st_mtime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("with_log", [True, False])
@pytest.mark.parametrize(
    "damage", [lambda path: os.truncate(path, 0), lambda path: os.truncate(path, 8192), overwritten]
)
def test_a_database_that_is_damaged_later_is_listed_as_in_a_new_process(
    written: Written, damage: Callable[[Path], None], with_log: bool
) -> None:
    path = written.root / "opencode.db"
    if not with_log:
        written.close()
    history = history_of(written.root)
    before = {task.id for task in history.list(children=True)}
    damage(path)
    after = {task.id for task in history.list(children=True)}
    unlisted = [each.problem.code for each in history.store(str(written.root)).unlisted()]
    new = history_of(written.root)
    assert after == {task.id for task in new.list(children=True)}
    assert unlisted == [each.problem.code for each in new.store(str(written.root)).unlisted()]
    assert (after < before) == (unlisted == ["malformed"])


def test_of_too_many_sessions_those_without_messages_are_left_out(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed(written)
    before = {task.id for task in history_of(written.root).list(children=True)}
    database = sqlite3.connect(written.root / "opencode.db")
    values = ((f"ses_empty{number:06}", number) for number in range(500))
    database.executemany(
        "INSERT INTO session VALUES (?, 'p', NULL, 's', '/w', 't', '1', ?2, ?2, NULL)", values
    )
    database.commit()
    monkeypatch.setattr(heads, "MAX_SESSIONS", 400)
    history = history_of(written.root)
    assert {task.id for task in history.list(children=True)} == before
    (found,) = history.store(str(written.root)).unlisted()
    assert found.problem.code == "tooLarge" and "those without messages" in found.problem.message
    monkeypatch.setattr(heads, "MAX_SESSIONS", 1)
    assert {task.id for task in history_of(written.root).list(children=True)} < before


def test_an_id_that_is_not_found_names_the_database_that_could_not_be_searched(written: Written) -> None:
    path = closed(written)
    path.write_bytes(path.read_bytes()[:5000])
    history = history_of(written.root)
    with pytest.raises(TaskNotFound) as caught:
        history.get("ses_in_the_database")
    message = str(caught.value)
    assert message.startswith("no stored task has the ID or prefix 'ses_in_the_database'")
    assert f"{path} cannot be searched: opencode.db is damaged" in message
    assert "save what the command .recover of sqlite3 finds" in message
    assert caught.value.data == {"taskId": "ses_in_the_database"}


def test_a_database_that_is_too_large_has_a_remedy_of_its_own(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = closed(written)
    monkeypatch.setattr(foreign_database, "MAX_BYTES", 1_000)
    found = examine(history_of(written.root), NOW).findings
    (remedy,) = {each.remedy for each in found if each.path == str(path)}
    assert "VACUUM" in remedy


def test_a_damaged_database_is_reported_among_the_folders_that_are_not_listed(written: Written) -> None:
    path = closed(written)
    path.write_bytes(path.read_bytes()[:5000])
    page = history_of(written.root).page()
    assert [(each.root, each.path) for each in page.unlisted] == [(str(written.root), str(path))]
    assert "is damaged" in page.unlisted[0].message


def test_an_unreadable_log_is_named(written: Written) -> None:
    path = closed(written)
    log = path.with_name("opencode.db-wal")
    log.symlink_to("somewhere")
    history = history_of(written.root)
    history.list()
    why = history.store(str(written.root)).problems()
    assert [each.problem.message.partition(" cannot")[0] for each in why] == [log.name]


@pytest.mark.parametrize("harm", ["closed", "full"])
def test_a_cache_without_room_for_a_copy_is_named(
    written: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    cache = tmp_path / "no folder"
    if harm == "closed":
        cache.touch()
    else:
        monkeypatch.setattr(copied_file, "_copy_blocks", lambda *_: (_ for _ in ()).throw(no_room()))
    monkeypatch.setenv("SIDECAR_CACHE_DIR", str(cache))
    history = history_of(written.root)
    assert {row.id for row in history.list(children=True)} >= in_files(written)
    messages = {each.message for each in examine(history, NOW).findings if each.code == "unreadable"}
    assert messages
    for message in messages:
        assert f"cannot be copied to {cache}" in message and "SIDECAR_CACHE_DIR" in message


def no_room() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_database_with_other_tables_is_reported(written: Written) -> None:
    path = closed(written)
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE session (id TEXT)")
        connection.execute("CREATE VIEW message AS SELECT 1 AS id")
    connection.close()
    history = history_of(written.root)
    assert in_files(written) <= {task.id for task in history.list(children=True)}
    assert "does not have the tables" in (history.store(str(written.root)).unlistable() or "")


def test_an_empty_database_holds_no_session(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "opencode.db").touch()
    history = history_of(root)
    assert history.list() == []
    assert history.store(str(root)).unlistable() is not None


def test_a_link_to_a_database_is_not_followed(written: Written, tmp_path: Path) -> None:
    path = closed(written)
    shutil.move(path, tmp_path / "elsewhere.db")
    path.symlink_to(tmp_path / "elsewhere.db")
    history = history_of(written.root)
    history.list()
    assert "not a regular file" in (history.store(str(written.root)).unlistable() or "")


def test_a_database_beyond_the_limit_is_refused(written: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign_database, "MAX_BYTES", 10_000)
    history = history_of(written.root)
    history.list()
    assert "at most 10,000 are read" in (history.store(str(written.root)).unlistable() or "")
    key = next(key for key in written.truth if key not in in_files(written))
    with pytest.raises(StorageError), history.store(str(written.root)).open_messages(key, "ui"):
        pass


def test_a_locked_database_is_read(written: Written) -> None:
    writer = written.open[0]
    writer.execute("BEGIN IMMEDIATE")
    assert differences(history_of(written.root).list(children=True), written.truth) == []
    writer.rollback()
    path = closed(written)
    locker = sqlite3.connect(path)
    locker.execute("PRAGMA locking_mode=EXCLUSIVE")
    locker.execute("BEGIN EXCLUSIVE")
    assert differences(history_of(written.root).list(children=True), written.truth) == []
    locker.close()


def changed(written: Written) -> str:
    """Change a session that only the main database holds; return its ID."""
    writer, other = written.open
    held = {key for (key,) in other.execute("SELECT id FROM session")} | in_files(written)
    ids = [key for (key,) in writer.execute("SELECT session_id FROM message GROUP BY session_id ORDER BY 1")]
    key: str = next(key for key in ids if key not in held)
    writer.execute(
        "UPDATE session SET title = 'changed', time_updated = time_updated + 1 WHERE id = ?", (key,)
    )
    writer.commit()
    return key


@pytest.mark.parametrize("code", [sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_READ])
def test_sessions_stay_while_their_database_cannot_be_read_for_a_moment(
    written: Written, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    index = written.root.parent / "index"
    history = TaskHistory([written.root], now=lambda: NOW, cache=index)
    before = {task.id for task in history.list(children=True)}
    key = changed(written)
    read = ForeignDatabase.read

    def fails(database: ForeignDatabase, work: Callable[..., Any]) -> Any:
        def broken(connection: sqlite3.Connection) -> Any:
            error = sqlite3.OperationalError("cannot be read now")
            error.sqlite_errorcode = code
            raise error

        return read(database, broken if work.__name__ in ("all_heads", "changed") else work)

    monkeypatch.setattr(failures, "_AGAIN_SECONDS", 0)
    monkeypatch.setattr(failures, "_PATIENCE", 0)
    monkeypatch.setattr(ForeignDatabase, "read", fails)
    assert history.refresh().removed == []
    assert {task.id for task in history.list(children=True)} == before
    why = history.store(str(written.root)).unlistable()
    assert why is not None and "cannot be read" in why and "damaged" not in why
    monkeypatch.setattr(ForeignDatabase, "read", read)
    history.refresh()
    assert {task.id: task.title for task in history.list(children=True)}[key] == "changed"
    history.close()
    again = TaskHistory([written.root], now=lambda: NOW, cache=index)
    assert {task.id: task.title for task in again.list(children=True)}[key] == "changed"


def test_an_unfinished_transaction_is_not_shown(written: Written) -> None:
    writer = written.open[0]
    writer.execute("DELETE FROM message")
    assert differences(history_of(written.root).list(children=True), written.truth) == []
    writer.rollback()


def test_what_is_written_meanwhile_is_in_the_next_list(written: Written) -> None:
    history = history_of(written.root)
    history.list()
    history.refresh()
    writer, other = written.open
    ids, newer = (
        {key for (key,) in each.execute("SELECT DISTINCT session_id FROM message")}
        for each in (writer, other)
    )
    key = min(ids - newer - in_files(written))
    (before,) = (task for task in history.list(children=True) if task.id == key)
    assert before.last_activity is not None
    at = int(before.last_activity) + 5
    data = {"role": "user", "time": {"created": at}}
    writer.execute("INSERT INTO message VALUES ('msg_zz', ?, ?, ?, ?)", (key, at, at, json.dumps(data)))
    part = json.dumps({"type": "text", "text": "one more thing"})
    writer.execute("INSERT INTO part VALUES ('prt_zz', 'msg_zz', ?, ?, ?, ?)", (key, at, at, part))
    writer.commit()
    assert key in history.refresh().changed
    (after,) = (task for task in history.list(children=True) if task.id == key)
    assert (after.message_count or 0) - (before.message_count or 0) == 1
    assert (after.last_activity, after.outcome) == (at, "interrupted")
    writer.execute("DELETE FROM message WHERE id = 'msg_zz'")
    writer.execute("DELETE FROM part WHERE id = 'prt_zz'")
    writer.commit()
    assert key in history.refresh().changed
    (again,) = (task for task in history.list(children=True) if task.id == key)
    assert again == before


def test_a_checkpoint_changes_no_row(written: Written) -> None:
    history = history_of(written.root)
    before = history.list(children=True)
    history.refresh()
    written.open[0].execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert not history.refresh().any()
    assert history.list(children=True) == before


def test_copies_of_a_database_do_not_pile_up(written: Written, tmp_path: Path) -> None:
    history = history_of(written.root)
    for number in range(4):
        written.open[0].execute("UPDATE session SET title = ?", (f"title {number}",))
        written.open[0].commit()
        history.refresh()
    copies = [*(tmp_path / "cache").glob("**/copy.db")]
    assert len(copies) == 2, "one for each of two databases with a log"


def test_broken_rows_are_counted_and_the_others_shown(written: Written) -> None:
    writer = written.open[0]
    query = "SELECT session_id FROM message GROUP BY session_id ORDER BY count(*) DESC"
    (key,) = writer.execute(query).fetchone()
    (broken,) = writer.execute("SELECT max(id) FROM message WHERE session_id = ?", (key,)).fetchone()
    writer.execute('UPDATE message SET data = \'{"role": "assist\' WHERE id = ?', (broken,))
    writer.commit()
    task, _ = history_of(written.root).get(key)
    assert [problem.code for problem in task.problems] == ["malformed"]
    assert task.message_count


def test_a_row_of_too_many_values_is_reported_and_not_decoded(written: Written) -> None:
    writer = written.open[0]
    query = "SELECT session_id FROM message GROUP BY session_id ORDER BY count(*) DESC"
    (key,) = writer.execute(query).fetchone()
    (part,) = writer.execute("SELECT max(id) FROM part WHERE session_id = ?", (key,)).fetchone()
    before, _ = history_of(written.root).get(key)
    data = '{"type": "tool", "x": [' + "[]," * MAX_VALUES + "[]]}"
    writer.execute("UPDATE part SET data = ? WHERE id = ?", (data, part))
    writer.commit()
    task, _ = history_of(written.root).get(key)
    assert [problem.code for problem in task.problems] == ["malformed"]
    assert task.message_count == before.message_count


def test_a_database_that_cannot_be_opened_is_not_called_damaged(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(closed(written))
    connect: Callable[..., sqlite3.Connection] = sqlite3.connect

    def refuse(address: str, **options: Any) -> sqlite3.Connection:
        return connect(address.replace("opencode.db", "missing.db"), **options)

    monkeypatch.setattr(sqlite3, "connect", refuse)
    with pytest.raises(foreign_database.Refused, match="check its permissions") as refused:
        ForeignDatabase(path).read(lambda connection: connection.execute("SELECT 1").fetchone())
    assert refused.value.problem.code == "unreadable"


@pytest.mark.parametrize("content", [b"", b"\0" * 100, b'{"id": "ses', b"[1]", b"[" * 100_000])
def test_damaged_session_files_are_listed_or_left_out_but_never_raise(
    written: Written, content: bytes
) -> None:
    for path in (written.root / "storage").glob("**/*.json"):
        if hash(path.name) % 3 == 0 or "message" in path.parts:
            path.write_bytes(content)
    history = history_of(written.root)
    for task in history.list(children=True):
        history.messages(task.id)
    examine(history, NOW)


def test_an_id_that_no_command_takes_is_not_listed(written: Written) -> None:
    writer = written.open[0]
    (key,) = writer.execute("SELECT session_id FROM message GROUP BY session_id").fetchone()
    names = [str(column[1]) for column in writer.execute("PRAGMA table_info(session)")]
    known = ", ".join("?" if name == "id" else name for name in names)
    for place, odd in enumerate(("-x", "ses_a\nb", "../x", "ses_" + "x" * 10_000)):
        writer.execute(f"INSERT INTO session SELECT {known} FROM session WHERE id = ?", (odd, key))
        data = json.dumps({"role": "user", "time": {"created": 1}})
        writer.execute("INSERT INTO message VALUES (?, ?, 1, 1, ?)", (f"msg_odd{place}", odd, data))
    writer.commit()
    listed = {task.id for task in history_of(written.root).list(children=True)}
    assert written.truth.keys() == listed


def test_a_file_that_is_a_pipe_does_not_block(written: Written) -> None:
    path = next((written.root / "storage" / "message").glob("**/*.json"))
    path.unlink()
    os.mkfifo(path)
    history_of(written.root).list(children=True)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_NAMES = st.sampled_from(
    [
        "role",
        "time",
        "tokens",
        "cost",
        "error",
        "summary",
        "modelID",
        "finish",
        "path",
        "type",
        "text",
        "state",
    ]
)
_VALUES = _JSON | st.sampled_from(["user", "assistant", "text", "tool"]) | st.dictionaries(_NAMES, _JSON)
_DATA = st.dictionaries(_NAMES, _VALUES, max_size=6)
_COLUMN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(message=_DATA, part=_DATA, header=st.tuples(_COLUMN, _COLUMN, _COLUMN))
def test_rows_of_any_content_are_read(tmp_path: Path, message: Any, part: Any, header: Any) -> None:
    root = tmp_path / "any"
    root.mkdir(exist_ok=True)
    path = root / "opencode.db"
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE session (id, parent_id, directory, title, time_created, time_updated)")
    connection.execute("CREATE TABLE message (id, session_id, data)")
    connection.execute("CREATE TABLE part (id, message_id, session_id, data)")
    safe = [value if not isinstance(value, int) or abs(value) < 2**62 else None for value in header]
    title = [value.encode("utf-8", "replace").decode() if isinstance(value, str) else value for value in safe]
    connection.execute("INSERT INTO session VALUES ('ses_1', ?, ?, ?, NULL, NULL)", title)
    connection.execute("INSERT INTO message VALUES ('m', 'ses_1', ?)", (json.dumps(message),))
    connection.execute("INSERT INTO part VALUES ('p', 'm', 'ses_1', ?)", (json.dumps(part),))
    connection.commit()
    connection.close()
    history = history_of(root)
    before = seen(root)
    for task in history.list(children=True):
        assert history.get(task.id)[0] == task
        history.messages(task.id)
    assert seen(root) == before


def test_an_error_that_is_not_in_utf_8_is_a_problem_of_the_database(written: Written) -> None:
    path = closed(written)
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE surplus (a)")
    connection.close()
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE surplus", b"CREATE \xdeABLE surplus"))
    history = history_of(written.root)
    assert in_files(written) <= {task.id for task in history.list(children=True)}
    assert "not UTF-8" in (history.store(str(written.root)).unlistable() or "")


def test_a_document_beyond_the_limit_is_refused_before_it_is_read(written: Written) -> None:
    key = sorted(in_files(written))[0]
    head = next(written.root.glob(f"**/{key}.json"))
    with head.open("r+b") as file:
        file.truncate(MAX_DOCUMENT + 1)
    problems = FileSource(str(written.root)).content(key, FileSource(str(written.root)).heads()[key][0])
    assert problems is not None and [each.code for each in problems.problems] == ["tooLarge"]


def test_a_virtual_table_is_recognized_whatever_its_definition_looks_like(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("CREATE VIRTUAL TABLE session USING fts5(id, title)")
        database.execute("CREATE TABLE message (id TEXT)")
        database.execute("PRAGMA writable_schema=ON")
        sql = f"CREATE {'/*' + 'x' * 40 + '*/'} VIRTUAL TABLE session USING fts5(id, title)"
        database.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'session'", (sql,))
        database.commit()
    _, found = ForeignDatabase(str(path)).read(
        lambda connection: [columns(connection, name) for name in ("session", "message")]
    )
    assert found == [set(), {"id"}]


def test_an_index_on_a_member_of_json_hinders_no_reading(tmp_path: Path) -> None:
    path = tmp_path / "kilo.db"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE message (id TEXT, data TEXT)")
        database.execute("CREATE INDEX role ON message (json_extract(data, '$.role'))")
        database.execute("INSERT INTO message VALUES ('a', '{}')")
        database.commit()
    _, found = ForeignDatabase(str(path)).read(
        lambda connection: connection.execute("SELECT id FROM message").fetchall()
    )
    assert found == [("a",)]


def test_a_huge_title_hides_no_other_session(written: Written) -> None:
    database, other = written.open
    elsewhere = in_files(written) | {str(row[0]) for row in other.execute("SELECT id FROM session")}
    found = database.execute("SELECT DISTINCT session_id FROM message ORDER BY 1")
    keys = [str(row[0]) for row in found if row[0] not in elsewhere]
    database.execute("UPDATE session SET title = ? WHERE id = ?", ("x" * (1024**2 + 1), keys[0]))
    database.execute("UPDATE session SET title = ? WHERE id = ?", ("y" * 100_000, keys[1]))
    database.commit()
    history = history_of(written.root)
    rows = {row.id: row for row in history.list(children=True)}
    assert keys[0] not in rows
    assert set(keys[1:]) <= set(rows)
    assert rows[keys[1]].title.startswith("yyy")
    assert any(keys[0] in finding.message for finding in examine(history, NOW).findings)
