"""Remove the events of runs that ended long ago, to limit the size of the journal.

Records of runs, deliveries and permissions stay. The events of a run stay while it is live, until the model
is notified of its end, and until its stored task contains the end.
"""

import sqlite3

RUNS_AT_ONCE = 20
"""How many runs one transaction prunes, because other transactions wait for it."""
VACUUM_PAGES = 2_000
"""How many free pages one transaction returns to the file system."""
YOUNGEST_MS = 86_400_000
"""Keep the events of runs that ended within this time, even if the journal is large."""

_PRUNABLE = """
SELECT id FROM runs WHERE completed_at < ? AND NOT transcript_open
    AND status IN ('completed', 'failed', 'cancelled')
    AND (notified_at IS NOT NULL OR sync OR (status = 'cancelled' AND NOT wants_notice))
    AND EXISTS (SELECT 1 FROM events WHERE task_id = runs.id)
ORDER BY completed_at, n LIMIT ?
"""


def prune(db: sqlite3.Connection, now: int, keep_ms: int, max_bytes: int) -> bool:
    """Remove the events of up to `RUNS_AT_ONCE` of the oldest runs; return whether there may be more.

    A run is old if it ended more than `keep_ms` before `now` (ms), or more than a day before if the journal
    exceeds `max_bytes`. One transaction removes all events of a run.
    """
    before = now - (YOUNGEST_MS if used_bytes(db) > max_bytes else keep_ms)
    found = db.execute(_PRUNABLE, (before, RUNS_AT_ONCE)).fetchall()
    db.executemany("DELETE FROM events WHERE task_id = ?", found)
    db.execute(f"PRAGMA incremental_vacuum({VACUUM_PAGES})").fetchall()
    return bool(found) or _can_shrink(db)


def used_bytes(db: sqlite3.Connection) -> int:
    """Return the size of the journal in bytes, without free pages."""
    return (_pragma(db, "page_count") - _pragma(db, "freelist_count")) * _pragma(db, "page_size")


def _can_shrink(db: sqlite3.Connection) -> bool:
    """Return whether free pages can be returned; journals of earlier versions reuse them instead."""
    return _pragma(db, "auto_vacuum") > 0 and _pragma(db, "freelist_count") > 0


def _pragma(db: sqlite3.Connection, name: str) -> int:
    return int(db.execute(f"PRAGMA {name}").fetchone()[0])
