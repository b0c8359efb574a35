"""Define and migrate the journal's tables, and open its file."""

import logging
import os
import shutil
import sqlite3
from pathlib import Path

from sidecar.api.errors import StorageError

APPLICATION_ID = 0x5353434A
"""Marks the file as a journal in its header, to distinguish it from databases of other programs."""

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
    (
        """CREATE TABLE removals (
            n INTEGER PRIMARY KEY, task_id TEXT NOT NULL UNIQUE, has_events INTEGER NOT NULL)""",
        "CREATE INDEX removals_with_events ON removals (n) WHERE has_events",
    ),
    (
        # A table without row IDs puts the rest of an event of more than about 1,000 B on pages of its own,
        # mostly unused: https://www.sqlite.org/fileformat2.html section 1.6.
        "ALTER TABLE events RENAME TO events_before",
        """CREATE TABLE events (
            task_id TEXT NOT NULL, seq INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (task_id, seq))""",
        "INSERT INTO events SELECT task_id, seq, body FROM events_before ORDER BY task_id, seq",
        "DROP TABLE events_before",
    ),
)
"""Entry i migrates a file from version i to i + 1. Never change a released entry."""

VERSION = len(MIGRATIONS)
_USABLE = 4
"""Files from this version on have all columns that are used, and may stay as they are."""
_COPY_FACTOR = 2.5
"""How much space a copy of the events needs, in the log and the file, relative to the file's size."""

log = logging.getLogger(__name__)

_BUSY_SECONDS = 5.0
"""Only a checkpoint of another process's last connection can block this one, and only briefly."""


class JournalMissing(StorageError):
    """There is no journal to read yet. Readers may treat it as empty."""


class JournalNewer(StorageError):
    """A newer version wrote the journal. It can be read if its tables still have the columns of this one."""


_READ = (
    "SELECT n, id, status, ordered_at, completed_at, sync, wants_notice, notified_at, body, transcript_open"
    " FROM runs",
    "SELECT task_id, seq, body FROM events",
    "SELECT n, id, at, state, task_ids FROM deliveries",
    "SELECT n, id, body FROM permissions",
    "SELECT n, task_id, has_events FROM removals",
)
"""What readers select, to check the tables of a newer version."""
_ADDED_LATER = {
    2: "CREATE TEMP TABLE permissions (n INTEGER PRIMARY KEY, id TEXT, body BLOB)",
    4: "CREATE TEMP TABLE removals (n INTEGER PRIMARY KEY, task_id TEXT, has_events INTEGER)",
}
"""Empty tables for readers of journals that lack them, by the version that added them."""


def connect(path: Path) -> sqlite3.Connection:
    """Open the journal for writing and migrate it to `VERSION`, or only to `_USABLE` if the disk lacks space.

    Raises StorageError with the file and the remedy.
    """
    try:
        _create_private(path)
        connection = _open(path, "mode=rw")
        try:
            version = _checked_version(connection, path)
            if version > VERSION:
                raise _newer(path, version)
            _prepare(connection, version, _target(path, version))
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
    """Open the journal for reading; with `immutable`, ignore its write-ahead log and later changes.

    Raises StorageError like `connect`, with the path `named` if `path` is a copy of that file, and
    JournalMissing if there is nothing to read.
    """
    named = named or path
    try:
        if not path.exists() or path.stat().st_size == 0:
            raise _missing(named)
        has_log = path.with_name(f"{path.name}-wal").exists()
        connection = _open(path, "mode=ro&immutable=1" if immutable else "mode=ro", factory)
        try:
            version = _checked_version(connection, named)
            if version == 0:
                raise _missing(named) if has_log or immutable else _without_log(named)
            _adapt(connection, named, version)
        except BaseException:
            connection.close()
            raise
        return connection
    except (sqlite3.Error, OSError) as error:
        raise storage_error(named, error) from error


def names_clients(connection: sqlite3.Connection) -> bool:
    """Return whether the deliveries have the column `client`.

    It has no version of its own: programs that do not know it ignore it, and a full disk cannot delay it.
    """
    columns = connection.execute("SELECT name FROM pragma_table_info('deliveries')")
    return any(name == "client" for (name,) in columns)


def connect_empty() -> sqlite3.Connection:
    """Return an empty journal in memory, to read while there is no file."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    _prepare(connection, 0, VERSION)
    return connection


def storage_error(path: Path, error: Exception) -> StorageError:
    """Describe an error of SQLite or the system for `path` in plain words, with the remedy."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_IOERR and _is_full(path):
        code = sqlite3.SQLITE_FULL  # SQLite reports no space for its -shm file as an I/O error
    if code == sqlite3.SQLITE_CANTOPEN and len(os.fsencode(path.absolute())) > _MOST_PATH_BYTES:
        return _too_long(path)
    reason, remedy = _MEANINGS.get(code, (str(error), "check the disk and the file's permissions"))
    return StorageError(f"journal {path}: {reason}; {remedy}", path=str(path), reason=reason)


