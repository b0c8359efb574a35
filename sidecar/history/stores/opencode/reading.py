"""The messages of one session in a database of opencode or Kilo."""

import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from sidecar.api.stored.tasks import Problem
from sidecar.history.stored.complexity import MAX_TEXT, char_bytes, is_too_complex
from sidecar.history.stored.parsing import decode_leniently
from sidecar.history.stored.problems import problem
from sidecar.history.stores.opencode.content import (
    NOTHING,
    Content,
    Header,
    Json,
    Message,
    Part,
    fingerprint_of,
    ordered,
)
from sidecar.history.stores.opencode.counts import CHUNK, marks
from sidecar.history.stores.opencode.session_rows import is_damage
from sidecar.history.stores.sessions.databases.foreign_database import columns

MAX_TEXTS: Final = 4 * MAX_TEXT
"""The most bytes that the texts of one session may take in memory."""
_DATA: Final = "CAST(data AS BLOB)"
"""The JSON of a row, without making a text of it, which may take four times its size."""
_decode: Final = msgspec.json.Decoder().decode


def content_of(connection: sqlite3.Connection, header: Header, path: str, touched: int) -> Content:
    """Read a session with its messages; `path` is that of the database. Raises sqlite3.Error."""
    key, values = header.id, _Values()
    parts: defaultdict[str, list[Part]] = defaultdict(list)
    query = f"SELECT id, message_id, {_DATA} FROM part WHERE session_id = ? ORDER BY id"  # noqa: S608 (own names)
    for part_id, message_id, data in connection.execute(query, (key,)):
        if (value := values.read(data)) is not None:
            parts[str(message_id)].append(Part(str(part_id), value))
    found = []
    query = f"SELECT id, {_DATA} FROM message WHERE session_id = ?"  # noqa: S608 (own names)
    for message_id, data in connection.execute(query, (key,)):
        value = values.read(data)
        found.append(Message(str(message_id), value or NOTHING, parts.get(str(message_id), ())))
    messages = ordered(found)
    name = Path(path).name
    copied = _copied(connection, header, messages)
    return Content(header, messages, values.size, name, path, touched, copied, values.problems(name))


def needs_scans(connection: sqlite3.Connection) -> bool:
    """Return whether a session is searched for in all rows: an index is missing. Raises sqlite3.Error."""
    queries = ("SELECT 1 FROM part WHERE session_id = ''", "SELECT 1 FROM message WHERE session_id = ''")
    plans = (connection.execute(f"EXPLAIN QUERY PLAN {query}") for query in queries)
    return any(str(row[3]).startswith("SCAN") for plan in plans for row in plan)


class _Values:
    """Decode the JSON objects in the rows of one session, as many as fit into memory."""

    def __init__(self) -> None:
        self.size = 0
        """The size of all rows, in bytes."""
        self._room = MAX_TEXTS
        self._broken = self._unread = 0

    def read(self, data: object) -> Json | None:
        """Return the object in a row; None if it is none, too complex or too large."""
        if not isinstance(data, bytes):
            self._broken += 1
            return None
        self.size += len(data)
        most = min(self._room, MAX_TEXT)
        if len(data) > most or (taken := len(data) * char_bytes(data)) > most:
            self._unread += 1
            return None
        self._room -= taken
        value = _object_in(data)
        self._broken += value is None
        return value

    def problems(self, name: str) -> list[Problem]:
        """Describe the rows that were not read; `name` is that of the database."""
        found = []
        if self._broken:
            found.append(problem("malformed", f"{name}: {self._broken} rows hold no readable JSON object"))
        if self._unread:
            rows = "1 row" if self._unread == 1 else f"{self._unread:,} rows"
            message = f"{name}: {rows} of the session would take too much memory"
            found.append(problem("tooLarge", message))
        return found


def _object_in(data: bytes) -> Json | None:
    value = None if is_too_complex(data) else decode_leniently(_decode, data)
    return value if isinstance(value, dict) else None


def _copied(connection: sqlite3.Connection, header: Header, messages: Sequence[Message]) -> frozenset[str]:
    """Return the IDs of messages that a fork copied: older than the session, and in another one too."""
    created = header.created
    older = [each for each in messages if created and each.created is not None and each.created < created]
    if not older or "time_created" not in columns(connection, "message"):
        return frozenset()
    elsewhere: set[tuple[object, ...]] = set()
    times = [each.created for each in older]
    for start in range(0, len(times), CHUNK):
        part = times[start : start + CHUNK]
        # First only what an index holds: damaged messages of other sessions do not matter then.
        query = f"SELECT id FROM message WHERE time_created IN ({marks(part)}) AND session_id != ?"  # noqa: S608 (marks)
        for (message_id,) in connection.execute(query, (*part, header.id)).fetchall():
            if value := _of_other(connection, message_id):
                elsewhere.add(fingerprint_of(Message(str(message_id), value, ())))
    return frozenset(each.id for each in older if fingerprint_of(each) in elsewhere)


def _of_other(connection: sqlite3.Connection, message_id: object) -> Json | None:
    """Read a message of another session; None if it is damaged, so that it counts in none but this one."""
    try:
        query = f"SELECT {_DATA} FROM message WHERE id = ?"  # noqa: S608 (own names)
        row = connection.execute(query, (message_id,)).fetchone()
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        return None
    return _object_in(row[0]) if row is not None and isinstance(row[0], bytes) else None
