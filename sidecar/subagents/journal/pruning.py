"""Remove the events of runs that ended long ago, so that the journal does not grow without a bound.

Records of runs, deliveries and permissions stay. Events stay of runs that are live, whose end the model still
has to be notified of, or whose stored task does not show the end yet.
"""

import sqlite3

RUNS_AT_ONCE = 20
"""How many runs one transaction prunes: others wait for it."""
VACUUM_PAGES = 2_000
"""How many free pages one transaction gives back to the file system."""
YOUNGEST_MS = 86_400_000
"""Events of runs that ended within this time stay, however large the journal is."""

_PRUNABLE = """
SELECT id FROM runs WHERE completed_at < ? AND NOT transcript_open
    AND status IN ('completed', 'failed', 'cancelled')
    AND (notified_at IS NOT NULL OR sync OR (status = 'cancelled' AND NOT wants_notice))
    AND EXISTS (SELECT 1 FROM events WHERE task_id = runs.id)
ORDER BY completed_at, n LIMIT ?
"""


def prune(db: sqlite3.Connection, now: int, keep_ms: int, max_bytes: int) -> bool:
    """Remove the events of the oldest runs, a bounded number in a call; return whether there may be more.

    A run is old if it ended more than `keep_ms` before `now` (ms), and while the journal holds more than
    `max_bytes`, if it is older than a day. All events of a run go in one transaction.
    """
    before = now - (YOUNGEST_MS if used_bytes(db) > max_bytes else keep_ms)
    found = db.execute(_PRUNABLE, (before, RUNS_AT_ONCE)).fetchall()
    db.executemany("DELETE FROM events WHERE task_id = ?", found)
    db.execute(f"PRAGMA incremental_vacuum({VACUUM_PAGES})").fetchall()
    return bool(found) or _can_shrink(db)


def used_bytes(db: sqlite3.Connection) -> int:
    """Return the size of what the journal holds, without free pages."""
    return (_pragma(db, "page_count") - _pragma(db, "freelist_count")) * _pragma(db, "page_size")


def _can_shrink(db: sqlite3.Connection) -> bool:
    """Return whether pages can be given back; journals of earlier versions use free pages again instead."""
    return _pragma(db, "auto_vacuum") > 0 and _pragma(db, "freelist_count") > 0


def _pragma(db: sqlite3.Connection, name: str) -> int:
    return int(db.execute(f"PRAGMA {name}").fetchone()[0])
