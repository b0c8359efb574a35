"""The rows of the table of sessions, even if a page of the table is damaged."""

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

from sidecar.api.stored.tasks import Problem
from sidecar.history.stored.problems import problem

_DAMAGE: Final = frozenset((sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_TOOBIG))
"""Errors of a single row; unlike a bad disk, it is not read in a moment either."""
_KEYS: Final = "SELECT id FROM session ORDER BY id"
"""The index of the primary key answers this, so that a damaged page of the table does not matter."""
_MOST_NAMED: Final = 3

Row = Sequence[Any]


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether a row, or the page that holds it, is damaged or too large."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE


def session_rows(connection: sqlite3.Connection, query: str, where: str, lost: list[str]) -> Iterator[Row]:
    """Yield the rows of a query on all sessions, some twice; add those whose rows are damaged to `lost`.

    `where` limits the sessions if nothing is damaged. Raises sqlite3.Error if no row can be read.
    """
    try:
        yield from connection.execute(f"{query}{where}")
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        found = 0
        for row in _one_by_one(connection, query, lost):
            found += 1
            yield row
        if not found:
            raise


def lost_rows(lost: Collection[str], name: str) -> Problem | None:
    """Report the sessions whose rows are damaged in the database `name`; None without any."""
    if not lost:
        return None
    named = ", ".join([*lost][:_MOST_NAMED]) + (" …" if len(lost) > _MOST_NAMED else "")
    message = f"{len(lost):,} of its sessions are damaged or have huge names, and are not listed ({named})"
    return problem("malformed", f"{name}: {message}")


def _one_by_one(connection: sqlite3.Connection, query: str, lost: list[str]) -> Iterator[Row]:
    for (key,) in connection.execute(_KEYS):
        try:
            found = connection.execute(f"{query} WHERE id = ?", (key,)).fetchone()
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            lost.append(str(key))
        else:
            if found is None:  # its ID is not UTF-8, which no query can name
                lost.append(str(key))
            else:
                yield found
