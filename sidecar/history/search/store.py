"""The search file of one root: indexed messages, and the indexed version of each task."""

import contextlib
import hashlib
import os
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from sidecar.history.catalog.cache_file import DamagedCache, make_cache_file
from sidecar.history.search.refusals import Refusals
from sidecar.history.search.words import MARKS

VERSION: Final = 4
"""The version of tables and indexed content; a file of another version is built again."""
PARTIAL: Final = ""
"""In the place of the version of a task of which only a part could be read."""
QUERY_SECONDS: Final = 5.0
_BUSY_SECONDS: Final = 5.0
_STEPS: Final = 20_000
_SCHEMA: Final = """
CREATE TABLE task (
    name TEXT PRIMARY KEY, version TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
    checksum INTEGER NOT NULL
);
CREATE VIRTUAL TABLE message USING fts5(
    text, task UNINDEXED, kind UNINDEXED, place UNINDEXED, role UNINDEXED, ts UNINDEXED,
    checksum UNINDEXED, tokenize = "unicode61 remove_diacritics 2 tokenchars '_'"
);
"""
_TASKS: Final = "SELECT name, version, first, last, checksum FROM task"
_NAMED: Final = " WHERE name = ?"
_FIND: Final = """
SELECT task, kind, place, role, ts, checksum, checksum_of(task, kind, place, role, text),
    snippet(message, 0, ?, ?, '…', 20), rank
FROM message WHERE message MATCH ? ORDER BY rank
"""

_INSERT: Final = """
INSERT INTO message (rowid, task, kind, place, role, text, ts, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""

Kind = Literal["ui", "api"]


@dataclass(frozen=True, slots=True)
class IndexedMessage:
    """A message to index; `text` is already indexable. `task` is the one that holds it, if not the member."""

    kind: Kind
    index: int
    role: str
    ts: float | None
    text: str
    task: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A message that contains the words; a smaller `rank` is better."""

    task: str
    kind: Kind
    index: int
    role: str
    ts: float | None
    snippet: str
    rank: float


class TooCommon(Exception):
    """The words are in too many messages to rank them in time."""


class SearchStore:
    """Opens and owns the file. Not thread-safe; create and close it in one thread.

    Every method raises `sqlite_errors.DATABASE_ERRORS`; the constructor also OSError.
    """

    def __init__(self, path: Path) -> None:
        make_cache_file(path)
        self.path = path
        self._database = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
        self.refusals = Refusals(self._database)
        self._database.create_function("checksum_of", -1, _checksum, deterministic=True)
        try:
            self._prepare()
        except BaseException:
            self._database.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def versions(self) -> dict[str, str]:
        """Return the indexed version of each task."""
        return {name: version for name, version, _, _ in self._tasks(_TASKS)}

    def replace(self, name: str, version: str, messages: Iterable[IndexedMessage]) -> None:
        """Replace the indexed messages of a task, and of those inside of it; an error leaves the former."""
        with self._step():
            self._remove(name)
            ((first,),) = self._database.execute("SELECT coalesce(max(last), 0) + 1 FROM task")
            last = first - 1
            for last, each in enumerate(messages, first):
                facts = (each.task or name, each.kind, each.index, each.role, each.text)
                self._database.execute(_INSERT, (last, *facts, each.ts, _checksum(*facts)))
            place = (name, version, first, last)
            self._database.execute("INSERT INTO task VALUES (?, ?, ?, ?, ?)", (*place, _checksum(*place)))

    def outdate(self, name: str) -> None:
        """Keep the indexed messages of a task, but as those of an unknown version."""
        for _, _, first, last in list(self._tasks(_TASKS + _NAMED, name)):
            checksum = _checksum(name, PARTIAL, first, last)
            self._database.execute(
                "UPDATE task SET version = ?, checksum = ? WHERE name = ?", (PARTIAL, checksum, name)
            )

    def remove(self, names: Iterable[str]) -> None:
        """Remove tasks that no longer exist."""
        with self.together():
            for name in names:
                self._remove(name)
                self.refusals.forget(name)

    def find(self, expression: str) -> Iterator[Found]:
        """Yield matching messages, best first. Raises TooCommon after `QUERY_SECONDS`."""
        deadline = time.monotonic() + QUERY_SECONDS
        self._database.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
        try:
            for row in self._database.execute(_FIND, (*MARKS, expression)):
                yield _found(row)
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise TooCommon("too many messages contain these words") from None
            raise

    def _remove(self, name: str) -> None:
        for _, _, first, last in list(self._tasks(_TASKS + _NAMED, name)):
            self._database.execute("DELETE FROM message WHERE rowid BETWEEN ? AND ?", (first, last))
        self._database.execute("DELETE FROM task WHERE name = ?", (name,))

    def _tasks(self, query: str, *values: str) -> Iterator[tuple[str, str, int, int]]:
        """Yield tasks with verified checksums: a damaged range would remove messages of other tasks."""
        for name, version, first, last, checksum in self._database.execute(query, values):
            types = (type(name), type(version), type(first), type(last))
            if types != (str, str, int, int) or _checksum(name, version, first, last) != checksum:
                raise DamagedCache(f"the checksum of task {name!r} is wrong")
            yield name, version, first, last

    def _prepare(self) -> None:
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = OFF")  # after a power loss it is built again
        if self._version() != VERSION:
            self._create()
        # Files of earlier releases lack it, and to build them again would take minutes.
        self._database.execute("CREATE INDEX IF NOT EXISTS task_last ON task (last)")
        self.refusals.prepare()

    def _create(self) -> None:
        with self.together():
            if self._version() != VERSION:  # another process may have done it already
                for table in ("message", "task"):
                    self._database.execute(f"DROP TABLE IF EXISTS {table}")
                for statement in _SCHEMA.strip().split(";\n"):
                    self._database.execute(statement)
                self._database.execute(f"PRAGMA user_version = {VERSION}")

    def _version(self) -> int:
        ((version,),) = self._database.execute("PRAGMA user_version")
        return int(version)

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Make changes durable at once: each commit writes a segment of the index, which takes longest."""
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")

    @contextlib.contextmanager
    def _step(self) -> Iterator[None]:
        """Undo a change that fails, but not others that are made together with it."""
        if not self._database.in_transaction:
            with self.together():
                yield
            return
        self._database.execute("SAVEPOINT step")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK TO step")
            raise
        finally:
            self._database.execute("RELEASE step")


def store_path(directory: Path, root: str) -> Path:
    """Return the file of a root; all links to a root share one file."""
    digest = hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:24]
    return directory / f"{digest}.search.db"


def _checksum(*values: object) -> int:
    return zlib.crc32(repr(values).encode("utf-8", "surrogatepass"))


def _found(row: tuple[Any, ...]) -> Found:
    task, kind, index, role, ts, written, read, snippet, rank = row
    if written != read or not isinstance(ts, int | float | None):  # the checksum does not cover the time
        raise DamagedCache(f"the checksum of a message of task {task!r} is wrong")
    return Found(task, kind, index, role, ts, snippet, rank)
