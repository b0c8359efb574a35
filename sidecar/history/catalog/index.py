"""The index of one root: its rows, kept in a file of the user's cache directory between processes.

An SQLite file may be shared by any number of processes, survives a kill in the middle of a write, and
may be deleted at any time. Rows are in shards of some hundreds, each encoded as one value: loading
20,000 rows one by one would cost five times as much. A row is only ever believed after its files were
stat'ed again, so whoever writes last may win.
"""

import contextlib
import functools
import logging
import os
import sqlite3
import sys
import zlib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

import msgspec

from sidecar import __version__
from sidecar.api.tasks import Rules
from sidecar.history.catalog.cache_file import DamagedCache, discard, make_cache_file
from sidecar.history.catalog.sqlite_errors import DATABASE_ERRORS, is_busy, is_damage
from sidecar.history.stores.index_row import IndexRow

_log = logging.getLogger(__name__)

SHARDS: Final = 64
_IN_ALL_SHARDS: Final = 16 * SHARDS
"""Tasks that leave hardly a shard untouched: then it is not worth asking which."""
_BUSY_SECONDS: Final = 0.5
"""How long another process's write is waited for; then this one does without, as after any error."""
_SCHEMA: Final = 2
"""The form of the tables: a file with another number is built again."""
_TABLES: Final = {
    "made_by": "root TEXT NOT NULL, version TEXT NOT NULL",
    "shard": "rules TEXT NOT NULL, number INTEGER NOT NULL, made_at INTEGER NOT NULL, "
    "checksum INTEGER NOT NULL, rows BLOB NOT NULL, PRIMARY KEY (rules, number)",
}
_decoder: Final = msgspec.msgpack.Decoder(list[IndexRow])

Rows = dict[str, IndexRow]

_EXTRACTION: Final = ("api", "javascript", "history/catalog", "history/stored", "history/stores")
"""The folders of the package that decide, with all below them, what a row says."""


class RowIndex:
    """One root's file. No method raises for what is wrong with it: the index is built again or not used.

    `directory` is made, private, when it is first needed. Not thread-safe.
    """

    def __init__(self, directory: Path, root: str) -> None:
        # One root has one index, whatever links lead to it.
        self._real_root = os.path.realpath(root)
        self.path = directory / f"{_name_of(self._real_root)}.db"
        self._root = root
        self._usable = True

    def exists(self) -> bool:
        """Return whether there is something to load, as far as this is known without opening it."""
        return self._usable and os.path.lexists(self.path)

    def load(self, rules: Rules) -> tuple[Rows, int]:
        """Return the rows kept for a rule set, and the latest time, in ms, at which one was made.

        There are none when none were kept, or none are to be trusted.
        """
        if not self.exists():
            return {}, 0
        try:
            with contextlib.closing(self._open()) as database:
                if not _is_ours(database, self._real_root):
                    return {}, 0
                return _load(database, rules, self._root)
        except (*DATABASE_ERRORS, OSError) as error:
            self._give_up(error)
        return {}, 0

    def save(
        self, rules: Rules, rows: Mapping[str, IndexRow], changed: Collection[str], made_at: int
    ) -> None:
        """Keep the shards in which the tasks named in `changed` were added, altered or removed.

        A file that is new, or turns out to be damaged, gets all shards. `made_at` is the latest time, in ms,
        at which a row was made.
        """
        if not self._usable or not changed:
            return
        try:
            self._save(rules, rows, changed, made_at)
        except (*DATABASE_ERRORS, OSError) as error:
            if self._give_up(error):
                self._save_all(rules, rows, made_at)

    def _save_all(self, rules: Rules, rows: Mapping[str, IndexRow], made_at: int) -> None:
        try:
            self._save(rules, rows, rows.keys(), made_at)
        except (*DATABASE_ERRORS, OSError) as error:
            self._give_up(error)

    def _save(
        self, rules: Rules, rows: Mapping[str, IndexRow], changed: Collection[str], made_at: int
    ) -> None:
        with contextlib.closing(self._open()) as database, database:
            database.execute("BEGIN IMMEDIATE")
            if not _is_ours(database, self._real_root):
                _begin(database, self._real_root)
                changed = rows.keys() | changed
            for number, part in _shards(rows, changed).items():
                part.sort(key=_age)  # what is nearly in order is quickly put in order
                data = msgspec.msgpack.encode([row.stored() for row in part])
                values = (rules, number, made_at, _checksum(data, made_at), data)
                database.execute("INSERT OR REPLACE INTO shard VALUES (?, ?, ?, ?, ?)", values)

    def _open(self) -> sqlite3.Connection:
        make_cache_file(self.path)
        database = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None)
        try:
            # No waiting for the disk: a file that a power cut spoils is built again, as any other is. And no
            # write-ahead log, which would write twice what is mostly written once.
            database.execute("PRAGMA synchronous=OFF")
        except BaseException:
            database.close()
            raise
        return database

    def _give_up(self, error: Exception) -> bool:
        """Ignore an unusable file, discard a damaged one; return whether it was damaged."""
        if is_busy(error):
            _log.info("another process has locked the index %s; this time it is not used", self.path)
        elif is_damage(error, self.path):
            _log.warning("the index %s is damaged (%s) and is built again", self.path, error)
            discard(self.path)
            return True
        else:
            self._usable = False
            _log.warning("the index %s cannot be used (%s); all tasks are read again", self.path, error)
        return False


