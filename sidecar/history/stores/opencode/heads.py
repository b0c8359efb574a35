"""The sessions of one database of opencode or Kilo, before their messages are read."""

import math
import sqlite3
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple
from zlib import crc32

from sidecar.api.stored.tasks import Problem
from sidecar.history.stored.problems import problem
from sidecar.history.stores.opencode.content import Header
from sidecar.history.stores.opencode.counts import (
    CHUNK,
    NONE,
    TABLES,
    Counts,
    changed_since,
    count_again,
    count_all,
    select,
)
from sidecar.history.stores.opencode.session_rows import lost_rows, session_rows
from sidecar.history.stores.sessions.databases.foreign_database import Refused, columns, values_up_to
from sidecar.history.stores.sessions.times import time_ms

_HEADER: Final = ("id", "parent_id", "directory", "title", "version", "time_created", "time_updated")
_REQUIRED: Final = {
    "session": {"id"},
    "message": {"id", "session_id", "data"},
    "part": {"id", "message_id", "session_id", "data"},
}
_MOST_OF_A_NAME: Final = 1024**2
"""The largest title or folder that is read, in bytes."""
_MAX_CHARS: Final = 20_000
"""How much of it is kept."""
MAX_SESSIONS: Final = 100_000
"""How many sessions of one database are read: each takes 1.4 kB of memory, even without messages."""
BUSY_SECONDS: Final = 600.0
"""How long the rows of a session are counted at each reading after a change of one of them."""
_QUICK_SECONDS: Final = 0.02
_PATIENCE: Final = 20
"""The shortest time between two searches that are not quick, as a multiple of how long one takes."""


class Head(NamedTuple):
    """A session before its messages are read: how many there are, and what changes with any of its rows."""

    header: Header
    fingerprint: tuple[int, ...]
    messages: int


def _is_session_database(connection: sqlite3.Connection) -> bool:
    """Return whether a database has the tables of opencode's sessions."""
    return all(columns(connection, table) >= names for table, names in _REQUIRED.items())


class Known(NamedTuple):
    """What one reading of a database compares with that before.

    `schema` changes with each new schema, after VACUUM and after a restore. `rows` are hashes of the own rows
    of sessions by ID, `counts` those of each table, and `busy` says until when sessions are counted again.
    Older rows with a new time are searched for from `search_at` on; `is_searched` says whether they were.
    """

    schema: int
    rows: Mapping[object, int]
    counts: Sequence[Counts]
    busy: Mapping[object, float] = MappingProxyType({})
    search_at: float = -math.inf
    is_searched: bool = True


class AllHeads(NamedTuple):
    """The sessions of a database, those whose rows are damaged, and how many there are.

    `known` is None if all sessions have to be counted at the next reading too.
    """

    heads: Mapping[str, Head]
    lost: Sequence[str]
    total: int
    known: Known | None = None

    def left_out(self, name: str) -> Problem | None:
        """Report that sessions of the database `name` were left out; None if none were."""
        return lost_rows(self.lost, name) or _cut(self.total, name)


def all_heads(connection: sqlite3.Connection) -> AllHeads:
    """Read the sessions; with very many, only those with messages. Raises Refused."""
    _check(connection)
    schema = _schema(connection)
    query = _query(connection)
    lost: list[str] = []
    counts = [count_all(connection, table) for table in TABLES]
    where = _those_with_messages(connection) if _has_many(connection) else ""
    with values_up_to(connection, _MOST_OF_A_NAME):
        heads = _heads(session_rows(connection, query, where, lost), counts)
    if lost:
        return AllHeads(heads, lost, len(heads) + len(lost))
    total = int(connection.execute("SELECT count(*) FROM session").fetchone()[0])
    is_countable = total <= MAX_SESSIONS and all(each.last is not None for each in counts)
    known = Known(schema, _row_hashes(connection, query), counts) if is_countable else None
    return AllHeads(heads, lost, total, known)


def with_busy(found: AllHeads, before: Mapping[str, Head], known: Known | None, now: float) -> AllHeads:
    """Note in a reading of all sessions which are at work: those that changed since the one before.

    At the first reading, those with a recent time are. `now` is in seconds by the monotonic clock.
    """
    if found.known is None:
        return found
    recent = (time.time() - BUSY_SECONDS) * 1000
    at_work = [
        key
        for key, head in found.heads.items()
        if (before.get(key) != head if known else (head.header.updated or 0) > recent)
    ]
    kept = {key: until for key, until in known.busy.items() if until > now} if known else {}
    busy = kept | dict.fromkeys(at_work, now + BUSY_SECONDS)
    return found._replace(known=found.known._replace(busy=busy))


