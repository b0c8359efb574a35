"""How many messages and parts each session of a database has: counted for all, or only where rows changed."""

import sqlite3
import time
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from typing import Any, Final, NamedTuple

from sidecar.history.stores.sessions.databases.foreign_database import columns, concerns_one_row, values_up_to

TABLES: Final = ("message", "part")
NONE: Final = (0, 0, 0)
CHUNK: Final = 500
"""How many values one query names."""
_KNOWS_SIZES: Final = (3, 43)
"""The version of SQLite that tells the size of a value without loading it."""
_MOST_READ: Final = 64 * 1024**2
"""The largest database, in bytes, that is read as a whole for the sizes: it is read after many changes."""
_SIZE: Final = "sum(length(CAST(data AS BLOB)))"
"""The size of rows in bytes. To count the characters instead takes several times as long."""
_MOST_MEASURED: Final = 16 * 1024**2
"""The largest value whose size is asked for, in bytes: SQLite loads it for that, several times over."""
_LATELY: Final = 100
"""How many rows before the last one known may have changed without a new time: their session is at work."""

_SETTLED_MS: Final = 10_000
"""How long after its time a row may still be written: writers take turns, and clocks are set."""
_FIRST_ROW: Final = -(2**63)

Count = tuple[int, int, int]
"""The number of rows of a session, their newest change and their size.

A deletion changes only the number, and a row that is changed without a new time mostly only the size.
"""


class Counts(NamedTuple):
    """The counts of one table, how they were made, and the number and ID of the table's last row.

    `last` is None if the table can only be counted for all sessions. `newest` is the newest change among the
    last rows, in ms, but at most a time some seconds ago: rows with earlier times have not changed.
    """

    by_session: Mapping[object, Count]
    sums: Sequence[str]
    last: tuple[int, object] | None = None
    newest: int = 0


def count_all(connection: sqlite3.Connection, table: str) -> Counts:
    """Count the rows of all sessions. Raises sqlite3.Error."""
    sums = _sums(connection, table)
    try:
        with values_up_to(connection, _MOST_MEASURED):
            return _with_end(connection, table, _counted(connection, table, None, sums), sums)
    except sqlite3.DatabaseError as error:  # a value is too large or damaged: only its own session's concern
        if not concerns_one_row(error):
            raise
    sums = (sums[0], "0")
    try:
        return Counts(_counted(connection, table, None, sums), sums)
    except sqlite3.DatabaseError as error:  # a row is damaged; an index of the sessions may count it
        if not concerns_one_row(error):
            raise
    sums = ("0", "0")
    return Counts(_counted(connection, table, None, sums), sums)


def changed_since(
    connection: sqlite3.Connection, table: str, known: Counts, is_search: bool
) -> Set[object] | None:
    """Return the sessions with rows that are new or may have changed; None if all have to be counted.

    SQLite numbers new rows in order. It uses the numbers of deleted rows again only at the end of a table.
    Older rows with a new time are found only by a search, which reads the whole table. Raises sqlite3.Error.
    """
    last, before = _last(connection, table), known.last
    if last is None or before is None or last[0] < before[0] or _sums(connection, table) != known.sums:
        return None
    if _id_of(connection, table, before[0]) != before[1]:
        return None
    changed, value = "rowid > ?", [max(before[0] - _LATELY, _FIRST_ROW)]
    if is_search and known.sums[0] != "0":
        changed, value = f"{changed} OR time_updated >= ?", [*value, known.newest]
    # With an index of the sessions, SQLite would read all of it in order to find each session once.
    query = f"SELECT DISTINCT session_id FROM {table} NOT INDEXED WHERE {changed}"  # noqa: S608 (own names)
    return {row[0] for row in connection.execute(query, value)}


def count_again(
    connection: sqlite3.Connection, table: str, known: Counts, keys: Collection[object]
) -> Counts | None:
    """Count the rows of some sessions again; None if those of others changed too. Raises sqlite3.Error."""
    with values_up_to(connection, _MOST_MEASURED):
        found = _counted(connection, table, keys, known.sums)
    (rows,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()  # noqa: S608 (own names)
    others = dict(known.by_session)
    for key in keys:
        others.pop(key, None)
    by_session = others | found
    if sum(count for count, _, _ in by_session.values()) != rows:
        return None
    return _with_end(connection, table, by_session, known.sums)


def select(
    connection: sqlite3.Connection, query: str, column: str, keys: Collection[object] | None, end: str = ""
) -> Iterator[Sequence[Any]]:
    """Run a query for some keys, or for all. Raises sqlite3.Error."""
    if keys is None:
        yield from connection.execute(f"{query}{end}")
        return
    listed = list(keys)
    for start in range(0, len(listed), CHUNK):
        part = listed[start : start + CHUNK]
        yield from connection.execute(f"{query} WHERE {column} IN ({marks(part)}){end}", part)


def marks(values: Sequence[object]) -> str:
    """Return the placeholders of values in a query."""
    return ", ".join("?" * len(values))


def _sums(connection: sqlite3.Connection, table: str) -> tuple[str, str]:
    """Return how to ask for the newest change and the size of rows; "0" for what would take too long.

    To know the size, an older SQLite reads all content of a database.
    """
    newest_change = "max(time_updated)" if "time_updated" in columns(connection, table) else "0"
    if sqlite3.sqlite_version_info >= _KNOWS_SIZES:
        return newest_change, "sum(octet_length(data))"
    (pages,), (size,) = (connection.execute(f"PRAGMA page_{name}").fetchone() for name in ("count", "size"))
    return newest_change, _SIZE if pages * size <= _MOST_READ else "0"


def _counted(
    connection: sqlite3.Connection, table: str, keys: Collection[object] | None, sums: Sequence[str]
) -> dict[object, Count]:
    query = f"SELECT session_id, count(*), {', '.join(sums)} FROM {table}"  # noqa: S608 (own names)
    return {
        key: (int(rows), newest if type(newest) is int else 0, size if type(size) is int else 0)
        for key, rows, newest, size in select(connection, query, "session_id", keys, " GROUP BY session_id")
    }


def _with_end(
    connection: sqlite3.Connection, table: str, by_session: Mapping[object, Count], sums: Sequence[str]
) -> Counts:
    last = _last(connection, table)
    if last is None or sums[0] == "0":
        return Counts(by_session, sums, last)
    rows = f"SELECT time_updated FROM {table} ORDER BY rowid DESC LIMIT {_LATELY}"  # noqa: S608 (own names)
    (newest,) = connection.execute(f"SELECT {sums[0]} FROM ({rows})").fetchone()  # noqa: S608 (own names)
    settled = int(time.time() * 1000) - _SETTLED_MS
    return Counts(by_session, sums, last, min(newest, settled) if type(newest) is int else 0)


def _last(connection: sqlite3.Connection, table: str) -> tuple[int, object] | None:
    """Return the number and the ID of the last row; None if the rows of a table have no numbers."""
    if "rowid" in map(str.casefold, columns(connection, table)):
        return None
    query = f"SELECT rowid, id FROM {table} ORDER BY rowid DESC LIMIT 1"  # noqa: S608 (own names)
    try:
        return connection.execute(query).fetchone() or (0, None)
    except sqlite3.OperationalError:
        return None


def _id_of(connection: sqlite3.Connection, table: str, number: int) -> object:
    query = f"SELECT id FROM {table} WHERE rowid = ?"  # noqa: S608 (own names)
    return (connection.execute(query, (number,)).fetchone() or (None,))[0]