def _shards(rows: Mapping[str, IndexRow], changed: Collection[str]) -> dict[int, list[IndexRow]]:
    """Sort into their shards the rows of all shards that hold a changed task."""
    many = len(changed) >= _IN_ALL_SHARDS
    shards: dict[int, list[IndexRow]]
    shards = {number: [] for number in (range(SHARDS) if many else {shard_of(name) for name in changed})}
    for row in rows.values():
        if (number := shard_of(row.id)) in shards:
            shards[number].append(row)
    return shards


def _load(database: sqlite3.Connection, rules: Rules, root: str) -> tuple[Rows, int]:
    found: Rows = {}
    latest = 0
    query = "SELECT number, made_at, checksum, rows FROM shard WHERE rules = ?"
    for number, made_at, checksum, data in database.execute(query, (rules,)):
        if type(made_at) is not int or type(data) is not bytes or _checksum(data, made_at) != checksum:
            raise DamagedCache(f"shard {number!r} is not what was written")
        latest = max(latest, made_at)
        for row in _decode(data):
            row.root = root
            found[row.id] = row
    return found, latest


def _decode(data: bytes) -> list[IndexRow]:
    try:
        return _decoder.decode(data)
    except msgspec.MsgspecError as error:
        raise DamagedCache(str(error)) from None


def _checksum(data: bytes, made_at: int) -> int:
    return zlib.crc32(data, made_at & 0xFFFFFFFF)


def _is_ours(database: sqlite3.Connection, root: str) -> bool:
    """Return whether this program, as it is now, wrote the file: another one's rows may say other things."""
    if database.execute("PRAGMA user_version").fetchone() != (_SCHEMA,):
        return False
    return database.execute("SELECT root, version FROM made_by").fetchall() == [(root, _version())]


def _begin(database: sqlite3.Connection, root: str) -> None:
    for table, columns in _TABLES.items():
        database.execute(f"DROP TABLE IF EXISTS {table}")
        database.execute(f"CREATE TABLE {table} ({columns})")
    database.execute("INSERT INTO made_by VALUES (?, ?)", (root, _version()))
    database.execute(f"PRAGMA user_version = {_SCHEMA}")


@functools.cache
def _version() -> str:
    """Name the program that extracts: any change to the modules that do makes all rows suspect."""
    made = [__version__, str(sys.implementation.cache_tag), str(sys.maxsize)]
    package = Path(__file__).parents[2]
    for name in _EXTRACTION:
        made += _modules(str(package / name))
    return "\n".join(made)


def _modules(folder: str) -> list[str]:
    """Describe each module in a folder and below."""
    found: list[str] = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.name.endswith(".py"):
                status = entry.stat()
                found.append(f"{entry.name} {status.st_size} {status.st_mtime_ns}")
            elif "." not in entry.name and entry.name != "__pycache__":
                found += _modules(entry.path)
    return found


def _age(row: IndexRow) -> float:
    return -row.created_at if row.created_at is not None else 0


def shard_of(task_id: str) -> int:
    """The shard of a task; the same in every process."""
    return zlib.crc32(task_id.encode()) % SHARDS


def _name_of(path: str) -> str:
    """Name a root's file. Two roots may come to the same name, so the file says whose it is.

    No cryptographic hash: importing one takes as long as loading some thousand rows.
    """
    data = os.fsencode(path)
    return f"{zlib.crc32(data):08x}{zlib.crc32(data[::-1]):08x}"