def _too_long(path: Path) -> StorageError:
    reason = f"its path is longer than {_MOST_PATH_BYTES} bytes, which SQLite cannot open"
    text = f"journal {path}: {reason}; use a storage root with a shorter path"
    return StorageError(text, path=str(path), reason=reason)


def _is_full(path: Path) -> bool:
    try:
        disk = os.statvfs(path.parent)
    except (AttributeError, OSError):  # Windows has no such call
        return False
    return disk.f_bavail * disk.f_frsize < _SHM_BYTES


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
    path.chmod(0o600)  # SQLite gives its -wal and -shm files the same mode


def _checked_version(connection: sqlite3.Connection, path: Path) -> int:
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    owner = int(connection.execute("PRAGMA application_id").fetchone()[0])
    tables = int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    if owner != APPLICATION_ID and (owner or version or tables):
        raise _refusal(path, "is another program's database", "move it away, or use another storage root")
    return version


def _adapt(connection: sqlite3.Connection, path: Path, version: int) -> None:
    """Make the tables of another version readable. Raises JournalNewer if that is impossible."""
    connection.execute("PRAGMA temp_store = MEMORY")  # first, because a change drops temporary tables
    for added_in, statement in _ADDED_LATER.items():
        if version < added_in:
            connection.execute(statement)
    if version > VERSION:
        try:
            for query in _READ:
                connection.execute(f"{query} LIMIT 0")
        except sqlite3.OperationalError:
            raise _newer(path, version) from None


def _target(path: Path, version: int) -> int:
    """Return the version to migrate a file of `version` to."""
    needed = path.stat().st_size * _COPY_FACTOR
    if not 0 < version < VERSION or shutil.disk_usage(path.parent).free >= needed:
        return VERSION
    log.warning("%s keeps its format until the disk has %d MB of free space", path, needed / 1e6 + 1)
    return max(version, _USABLE)


def _prepare(connection: sqlite3.Connection, version: int, target: int) -> None:
    if version == 0:
        connection.execute(
            "PRAGMA auto_vacuum = INCREMENTAL"
        )  # set this first, because later it would require a full VACUUM
    # FULL, not NORMAL: a record must survive a power failure once `save` has returned.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA journal_size_limit = 16777216")
    # Some builds of SQLite overwrite every freed page. Pruning would write five times as much, and requests
    # would wait for it. FAST overwrites deleted content only in pages that are written anyway.
    connection.execute("PRAGMA secure_delete = FAST")
    has_clients = version > 0 and names_clients(connection)
    if version == target and has_clients:
        return
    connection.execute("BEGIN IMMEDIATE")
    for migration in MIGRATIONS[version:target]:
        for statement in migration:
            connection.execute(statement)
    if not has_clients:
        connection.execute("ALTER TABLE deliveries ADD COLUMN client TEXT")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {target}")
    connection.execute("COMMIT")
    # Write the tables to the file itself, in case its write-ahead log is removed.
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _missing(path: Path) -> JournalMissing:
    reason = "there is no journal yet"
    return JournalMissing(f"{reason} at {path}; the first launch creates it", path=str(path), reason=reason)


def _without_log(path: Path) -> StorageError:
    reason = "its write-ahead log (-wal) was removed"
    remedy = "stop the sidecar that uses it, which saves its data, and start it again"
    return StorageError(f"journal {path}: {reason}; {remedy}", path=str(path), reason=reason)


def _refusal(path: Path, reason: str, remedy: str) -> StorageError:
    return StorageError(f"journal {path} {reason}; {remedy}", path=str(path), reason=reason)


def _newer(path: Path, version: int) -> JournalNewer:
    reason = f"was written by a newer version (format {version}, this one knows {VERSION})"
    remedy = "update the sidecar, or use another storage root"
    return JournalNewer(f"journal {path} {reason}; {remedy}", path=str(path), reason=reason)


_MOST_PATH_BYTES = 504
"""The longest path of a database on Unix: SQLite allows 512 with a suffix such as `-journal` and its end."""
_SHM_BYTES = 32 * 1024
"""The size of the first region of a -shm file, see https://www.sqlite.org/walformat.html."""
_DAMAGED = (
    "the file is damaged",
    "move it and its -wal and -shm files away to start a new one; the transcripts under tasks/ stay",
)
_MEANINGS = {
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_FULL: ("the disk is full", "free some space"),
    sqlite3.SQLITE_READONLY: ("the file cannot be written", "check its permissions and its directory's"),
    sqlite3.SQLITE_CANTOPEN: ("the file cannot be opened", "check its permissions and its directory's"),
}
