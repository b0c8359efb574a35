"""The index of one root: its rows, kept in a file in the user's cache directory.

An SQLite file may be shared by any number of processes, survives a kill in the middle of a write, and
may be deleted at any time. Rows are in shards of a few hundred, each encoded as one value: loading
20,000 rows one by one would take five times as long. A shard holds once what its rows have in common. A row
is used only after its fingerprint was checked, so the last writer may win.
"""

import contextlib
import functools
import logging
import os
import sqlite3
import sys
from collections.abc import Collection, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Final
from zlib import crc32

import msgspec

from sidecar import __version__
from sidecar.api.stored.tasks import Rules
from sidecar.history.catalog.cache_file import DamagedCache, discard, make_cache_file
from sidecar.history.catalog.sqlite_errors import DATABASE_ERRORS, is_busy, is_damage
from sidecar.history.stores.index_row import IndexRow, share

_log = logging.getLogger(__name__)

SHARDS: Final = 64
_IN_ALL_SHARDS: Final = 16 * SHARDS
"""With this many changed tasks nearly all shards change, so all are written."""
_BUSY_SECONDS: Final = 0.5
"""How long to wait for a write of another process before the index is not used, as after any error."""
_SCHEMA: Final = 3
"""The version of the tables; a file with another version is built again."""
_TABLES: Final = {
    "made_by": "root TEXT NOT NULL, format TEXT NOT NULL, version TEXT NOT NULL",
    "shard": "rules TEXT NOT NULL, number INTEGER NOT NULL, made_at INTEGER NOT NULL, "
    "checksum INTEGER NOT NULL, rows BLOB NOT NULL, PRIMARY KEY (rules, number)",
}
_CREATED: Final = attrgetter("created_at")
_decoder: Final = msgspec.msgpack.Decoder(tuple[list[bytes], list[IndexRow]])

Rows = dict[str, IndexRow]

_EXTRACTION: Final = ("api", "javascript", "history/catalog", "history/stored", "history/stores")
"""The folders of the package whose code, including subfolders, decides the content of rows."""


