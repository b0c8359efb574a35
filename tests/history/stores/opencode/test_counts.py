"""Sessions of a database that are counted only where rows changed, compared with a reading of all."""

import contextlib
import itertools
import random
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sidecar.history.stores.opencode import counts, databases, heads
from sidecar.history.stores.opencode.databases import DatabaseSource

_SESSION = "id text PRIMARY KEY, parent_id text, directory text, title text, version text, time_created, {}"
_TIMES = "time_created integer, time_updated integer"
SCHEMAS = {
    "ordinary": ("time_updated integer", _TIMES, ""),
    "indexes": ("time_updated integer", _TIMES, ""),
    "no times": ("time_updated integer", "time_created integer, at integer", ""),
    "no numbers": ("time_updated integer", _TIMES, " WITHOUT ROWID"),
    "other numbers": ("time_updated integer", f"{_TIMES}, rowid text", ""),
}
STEPS = 40


@pytest.fixture(autouse=True)
def clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Use an empty cache and a clock that is set by hand, and trust few rows at the end of a table."""
    monkeypatch.setenv("SIDECAR_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(counts, "_LATELY", 3)
    clock = SimpleNamespace(now=1_000.0)
    monkeypatch.setattr(databases, "time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


class Writer:
    """An agent that writes a database, and what else may happen to it. Times rise by one for each row."""

    def __init__(self, path: Path, seed: int, schema: str = "ordinary") -> None:
        self.random = random.Random(seed)
        self.path = path
        self.at = 1_776_000_000_000
        self.number = 0
        self.old: list[Path] = []
        self._open()
        of_session, of_rows, end = SCHEMAS[schema]
        self.run(f"CREATE TABLE session ({_SESSION.format(of_session)}){end}")
        self.run(f"CREATE TABLE message (id text PRIMARY KEY, session_id text, {of_rows}, data text){end}")
        rows = f"id text PRIMARY KEY, message_id text, session_id text, {of_rows}, data text"
        self.run(f"CREATE TABLE part ({rows}){end}")
        if schema == "indexes":
            for table in counts.TABLES:
                self.run(f"CREATE INDEX {table}_session ON {table} (session_id)")
        self.updated = "at" if schema == "no times" else "time_updated"
        for _ in range(12):
            self.new_session()

    def _open(self) -> None:
        self.database = sqlite3.connect(self.path, isolation_level=None)
        self.database.execute("PRAGMA journal_mode=WAL")
        self.database.execute("PRAGMA wal_autocheckpoint=0")
        self.database.execute("PRAGMA synchronous=OFF")

    def run(self, statement: str, *values: object) -> None:
        self.database.execute(statement, values)

    def any(self, table: str, column: str = "id") -> str:
        rows = self.database.execute(f"SELECT {column} FROM {table} ORDER BY {column}").fetchall()
        return str(self.random.choice(rows)[0]) if rows else ""

    def new_session(self) -> None:
        self.number += 1
        values = (f"ses_{self.number}", None, "/w", f"title {self.number}", "1", self.at, self.at)
        self.run("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?)", *values)
        self.answer(values[0])

    def answer(self, key: str | None = None) -> None:
        key = key or self.any("session")
        for _ in range(self.random.randint(1, 3)):
            self.at += 1
            self.number += 1
            message, data = f"msg_{self.number}", "x" * self.random.randint(0, 50)
            names = f"session_id, time_created, {self.updated}, data"
            self.run(
                f"INSERT INTO message (id, {names}) VALUES (?, ?, ?, ?, ?)",
                message,
                key,
                self.at,
                self.at,
                data,
            )
            values = (f"prt_{self.number}", message, key, self.at, self.at, data)
            self.run(f"INSERT INTO part (id, message_id, {names}) VALUES (?, ?, ?, ?, ?, ?)", *values)

    def edit(self) -> None:
        """Change any row as the agent does: with a new time."""
        self.at += 1
        statement = f"UPDATE part SET data = data || 'more', {self.updated} = ? WHERE id = ?"
        self.run(statement, self.at, self.any("part"))

    def rename(self) -> None:
        self.run("UPDATE session SET title = title || '!' WHERE id = ?", self.any("session"))

    def delete_row(self) -> None:
        table = self.random.choice(counts.TABLES)
        self.run(f"DELETE FROM {table} WHERE id = ?", self.any(table))

    def revert(self) -> None:
        """Delete the last rows of a session, of which SQLite may use the numbers again."""
        key = self.any("session")
        for table in counts.TABLES:
            last = f"SELECT id FROM {table} WHERE session_id = ? ORDER BY id DESC LIMIT 2"
            self.run(f"DELETE FROM {table} WHERE id IN ({last})", key)
        if self.random.random() < 0.7:
            self.answer(key if self.random.random() < 0.5 else None)

    def delete_session(self) -> None:
        key = self.any("session")
        self.run("DELETE FROM session WHERE id = ?", key)
        if self.random.random() < 0.7:
            for table in counts.TABLES:
                self.run(f"DELETE FROM {table} WHERE session_id = ?", key)

    def checkpoint(self) -> None:
        self.run(f"PRAGMA wal_checkpoint({self.random.choice(('PASSIVE', 'TRUNCATE', 'RESTART'))})")

    def vacuum(self) -> None:
        self.run("VACUUM")

    def reopen(self) -> None:
        """End the agent, which removes the log, and start it again."""
        self.database.close()
        self._open()

    def keep_copy(self) -> None:
        self.run("PRAGMA wal_checkpoint(TRUNCATE)")
        self.old.append(self.path.with_name(f"old{len(self.old)}"))
        shutil.copyfile(self.path, self.old[-1])

    def replace(self) -> None:
        """Put an older copy in place of the database."""
        if self.old:
            self.database.close()
            given = self.path.with_name("given")
            shutil.copyfile(self.random.choice(self.old), given)
            given.replace(self.path)
            self._open()

    def restore(self) -> None:
        """Let SQLite restore an older copy."""
        if self.old:
            with contextlib.closing(sqlite3.connect(self.random.choice(self.old))) as old:
                old.backup(self.database)

    def overwrite(self) -> None:
        """Write the bytes of an older copy into the file."""
        if self.old:
            self.database.close()
            self.path.write_bytes(self.random.choice(self.old).read_bytes())
            self._open()

    def edit_silently(self) -> None:
        """Change any row without a new time."""
        table = self.random.choice(counts.TABLES)
        self.run(f"UPDATE {table} SET data = data || 'y' WHERE id = ?", self.any(table))

    def move(self) -> None:
        statement = "UPDATE part SET session_id = ? WHERE id = ?"
        self.run(statement, self.any("session"), self.any("part"))

    def go_back(self) -> None:
        """Set the clock of the agent back, and edit a row."""
        at, self.at = self.at, self.at - self.random.randint(5, 5_000)
        self.edit()
        self.at = at

    def import_old(self) -> None:
        """Add a session with old times."""
        at, self.at = self.at, 1_600_000_000_000
        self.new_session()
        self.at = at


AT_ONCE: list[Callable[[Writer], None]] = [
    *(Writer.answer, Writer.answer, Writer.answer, Writer.new_session, Writer.rename, Writer.import_old),
    *(Writer.delete_row, Writer.revert, Writer.delete_session, Writer.checkpoint, Writer.vacuum),
    *(Writer.reopen, Writer.keep_copy, Writer.replace, Writer.restore),
]
LATER: list[Callable[[Writer], None]] = [
    *(Writer.edit_silently, Writer.move, Writer.go_back, Writer.overwrite),
]


@contextlib.contextmanager
def writing(path: Path, seed: int, schema: str = "ordinary") -> Iterator[Writer]:
    writer = Writer(path, seed, schema)
    try:
        yield writer
    finally:
        writer.database.close()


def fresh(writer: Writer) -> Any:
    return DatabaseSource(str(writer.path)).heads()


@pytest.mark.parametrize("schema", SCHEMAS)
@pytest.mark.parametrize("seed", range(8))
def test_what_is_counted_again_equals_a_reading_of_all(
    tmp_path: Path, clock: SimpleNamespace, seed: int, schema: str
) -> None:
    """Within two minutes at most; at once unless rows change that an agent leaves alone."""
    at_once = [*AT_ONCE] if schema == "no times" else [*AT_ONCE, Writer.edit, Writer.edit]
    with writing(tmp_path / "opencode.db", seed, schema) as writer:
        source, is_behind = DatabaseSource(str(writer.path)), False
        source.heads()
        for step in range(STEPS):
            clock.now += writer.random.random()
            is_odd = writer.random.random() < 0.2
            action = writer.random.choice(LATER if is_odd else at_once)
            action(writer)
            is_behind = is_behind or is_odd
            if writer.random.random() < 0.3:
                continue  # so that several changes come together
            found = source.heads()
            if is_behind and writer.random.random() < 0.5:
                clock.now += 61
                found, is_behind = source.heads(), False
            assert is_behind or found == fresh(writer), f"step {step}: {action.__name__}"
        source.heads()
        clock.now += 61
        assert source.heads() == fresh(writer) and source.problem is None


def test_a_database_that_changes_all_the_time_is_counted_within_two_minutes(
    tmp_path: Path, clock: SimpleNamespace
) -> None:
    with writing(tmp_path / "opencode.db", 1) as writer:
        source = DatabaseSource(str(writer.path))
        source.heads()
        key = writer.any("session")
        clock.now += 1
        writer.run("UPDATE message SET data = data || 'y' WHERE session_id = 'ses_1'")
        for _ in range(13):
            clock.now += 10
            writer.answer(key)
            source.heads()
        assert source.heads() == fresh(writer)


@pytest.mark.parametrize("schema", ["ordinary", "indexes", "no times"])
def test_a_session_at_work_does_not_cost_a_reading_of_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, schema: str
) -> None:
    with writing(tmp_path / "opencode.db", 2, schema) as writer:
        source = DatabaseSource(str(writer.path))
        before = source.heads()
        monkeypatch.setattr(databases, "all_heads", None)
        for action in (Writer.answer, Writer.rename, Writer.new_session, Writer.checkpoint, Writer.reopen):
            action(writer)
            assert source.heads() == fresh_heads(writer)
        after = source.heads()
        assert sum(after.get(key) is head for key, head in before.items()) >= len(before) - 2


def test_an_edit_with_its_time_is_noticed_next_to_a_row_of_the_future(tmp_path: Path) -> None:
    with writing(tmp_path / "opencode.db", 3) as writer:
        writer.at = int(time.time() * 1000) + 10**10
        writer.answer("ses_5")
        source = DatabaseSource(str(writer.path))
        source.heads()
        edited = "UPDATE part SET data = data || 'more', time_updated = ? WHERE session_id = 'ses_1'"
        writer.run(edited, int(time.time() * 1000) - 2_000)  # committed after a later one
        assert source.heads() == fresh(writer)


@pytest.mark.parametrize("is_first", [True, False])
def test_a_session_at_work_is_still_counted_after_a_reading_of_all(
    tmp_path: Path, clock: SimpleNamespace, is_first: bool
) -> None:
    with writing(tmp_path / "opencode.db", 4) as writer:
        source = DatabaseSource(str(writer.path))
        if is_first:
            writer.run("UPDATE session SET time_updated = ? WHERE id = 'ses_1'", int(time.time() * 1000))
        else:
            source.heads()
            writer.answer("ses_1")
        source.heads()
        for _ in range(5):
            writer.answer("ses_9")
        source.heads()
        clock.now += 61
        source.heads()
        writer.run("UPDATE message SET data = data || 'y' WHERE session_id = 'ses_1'")
        assert source.heads() == fresh(writer)


def test_old_rows_with_a_new_time_are_searched_for_rarely_if_that_takes_long(
    tmp_path: Path, clock: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = itertools.count(0.0, 0.25)  # of a clock that shows 0.25 s for each search
    monkeypatch.setattr(heads, "time", SimpleNamespace(monotonic=lambda: next(ticks), time=time.time))
    with writing(tmp_path / "opencode.db", 9) as writer:
        source = DatabaseSource(str(writer.path))
        other = next(key for key in source.heads() if key != "ses_1")
        writer.answer(other)
        source.heads()
        before = fresh(writer)
        edited = "UPDATE part SET data = data || 'more', time_updated = ? WHERE session_id = 'ses_1'"
        writer.run(edited, writer.at + 1)
        clock.now += 4
        assert source.heads() == before
        writer.answer(other)
        found = source.heads()
        assert (found[other], found["ses_1"]) == (fresh(writer)[other], before["ses_1"])
        clock.now += 1.1  # nothing else is written
        assert source.heads() == fresh(writer)


def test_a_database_that_nobody_compared_for_long_is_counted_as_a_whole(
    tmp_path: Path, clock: SimpleNamespace
) -> None:
    with writing(tmp_path / "opencode.db", 5) as writer:
        source = DatabaseSource(str(writer.path))
        source.heads()
        writer.run("UPDATE message SET data = data || 'y' WHERE session_id = 'ses_1'")
        clock.now += 3_600
        assert source.heads() == fresh(writer)


def test_a_row_without_a_session_hides_no_deletion(tmp_path: Path) -> None:
    with writing(tmp_path / "opencode.db", 6) as writer:
        source = DatabaseSource(str(writer.path))
        source.heads()
        writer.run("DELETE FROM message WHERE id = (SELECT min(id) FROM message)")
        writer.run("INSERT INTO message (id, time_created, time_updated, data) VALUES ('z', 1, 1, '')")
        assert source.heads() == fresh(writer)


def test_rows_may_have_the_lowest_numbers(tmp_path: Path) -> None:
    with writing(tmp_path / "opencode.db", 7) as writer:
        writer.run("DELETE FROM part")
        values = "(-9223372036854775807, 'q', 'm', 'ses_1', 1, 1, '')"
        names = "rowid, id, message_id, session_id, time_created, time_updated, data"
        writer.run(f"INSERT INTO part ({names}) VALUES {values}")
        source = DatabaseSource(str(writer.path))
        source.heads()
        writer.rename()
        assert source.heads() == fresh(writer) and source.problem is None


def test_a_database_that_cannot_be_read_is_not_read_at_each_call(
    tmp_path: Path, clock: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with writing(tmp_path / "opencode.db", 8) as writer:
        source = DatabaseSource(str(writer.path))
        source.heads()
        writer.answer()
        source.heads()
        clock.now += 1
        writer.run("DROP TABLE part")
        source.heads()
        clock.now += 61
        readings: list[object] = []
        read = source._database.read

        def note(work: Any) -> Any:
            readings.append(work)
            return read(work)

        monkeypatch.setattr(source._database, "read", note)
        for _ in range(10):
            source.heads()
        assert len(readings) <= 1 and source.problem is not None


def fresh_heads(writer: Writer) -> Any:
    with contextlib.closing(sqlite3.connect(writer.path)) as connection:
        return heads.all_heads(connection).heads
