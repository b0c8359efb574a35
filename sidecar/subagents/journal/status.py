"""Determine the status of each run from its record, even if the status column differs.

An unreadable record counts as failed. Each connection compares all rows once, and the few live rows each
time. Temporary tables in memory hold the differences, so that every query returns the same status.
"""

import itertools
import sqlite3
from collections.abc import Sequence
from typing import Any

from sidecar.api.runs.async_tasks import STATUSES, AsyncStatus
from sidecar.subagents.journal import codec
from sidecar.subagents.journal.records import status_in

_RECORDED = "SELECT status FROM temp.amended WHERE amended.n = runs.n"
_SHOWN = "SELECT status FROM temp.shown WHERE shown.id = runs.id"
RECORDED = f"coalesce(({_RECORDED}), status)"
"""The status of a row of `runs`, for queries after `compare`."""
SHOWN = f"coalesce(({_SHOWN}), ({_RECORDED}), status)"
"""The same, or the status set by `show`."""

_ENDED = ("completed", "failed", "cancelled")
_LIVE = """SELECT n FROM runs WHERE status < 'cancelled'
    UNION SELECT n FROM runs WHERE status > 'cancelled' AND status < 'completed'
    UNION SELECT n FROM runs WHERE status > 'completed' AND status < 'failed'
    UNION SELECT n FROM runs WHERE status > 'failed'"""
"""All other rows, as ranges of the index, because the column may contain an unknown value."""
_TABLES = """
CREATE TEMP TABLE seen (n INTEGER NOT NULL);
CREATE TEMP TABLE live (n INTEGER PRIMARY KEY);
CREATE TEMP TABLE amended (n INTEGER PRIMARY KEY, status TEXT NOT NULL);
CREATE TEMP TABLE shown (id TEXT PRIMARY KEY, status TEXT NOT NULL);
INSERT INTO seen VALUES (0);
"""
_UNCOMPARED = f"""SELECT n, status, body FROM runs WHERE n IN (
    SELECT n FROM temp.live UNION {_LIVE}) AND n <= ?"""  # noqa: S608 - constants
"""Rows that may have changed since they were compared."""
UNFINISHED = f"""n IN (SELECT n FROM runs WHERE status IN ('running', 'queued')
    UNION SELECT n FROM temp.amended) AND {RECORDED} IN ('running', 'queued')"""  # noqa: S608 - constants
"""The condition of live rows, for queries after `compare`."""
_IS_MOVED = "n IN (SELECT n FROM temp.amended) OR id IN (SELECT id FROM temp.shown)"


Compared = list[tuple[str, list[tuple[Any, ...]]]]
"""What a connection found by comparing rows: the rows of each of its temporary tables."""


def compare(db: sqlite3.Connection, *, again: bool = False) -> None:
    """Find rows whose record and column have different statuses; with `again`, compare all rows."""
    _make_tables(db)
    (seen,) = db.execute("SELECT n FROM temp.seen").fetchone()
    if again:
        db.execute("DELETE FROM temp.amended")
        seen = 0
    known = db.execute(_UNCOMPARED, (seen,)).fetchall()
    db.execute("DELETE FROM temp.live")
    db.executemany("DELETE FROM temp.amended WHERE n = ?", [row[:1] for row in known])
    newer = db.execute("SELECT n, status, body FROM runs WHERE n > ?", (seen,))
    for n, column, body in itertools.chain(known, newer):
        status = status_in(body) or "failed"
        if status != column:
            db.execute("INSERT INTO temp.amended VALUES (?, ?)", (n, status))
        if column not in _ENDED:
            db.execute("INSERT INTO temp.live VALUES (?)", (n,))
        seen = max(seen, n)
    db.execute("UPDATE temp.seen SET n = ?", (seen,))


def compared(db: sqlite3.Connection) -> Compared:
    """Return what a connection has found, for another connection to the same journal."""
    _make_tables(db)
    return [
        (name, db.execute(f"SELECT * FROM temp.{name}").fetchall())  # noqa: S608 - constants
        for name in ("seen", "live", "amended", "shown")
    ]