class RowIndex:
    """The index file of one root. No method raises when it is bad: it is built again or not used.

    `directory` is created with private permissions when first needed. Not thread-safe.
    """

    def __init__(self, directory: Path, root: str) -> None:
        # All links to a root share one index.
        real = os.path.realpath(root)
        self._real_root = os.fsencode(real).decode("utf-8", "backslashreplace")
        self.path = directory / f"{_name_of(real)}.db"
        self._root = root
        self.format = ""
        """The format of the store that makes the rows; those of another format are not used."""
        self._usable = True

    def exists(self) -> bool:
        """Return whether there is an index file to load, without opening it."""
        return self._usable and os.path.lexists(self.path)

    def load(self, rules: Rules) -> tuple[Rows, int]:
        """Return the rows kept for a rule set, and the time in ms when the newest was made.

        Rows that cannot be trusted are left out.
        """
        if not self.exists():
            return {}, 0
        try:
            with contextlib.closing(self._open()) as database:
                if not _is_ours(database, self._real_root, self.format):
                    return {}, 0
                return _load(database, rules, self._root)
        except (*DATABASE_ERRORS, OSError) as error:
            self._give_up(error)
        return {}, 0

    def save(
        self, rules: Rules, rows: Mapping[str, IndexRow], changed: Collection[str], made_at: int
    ) -> None:
        """Write the shards in which the tasks in `changed` were added, changed or removed.

        A new or damaged file gets all shards. `made_at` is the time in ms when the newest row was made.
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
            if not _is_ours(database, self._real_root, self.format):
                _begin(database, self._real_root, self.format)
                changed = rows.keys() | changed
            for number, part in _shards(rows, changed).items():
                _sort(part)
                data = _encode(part)
                values = (rules, number, made_at, _checksum(data, made_at), data)
                database.execute("INSERT OR REPLACE INTO shard VALUES (?, ?, ?, ?, ?)", values)

    def _open(self) -> sqlite3.Connection:
        make_cache_file(self.path)
        database = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None)
        try:
            # Large pages, since rows are in large values: they are read in half of the time.
            database.execute("PRAGMA page_size=32768")
            # Do not wait for the disk: a file damaged by a power cut is built again. Do not use a write-ahead
            # log, which would write everything twice.
            database.execute("PRAGMA synchronous=OFF")
        except BaseException:
            database.close()
            raise
        return database

    def _give_up(self, error: Exception) -> bool:
        """Ignore an unusable file, discard a damaged one; return whether it was damaged."""
        if is_busy(error):
            _log.info("another process has locked the index %s; not using it this time", self.path)
        elif is_damage(error, self.path):
            _log.warning("the index %s is damaged (%s); building it again", self.path, error)
            discard(self.path)
            return True
        else:
            self._usable = False
            _log.warning("cannot use the index %s (%s); reading all tasks again", self.path, error)
        return False


def _shards(rows: Mapping[str, IndexRow], changed: Collection[str]) -> dict[int, list[IndexRow]]:
    """Group by shard the rows of each shard that holds a changed task."""
    many = len(changed) >= _IN_ALL_SHARDS
    shards: dict[int, list[IndexRow]]
    shards = {number: [] for number in (range(SHARDS) if many else {shard_of(name) for name in changed})}
    for row in rows.values():
        if (number := crc32(row.id.encode()) % SHARDS) in shards:  # as `shard_of`
            shards[number].append(row)
    return shards


def _sort(rows: list[IndexRow]) -> None:
    """Put the newest rows first: a list of sorted parts is sorted faster."""
    try:
        rows.sort(key=_CREATED, reverse=True)
    except TypeError:  # some have no time
        rows.sort(key=_age)


def _load(database: sqlite3.Connection, rules: Rules, root: str) -> tuple[Rows, int]:
    found: Rows = {}
    latest = 0
    query = "SELECT number, made_at, checksum, rows FROM shard WHERE rules = ?"
    for number, made_at, checksum, data in database.execute(query, (rules,)):
        if type(made_at) is not int or type(data) is not bytes or _checksum(data, made_at) != checksum:
            raise DamagedCache(f"the checksum of shard {number!r} is wrong")
        latest = max(latest, made_at)
        for row in _decode(data):
            row.root = root
            found[row.id] = row
    return found, latest


def _encode(rows: Sequence[IndexRow]) -> bytes:
    """Encode each value that rows share once, and the rows with its index instead."""
    places: dict[bytes, bytes] = {}
    for row in rows:
        places.setdefault(row.common, b"%d" % len(places))
    return msgspec.msgpack.encode((list(places), [row.stored(places[row.common]) for row in rows]))


def _decode(data: bytes) -> list[IndexRow]:
    try:
        commons, rows = _decoder.decode(data)
        at = {b"%d" % place: share(common) for place, common in enumerate(commons)}
        for row in rows:
            row.common = at[row.common]
    except (msgspec.MsgspecError, KeyError) as error:
        raise DamagedCache(str(error)) from None
    return rows


def _checksum(data: bytes, made_at: int) -> int:
    return crc32(data, made_at & 0xFFFFFFFF)


def _is_ours(database: sqlite3.Connection, root: str, store_format: str) -> bool:
    """Return whether this version wrote the file, from a store of this format: rows of others may differ."""
    if database.execute("PRAGMA user_version").fetchone() != (_SCHEMA,):
        return False
    made_by = database.execute("SELECT root, format, version FROM made_by").fetchall()
    return made_by == [(root, store_format, _version())]


def _begin(database: sqlite3.Connection, root: str, store_format: str) -> None:
    for table, columns in _TABLES.items():
        database.execute(f"DROP TABLE IF EXISTS {table}")
        database.execute(f"CREATE TABLE {table} ({columns})")
    database.execute("INSERT INTO made_by VALUES (?, ?, ?)", (root, store_format, _version()))
    database.execute(f"PRAGMA user_version = {_SCHEMA}")


@functools.cache
def _version() -> str:
    """Identify the extraction code: any change to its modules invalidates all rows."""
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
    """Return the shard of a task, the same in every process."""
    return crc32(task_id.encode()) % SHARDS


def _name_of(path: str) -> str:
    """Return the file name for a root. Names of two roots may collide, so the file records its root.

    A cryptographic hash is avoided: importing one takes as long as loading a few thousand rows.
    """
    data = os.fsencode(path)
    return f"{crc32(data):08x}{crc32(data[::-1]):08x}"
