"""A journal may name a super-journal, which SQLite deletes once it has played the journal back."""

import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.history.stores.sessions.databases.foreign_database import ForeignDatabase
from tests.history.stores.fixtures.agents import history_of, listed, snapshot

MAGIC = bytes.fromhex("d9d505f920a163d7")
PENDING_PAGE = (0x40000000 // 4096 + 1).to_bytes(4, "big")
COLUMNS = "id TEXT PRIMARY KEY, session_id TEXT, message_id TEXT, title TEXT, data TEXT"


def signed_sum(name: bytes) -> int:
    """Return the checksum of a name as SQLite computes it where characters have a sign."""
    return sum(int.from_bytes([byte], "big", signed=True) for byte in name) % 2**32


def write_store(
    root: Path, super_journal: str | None, length: int | None = None, checksum: int | None = None
) -> None:
    """Write a store whose last transaction, which changed the title of a session, is not complete.

    `live.db` is next to it, in which that transaction is complete.
    """
    root.mkdir()
    database, journal = root / "opencode.db", root / "opencode.db-journal"
    prompt, words = '{"role": "user"}', '{"type": "text", "text": "x"}'
    with sqlite3.connect(root / "live.db", isolation_level=None) as connection:
        for table in ("session", "message", "part"):
            connection.execute(f"CREATE TABLE {table} ({COLUMNS})")
        connection.execute("INSERT INTO session (id, title) VALUES ('ses_1', 'before')")
        connection.execute("INSERT INTO message VALUES ('m', 'ses_1', '', '', ?)", (prompt,))
        connection.execute("INSERT INTO part VALUES ('p', 'ses_1', 'm', '', ?)", (words,))
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("PRAGMA synchronous = OFF")  # the journal is whole at any time
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("PRAGMA user_version = 1")  # the journal has the first page too
        connection.execute("UPDATE session SET title = 'after'")
        many = [(str(number), "x" * 999) for number in range(99)]
        connection.executemany("INSERT INTO part VALUES (?, '', '', '', ?)", many)
        shutil.copy(root / "live.db", database)
        shutil.copy(root / "live.db-journal", journal)
        connection.execute("COMMIT")
    connection.close()
    if super_journal is None:
        return
    name = super_journal.encode()
    numbers = len(name) if length is None else length, signed_sum(name) if checksum is None else checksum
    end = PENDING_PAGE + name + b"".join(number.to_bytes(4, "big") for number in numbers) + MAGIC
    with journal.open("ab") as file:
        file.write(bytes(-file.tell() % 512) + end)


def test_a_super_journal_that_is_there_is_not_deleted(tmp_path: Path) -> None:
    root = tmp_path / "store"
    other = root / "opencode.db-mj0123456789"
    write_store(root, str(other))
    (root / "live.db").unlink()
    other.write_text("of somebody")
    before = snapshot(root)
    assert listed(history_of(root))["ses_1"]["title"] == "before"
    assert snapshot(root) == before


def test_a_transaction_whose_super_journal_is_gone_is_complete(tmp_path: Path) -> None:
    root, other = tmp_path / "store", tmp_path / "elsewhere"
    write_store(root, str(other))
    (root / "live.db").replace(root / "opencode.db")
    other.write_text("of somebody")
    assert listed(history_of(root))["ses_1"]["title"] == "after"
    assert other.read_text() == "of somebody"


def as_sqlite_reads(root: Path, copy: Path) -> str:
    """Return the title that SQLite itself finds after it has played back a journal."""
    shutil.copytree(root, copy)
    with sqlite3.connect(copy / "opencode.db") as connection:
        title: str = connection.execute("SELECT title FROM session").fetchone()[0]
    connection.close()
    return title


@pytest.mark.parametrize(
    ("name", "length", "checksum"),
    [
        ("gone-mj0123456789", None, 7),
        ("gone-mj0123456789", None, None),
        ("gone-mj\u00e4\u4e2d", None, None),
        ("gone-mj0123456789", 0, 0),
        ("gone-mj0123456789", 1 << 31, None),
        ("x" * 512, None, None),
        ("x" * 513, None, None),
        ("x" * 5_000, None, None),
        ("\0gone", None, None),
    ],
)
def test_a_journal_is_played_back_if_sqlite_would(
    tmp_path: Path, name: str, length: int | None, checksum: int | None
) -> None:
    root = tmp_path / "store"
    write_store(root, name, length, checksum)
    with sqlite3.connect(root / "live.db") as connection:
        rows = connection.execute("SELECT title FROM session").fetchall()
    connection.close()
    assert rows == [("after",)]
    if as_sqlite_reads(root, tmp_path / "copy") == "before":  # the transaction was not complete
        (root / "live.db").unlink()
    else:
        (root / "live.db").replace(root / "opencode.db")
    expected = as_sqlite_reads(root, tmp_path / "other copy")
    before = snapshot(root)
    assert listed(history_of(root))["ses_1"]["title"] == expected
    assert snapshot(root) == before


def test_a_transaction_that_was_undone_in_a_copy_is_seen_once_it_is_complete(tmp_path: Path) -> None:
    root = tmp_path / "store"
    write_store(root, None)
    (root / "live.db").replace(root / "opencode.db")
    assert listed(history_of(root))["ses_1"]["title"] == "before"
    (root / "opencode.db-journal").unlink()  # the last step of a commit: the database stays as it is
    with sqlite3.connect(root / "opencode.db", isolation_level=None) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("INSERT INTO session (id) VALUES ('ses_2')")
        assert (root / "opencode.db-journal").stat().st_size
        assert listed(history_of(root))["ses_1"]["title"] == "after"
        writer.execute("ROLLBACK")
    writer.close()


def test_a_copy_that_loses_its_journal_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, cache = tmp_path / "root", tmp_path / "cache"
    monkeypatch.setenv("SIDECAR_CACHE_DIR", str(cache))
    write_store(root, None)
    connect: Callable[..., sqlite3.Connection] = sqlite3.connect
    removed: list[Path] = []

    def remove_first(*arguments: Any, **options: Any) -> sqlite3.Connection:
        found = [*cache.glob("databases/*/*/copy.db-journal")]
        if not found or removed:
            return connect(*arguments, **options)
        removed.extend(found)
        found[0].unlink()
        try:
            return connect(*arguments, **options)
        finally:
            shutil.rmtree(cache / "databases")

    monkeypatch.setattr(sqlite3, "connect", remove_first)
    database = ForeignDatabase(str(root / "opencode.db"))
    assert database.read(lambda opened: [*opened.execute("SELECT title FROM session")])[1] == [("before",)]
    assert removed


def test_no_copy_with_a_journal_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "cache"
    monkeypatch.setenv("SIDECAR_CACHE_DIR", str(cache))
    write_store(tmp_path / "root", None)
    ForeignDatabase(str(tmp_path / "root" / "opencode.db")).read(lambda opened: None)
    assert [*cache.glob("databases/*/*")] == []


def test_what_a_killed_reader_left_is_removed_by_a_later_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    monkeypatch.setenv("SIDECAR_CACHE_DIR", str(cache))
    write_store(tmp_path / "root", None)
    database = ForeignDatabase(str(tmp_path / "root" / "opencode.db"))
    database.read(lambda opened: None)
    (home,) = cache.glob("databases/*")
    for name, age in (("new-old", 7_200), ("new-recent", 60)):
        (home / name).mkdir()
        os.utime(home / name, (time.time() - age,) * 2)
    database.read(lambda opened: None)
    assert [entry.name for entry in home.iterdir()] == ["new-recent"]
