"""The sessions of one database of opencode or Kilo, before their messages are read."""

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final, NamedTuple
from zlib import crc32

from sidecar.api.stored.tasks import Problem
from sidecar.history.stored.problems import problem
from sidecar.history.stores.opencode.content import Header
from sidecar.history.stores.opencode.session_rows import lost_rows, session_rows
from sidecar.history.stores.sessions.foreign_database import Refused, columns, concerns_one_row, values_up_to
from sidecar.history.stores.sessions.times import time_ms

_HEADER: Final = ("id", "parent_id", "directory", "title", "version", "time_created", "time_updated")
_REQUIRED: Final = {
    "session": {"id"},
    "message": {"id", "session_id", "data"},
    "part": {"id", "message_id", "session_id", "data"},
}
_KNOWS_SIZES: Final = (3, 43)
"""The version of SQLite that tells the size of a value without loading it."""
_MOST_READ: Final = 64 * 1024**2
"""The largest database, in bytes, that is read as a whole for the sizes: it is read after every change."""
_SIZE: Final = "sum(length(CAST(data AS BLOB)))"
"""The size of rows in bytes. To count the characters instead takes several times as long."""
_MOST_MEASURED: Final = 16 * 1024**2
"""The largest value whose size is asked for, in bytes: SQLite loads it for that, several times over."""
_MOST_OF_A_NAME: Final = 1024**2
"""The largest title or folder that is read, in bytes."""
_MAX_CHARS: Final = 20_000
"""How much of it is kept."""
MAX_SESSIONS: Final = 100_000
"""How many sessions of one database are read: each takes a kilobyte of memory, even without messages."""
CHUNK: Final = 500
"""How many values one query names."""


class Head(NamedTuple):
    """A session before its messages are read: how many there are, and what changes with any of its rows."""

    header: Header
    fingerprint: tuple[int, ...]
    messages: int


def _is_session_database(connection: sqlite3.Connection) -> bool:
    """Return whether a database has the tables of opencode's sessions."""
    return all(columns(connection, table) >= names for table, names in _REQUIRED.items())


class AllHeads(NamedTuple):
    """The sessions of a database, those whose rows are damaged, and how many there are."""

    heads: dict[str, Head]
    lost: Sequence[str]
    total: int

    def left_out(self, name: str) -> Problem | None:
        """Report that sessions of the database `name` were left out; None if none were."""
        return lost_rows(self.lost, name) or _cut(self.total, name)


def all_heads(connection: sqlite3.Connection) -> AllHeads:
    """Read the sessions; with very many, only those with messages. Raises Refused."""
    heads, lost = _heads(connection, None)
    if lost:
        return AllHeads(heads, lost, len(heads) + len(lost))
    return AllHeads(heads, lost, int(connection.execute("SELECT count(*) FROM session").fetchone()[0]))


def heads_of(connection: sqlite3.Connection, keys: Collection[str]) -> dict[str, Head]:
    """Read some sessions. Raises Refused."""
    return _heads(connection, keys)[0]


def _heads(
    connection: sqlite3.Connection, keys: Collection[str] | None
) -> tuple[dict[str, Head], Sequence[str]]:
    """Read some sessions, or all; with very many, only those with messages. Also return what is damaged."""
    if not _is_session_database(connection):
        raise Refused("malformed", "the database does not have the tables of opencode's sessions")
    known = columns(connection, "session")
    names = [name if name in known else f"NULL AS {name}" for name in _HEADER]
    where = _those_with_messages(connection) if keys is None and _has_many(connection) else ""
    changes = [_changes(connection, table, keys) for table in ("message", "part")]
    found: dict[str, Head] = {}
    query = f"SELECT {', '.join(names)} FROM session"  # noqa: S608 (own names)
    lost: list[str] = []
    rows = (
        session_rows(connection, query, where, lost)
        if keys is None
        else _select(connection, query, "id", keys)
    )
    with values_up_to(connection, _MOST_OF_A_NAME):
        for row in rows:
            if isinstance(row[0], str) and row[0]:
                counts = [each.get(row[0], (0, 0, 0)) for each in changes]
                mark = (crc32(repr(row).encode("utf-8", "replace")), *counts[0], *counts[1])
                found[row[0]] = Head(_header(row), mark, counts[0][0])
    return found, lost


