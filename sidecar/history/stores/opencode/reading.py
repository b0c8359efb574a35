"""The messages of one session in a database of opencode or Kilo."""

import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from sidecar.history.stored.complexity import is_too_complex
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

_decode: Final = msgspec.json.Decoder().decode


def content_of(connection: sqlite3.Connection, header: Header, path: str, touched: int) -> Content:
    """Read a session with its messages; `path` is that of the database. Raises sqlite3.Error."""
    key, broken, size = header.id, 0, 0
    parts: defaultdict[str, list[Part]] = defaultdict(list)
    query = "SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY id"
    for part_id, message_id, data in connection.execute(query, (key,)):
        value, length = _value(data)
        broken, size = broken + (value is None), size + length
        if value is not None:
            parts[str(message_id)].append(Part(str(part_id), value))
    found = []
    for message_id, data in connection.execute("SELECT id, data FROM message WHERE session_id = ?", (key,)):
        value, length = _value(data)
        broken, size = broken + (value is None), size + length
        found.append(Message(str(message_id), value or NOTHING, parts.get(str(message_id), ())))
    messages = ordered(found)
    name = Path(path).name
    problems = [problem("malformed", f"{name}: {broken} rows hold no readable JSON object")] if broken else []
    copied = _copied(connection, header, messages)
    return Content(header, messages, size, name, path, touched, copied, problems)


def needs_scans(connection: sqlite3.Connection) -> bool:
    """Return whether a session is searched for in all rows: an index is missing. Raises sqlite3.Error."""
    queries = ("SELECT 1 FROM part WHERE session_id = ''", "SELECT 1 FROM message WHERE session_id = ''")
    plans = (connection.execute(f"EXPLAIN QUERY PLAN {query}") for query in queries)
    return any(str(row[3]).startswith("SCAN") for plan in plans for row in plan)


def _value(data: object) -> tuple[Json | None, int]:
    """Decode the JSON object in a row; None if it is none or too complex. Also return its size in bytes."""
    raw = data.encode("utf-8", "replace") if isinstance(data, str) else data
    if not isinstance(raw, bytes):
        return None, 0
    value = None if is_too_complex(raw) else decode_leniently(_decode, raw)
    return (value if isinstance(value, dict) else None), len(raw)


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
        row = connection.execute("SELECT data FROM message WHERE id = ?", (message_id,)).fetchone()
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        return None
    return _value(row[0])[0] if row is not None else None