def changed_heads(
    connection: sqlite3.Connection, heads: Mapping[str, Head], known: Known, now: float
) -> AllHeads | None:
    """Read the sessions that are new, at work, or have another row, and keep the other `heads`.

    Return None if more may have changed. `now` is in seconds by the monotonic clock. Raises Refused.
    """
    _check(connection)
    if _schema(connection) != known.schema:
        return None
    try:
        return _changed_heads(connection, heads, known, now)
    except sqlite3.DatabaseError:  # reading all sessions knows what to do about it
        return None


def _changed_heads(
    connection: sqlite3.Connection, heads: Mapping[str, Head], known: Known, now: float
) -> AllHeads | None:
    query = _query(connection)
    rows = _row_hashes(connection, query)
    differences = {key for key, _ in rows.items() ^ known.rows.items()}
    rewritten = {key.decode("utf-8", "replace") for key in differences if isinstance(key, bytes)}
    is_search, began = now >= known.search_at, time.monotonic()
    at_work = [changed_since(connection, *each, is_search) for each in zip(TABLES, known.counts, strict=True)]
    took = time.monotonic() - began
    busy = {key: until for key, until in known.busy.items() if until > now}
    keys: set[object] = {*busy, *rewritten}
    for each in at_work:
        if each is None:
            return None
        keys |= each
    if None in keys or len(keys) > CHUNK or len(rows) > MAX_SESSIONS:
        return None
    counts = []
    for table, before in zip(TABLES, known.counts, strict=True):
        again = count_again(connection, table, before, keys)
        if again is None:
            return None
        counts.append(again if is_search else again._replace(newest=before.newest))
    with values_up_to(connection, _MOST_OF_A_NAME):
        read = _heads(select(connection, query, "id", rewritten), counts)
    for key in keys - rewritten:
        if isinstance(key, str) and key in heads:
            read[key] = _head(heads[key].header, heads[key].fingerprint[0], counts)
    changed = {key: head for key, head in read.items() if head != heads.get(key)}
    gone = {key for key in rewritten if key in heads and key not in read}
    if changed or gone:
        heads = {key: head for key, head in heads.items() if key not in gone} | changed
    busy |= dict.fromkeys(changed, now + BUSY_SECONDS)
    search_at = now + _PATIENCE * took if is_search and took > _QUICK_SECONDS else known.search_at
    return AllHeads(heads, (), len(rows), Known(known.schema, rows, counts, busy, search_at, is_search))


def headers_of(connection: sqlite3.Connection, keys: Collection[str]) -> dict[str, Header]:
    """Read the own rows of some sessions. Raises Refused."""
    _check(connection)
    with values_up_to(connection, _MOST_OF_A_NAME):
        rows = [*select(connection, _query(connection), "id", keys)]
    return {row[0]: _header(row) for row in rows if isinstance(row[0], str) and row[0]}


def _check(connection: sqlite3.Connection) -> None:
    if not _is_session_database(connection):
        raise Refused("malformed", "the database does not have the tables of opencode's sessions")


def _schema(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA schema_version").fetchone()[0])


def _query(connection: sqlite3.Connection) -> str:
    known = columns(connection, "session")
    names = [name if name in known else f"NULL AS {name}" for name in _HEADER]
    return f"SELECT {', '.join(names)} FROM session"  # noqa: S608 (own names)


def _row_hashes(connection: sqlite3.Connection, query: str) -> dict[object, int]:
    """Return a hash of each session's own row by its ID, both without decoding any text."""
    decode, connection.text_factory = connection.text_factory, bytes
    try:
        return {row[0]: hash(row) for row in connection.execute(query)}
    finally:
        connection.text_factory = decode


def _heads(rows: Iterable[Sequence[Any]], counts: Sequence[Counts]) -> dict[str, Head]:
    return {
        row[0]: _head(_header(row), crc32(repr(row).encode("utf-8", "replace")), counts)
        for row in rows
        if isinstance(row[0], str) and row[0]
    }


def _head(header: Header, mark: int, counts: Sequence[Counts]) -> Head:
    messages, parts = (each.by_session.get(header.id, NONE) for each in counts)
    return Head(header, (mark, *messages, *parts), messages[0])


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


def _cut(count: int, name: str) -> Problem | None:
    """Report that some of the sessions in a database were left out; None if none were."""
    if count <= MAX_SESSIONS:
        return None
    message = (
        f"{name} holds {count:,} sessions; "
        f"with more than {MAX_SESSIONS:,}, those without messages are left out"
    )
    return problem("tooLarge", message)
