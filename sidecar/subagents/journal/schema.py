"""The journal's tables, how they came to be, and how the file is opened."""

import os
import sqlite3
from pathlib import Path

from sidecar.api.errors import StorageError

APPLICATION_ID = 0x5353434A
"""Marks the file as ours in its header, so that no other program's database is taken for a journal."""

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE runs (
            n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, status TEXT NOT NULL, ordered_at INTEGER NOT NULL,
            completed_at INTEGER, sync INTEGER NOT NULL, wants_notice INTEGER NOT NULL, notified_at INTEGER,
            body BLOB NOT NULL)""",
        "CREATE INDEX runs_by_order ON runs (ordered_at, n)",
        "CREATE INDEX runs_by_status ON runs (status, ordered_at, n)",
        "CREATE INDEX runs_untold ON runs (completed_at) WHERE notified_at IS NULL",
        """CREATE TABLE events (
            task_id TEXT NOT NULL, seq INTEGER NOT NULL, body BLOB NOT NULL,
            PRIMARY KEY (task_id, seq)) WITHOUT ROWID""",
        """CREATE TABLE deliveries (
            n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at INTEGER NOT NULL, state TEXT NOT NULL,
            task_ids BLOB NOT NULL)""",
    ),
    ("CREATE TABLE permissions (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body BLOB NOT NULL)",),
    (
        "ALTER TABLE runs ADD COLUMN transcript_open INTEGER NOT NULL DEFAULT 0",
        "CREATE INDEX runs_transcript_open ON runs (n) WHERE transcript_open",
    ),
)
"""Entry i takes a file from version i to i + 1; a released entry is never changed."""

VERSION = len(MIGRATIONS)

_BUSY_SECONDS = 5.0
"""Only a checkpoint of another process's last connection can hold us up, for moments."""


class JournalMissing(StorageError):
    """There is no journal to read yet; `ps` and second processes may show nothing instead."""


def connect(path: Path) -> sqlite3.Connection:
    """Open the journal to write it, bringing it to `VERSION`.

    Raises StorageError naming the file and the remedy.
    """
    try:
        _create_private(path)
        connection = _open(path, "mode=rw")
        try:
            _prepare(connection, _checked_version(connection, path))
        except BaseException:
            connection.close()
            raise
        return connection
    except (sqlite3.Error, OSError) as error:
        raise storage_error(path, error) from error


def connect_to_read(
    path: Path,
    *,
    immutable: bool = False,
    factory: type[sqlite3.Connection] = sqlite3.Connection,
    named: Path | None = None,
) -> sqlite3.Connection:
    """Open the journal as it is; `immutable` without its log and without following changes.

    Raises StorageError as `connect` does, about the file `named` where `path` is a copy of that, and
    JournalMissing when there is nothing to read.
    """
    named = named or path
    try:
        if not path.exists() or path.stat().st_size == 0:
            raise _missing(named)
        has_log = path.with_name(f"{path.name}-wal").exists()
        connection = _open(path, "mode=ro&immutable=1" if immutable else "mode=ro", factory)
        try:
            if _checked_version(connection, named) == 0:
                raise _missing(named) if has_log or immutable else _without_log(named)
        except BaseException:
            connection.close()
            raise
        return connection
    except (sqlite3.Error, OSError) as error:
        raise storage_error(named, error) from error


def connect_empty() -> sqlite3.Connection:
    """Return a journal in memory without anything in it, to read where there is none yet."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    _prepare(connection, 0)
    return connection


def storage_error(path: Path, error: Exception) -> StorageError:
    """Say in a person's words what SQLite or the system said of `path`, and the remedy."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    reason, remedy = _MEANINGS.get(code, (str(error), "check the disk and the file's permissions"))
    return StorageError(f"journal {path}: {reason}; {remedy}", path=str(path), reason=reason)


def _open(
    path: Path, mode: str, factory: type[sqlite3.Connection] = sqlite3.Connection
) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?{mode}"
    return sqlite3.connect(uri, uri=True, timeout=_BUSY_SECONDS, isolation_level=None, factory=factory)


def _create_private(path: Path) -> None:
    try:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        return
    os.close(handle)
    path.chmod(0o600)  # SQLite gives its -wal and -shm files the mode of this one


def _checked_version(connection: sqlite3.Connection, path: Path) -> int:
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    owner = int(connection.execute("PRAGMA application_id").fetchone()[0])
    tables = int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    if owner != APPLICATION_ID and (owner or version or tables):
        raise _refusal(path, "is another program's database", "move it away, or use another storage root")
    if version > VERSION:
        reason = f"was written by a newer version (format {version}, this one knows {VERSION})"
        raise _refusal(path, reason, "update the sidecar, or use another storage root")
    return version


def _prepare(connection: sqlite3.Connection, version: int) -> None:
    if version == 0:
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # first: later it would take a whole VACUUM
    # FULL, not NORMAL: a record must outlive a power cut once `save` has returned.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA journal_size_limit = 16777216")
    if version == VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    for migration in MIGRATIONS[version:]:
        for statement in migration:
            connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")
    # So that the file is a journal by itself, should somebody remove its write-ahead log.
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _missing(path: Path) -> JournalMissing:
    reason = "there is no journal yet"
    return JournalMissing(
        f"{reason} at {path}; it is made by the first launch", path=str(path), reason=reason
    )


def _without_log(path: Path) -> StorageError:
    reason = "its write-ahead log (-wal) was removed"
    remedy = "end the sidecar that uses it, which saves what it knows, and start it again"
    return StorageError(f"journal {path}: {reason}; {remedy}", path=str(path), reason=reason)


def _refusal(path: Path, reason: str, remedy: str) -> StorageError:
    return StorageError(f"journal {path} {reason}; {remedy}", path=str(path), reason=reason)


_DAMAGED = (
    "the file is damaged",
    "move it and its -wal and -shm files away to begin a new one; the transcripts under tasks/ stay",
)
_MEANINGS = {
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_FULL: ("the disk is full", "free some space"),
    sqlite3.SQLITE_READONLY: ("the file cannot be written", "check its permissions and its directory's"),
    sqlite3.SQLITE_CANTOPEN: ("the file cannot be opened", "check its permissions and its directory's"),
}