def restore(db: sqlite3.Connection, found: Compared) -> None:
    """Take over what another connection to the same journal has found."""
    _make_tables(db)
    for name, rows in found:
        db.execute(f"DELETE FROM temp.{name}")  # noqa: S608 - constants
        for row in rows:
            marks = ", ".join("?" * len(row))
            db.execute(f"INSERT INTO temp.{name} VALUES ({marks})", row)  # noqa: S608 - constants


def shown_column(db: sqlite3.Connection) -> str:
    """Return the SQL of the shown status of a row: the indexed column, unless some row differs."""
    moved = "SELECT EXISTS (SELECT 1 FROM temp.amended) OR EXISTS (SELECT 1 FROM temp.shown)"
    return SHOWN if db.execute(moved).fetchone()[0] else "status"


def show(db: sqlite3.Connection, task_id: str, status: AsyncStatus) -> None:
    """Show a run with this status in lists and counts before the disk accepts it."""
    _make_tables(db)
    db.execute("INSERT OR REPLACE INTO temp.shown VALUES (?, ?)", (task_id, status))


def counts(db: sqlite3.Connection) -> dict[AsyncStatus, int]:
    """Return the number of tasks with each status, without running synchronous runs, which hold no slot."""
    running_synchronously = foreground(db)
    found = dict(db.execute("SELECT status, count(*) FROM runs GROUP BY status").fetchall())
    moved = db.execute(f"SELECT status, {SHOWN} FROM runs WHERE {_IS_MOVED}")  # noqa: S608 - constants
    for column, status in moved:
        found[column] -= 1
        found[status] = found.get(status, 0) + 1
    found["running"] = found.get("running", 0) - running_synchronously
    return {status: found.get(status, 0) for status in STATUSES}


def foreground(db: sqlite3.Connection) -> int:
    """Return the number of running synchronous runs."""
    compare(db)
    query = f"SELECT count(*) FROM runs WHERE sync AND {shown_column(db)} = 'running'"  # noqa: S608 - constants
    return int(db.execute(query).fetchone()[0])


def unreadable(db: sqlite3.Connection) -> list[str]:
    """Return the IDs of unreadable rows whose column does not have an end status."""
    rows = db.execute(
        f"SELECT id, body FROM runs WHERE n IN ({_LIVE}) ORDER BY n"  # noqa: S608 - a constant
    )
    return [task_id for task_id, body in rows if status_in(body) is None]


def close_unreadable(db: sqlite3.Connection, task_ids: Sequence[str], event: dict[str, Any]) -> None:
    """Set the status of these rows to failed, and add `event` where the events do not contain an end.

    Leave their records unchanged, and mark their stored tasks as unfinished.
    """
    for task_id in task_ids:
        db.execute(
            "UPDATE runs SET status = 'failed', transcript_open = 1,"
            " completed_at = coalesce(completed_at, ordered_at) WHERE id = ?",
            (task_id,),
        )
        newest = db.execute(
            "SELECT seq, body FROM events WHERE task_id = ? ORDER BY seq DESC LIMIT 1", (task_id,)
        ).fetchone()
        seq, body = newest or (0, b"{}")
        if not _is_end(body):
            ended = codec.encode({**event, "seq": seq + 1})
            db.execute("INSERT INTO events (task_id, seq, body) VALUES (?, ?, ?)", (task_id, seq + 1, ended))


def _is_end(body: bytes) -> bool:
    try:
        event = codec.decode(body)
    except ValueError:
        return False
    return isinstance(event, dict) and event.get("type") == "state" and event.get("status") in _ENDED


def _make_tables(db: sqlite3.Connection) -> None:
    if db.execute("SELECT 1 FROM temp.sqlite_master WHERE name = 'seen'").fetchone() is None:
        db.execute("PRAGMA temp_store = MEMORY")
        for statement in _TABLES.strip().splitlines():
            db.execute(statement)