def _has_many(connection: sqlite3.Connection) -> bool:
    query = "SELECT 1 FROM session LIMIT 1 OFFSET ?"
    return connection.execute(query, (MAX_SESSIONS,)).fetchone() is not None


def _those_with_messages(connection: sqlite3.Connection) -> str:
    """Select the sessions with messages. Raises Refused if there are too many of them."""
    where = " WHERE id IN (SELECT session_id FROM message)"
    (count,) = connection.execute(f"SELECT count(*) FROM session{where}").fetchone()  # noqa: S608 (own names)
    if count > MAX_SESSIONS:
        message = f"the database holds {count:,} sessions with messages; at most {MAX_SESSIONS:,} are read"
        raise Refused("tooLarge", message)
    return where


def _header(row: Sequence[Any]) -> Header:
    parent, directory, title, version = (
        value[:_MAX_CHARS] if isinstance(value, str) and value else None for value in row[1:5]
    )
    return Header(row[0], parent, directory, title, version, time_ms(row[5]), time_ms(row[6]))


def _changes(
    connection: sqlite3.Connection, table: str, keys: Collection[str] | None
) -> dict[str, tuple[int, int, int]]:
    """Return the number of rows, their newest change and their size by session.

    A deletion changes only the number, and a row that is changed without a new time mostly only the size.
    """
    newest_change = "max(time_updated)" if "time_updated" in columns(connection, table) else "0"
    try:
        with values_up_to(connection, _MOST_MEASURED):
            return _sums(connection, table, keys, newest_change, _size_of_rows(connection))
    except sqlite3.DatabaseError as error:  # a value is too large or damaged: only its own session's concern
        if not concerns_one_row(error):
            raise
    try:
        return _sums(connection, table, keys, newest_change, "0")
    except sqlite3.DatabaseError as error:  # a row is damaged; an index of the sessions may count it
        if not concerns_one_row(error):
            raise
    return _sums(connection, table, keys, "0", "0")


def _size_of_rows(connection: sqlite3.Connection) -> str:
    """Return how to ask for the size of rows; 0 in a large database if that would read all of its content."""
    if sqlite3.sqlite_version_info >= _KNOWS_SIZES:
        return "sum(octet_length(data))"
    (pages,), (size,) = (connection.execute(f"PRAGMA page_{name}").fetchone() for name in ("count", "size"))
    return _SIZE if pages * size <= _MOST_READ else "0"


def _sums(
    connection: sqlite3.Connection, table: str, keys: Collection[str] | None, *sums: str
) -> dict[str, tuple[int, int, int]]:
    query = f"SELECT session_id, count(*), {', '.join(sums)} FROM {table}"  # noqa: S608 (own names)
    return {
        row[0]: (row[1], *(value if type(value) is int else 0 for value in row[2:4]))
        for row in _select(connection, query, "session_id", keys, " GROUP BY session_id")
    }


def _select(
    connection: sqlite3.Connection, query: str, column: str, keys: Collection[str] | None, end: str = ""
) -> Iterator[Sequence[Any]]:
    """Run a query for some keys, or for all."""
    if keys is None:
        yield from connection.execute(f"{query}{end}")
        return
    listed = list(keys)
    for start in range(0, len(listed), CHUNK):
        part = listed[start : start + CHUNK]
        yield from connection.execute(f"{query} WHERE {column} IN ({marks(part)}){end}", part)


def marks(values: Sequence[object]) -> str:
    """Return the place holders of values in a query."""
    return ", ".join("?" * len(values))


def _cut(count: int, name: str) -> Problem | None:
    """Report that some of the sessions in a database were left out; None if none were."""
    if count <= MAX_SESSIONS:
        return None
    message = (
        f"{name} holds {count:,} sessions; "
        f"with more than {MAX_SESSIONS:,}, those without messages are left out"
    )
    return problem("tooLarge", message)
