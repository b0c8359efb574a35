"""Remove old runs and events from the journal, in transactions that are short enough for requests to wait.

Live runs, results that the model was not notified of, and runs whose stored task lacks the end always stay. A
removed run is noted in `removals` first, which hides its events; later transactions delete these in portions.
"""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

RUNS_AT_ONCE = 50
"""How many runs one transaction examines."""
EVENTS_AT_ONCE = 100
"""How many events one transaction deletes at most."""
BYTES_AT_ONCE = 64 << 10
"""How many bytes of records or events one transaction deletes, except for one that is larger."""
PAGES_AT_ONCE = 16
"""How many free pages one transaction returns to the file system."""
YOUNGEST_MS = 60_000
"""Keep the events of runs that ended within this time, because clients may still read them."""

_ENDED = "status IN ('completed', 'failed', 'cancelled')"
_SETTLED = f"""{_ENDED} AND NOT transcript_open
    AND (notified_at IS NOT NULL OR sync OR (status = 'cancelled' AND NOT wants_notice))"""
_HAS_EVENTS = """NOT EXISTS (SELECT 1 FROM removals WHERE task_id = runs.id AND has_events)
    AND EXISTS (SELECT 1 FROM events WHERE task_id = runs.id)"""


class Limits(NamedTuple):
    """Keep runs that ended less than `keep_ms` before `now` (ms), and at most `max_bytes` in all."""

    now: int
    keep_ms: int
    max_bytes: int


class Position(NamedTuple):
    """Where a round continues: the pass, and the last run that it examined."""

    passes: int = 0
    ordered_at: int = -1
    n: int = -1
    removed: tuple[str, ...] = ()
    """The IDs of the runs that the last transaction removed with their records."""


class _Pass(NamedTuple):
    """One kind of removal, applied to runs from the oldest to the newest."""

    condition: str
    by_size: bool
    with_record: bool


_PASSES = (
    _Pass(_SETTLED, by_size=False, with_record=True),
    _Pass(f"{_SETTLED} AND {_HAS_EVENTS}", by_size=True, with_record=False),
    _Pass(_SETTLED, by_size=True, with_record=True),
    _Pass(f"{_ENDED} AND NOT transcript_open AND {_HAS_EVENTS}", by_size=True, with_record=False),
)
"""First by age; then by size the events, then the records, and last the events of undelivered results."""


def prune(db: sqlite3.Connection, limits: Limits, position: Position) -> Position | None:
    """Do one transaction's share of a round; return where to continue, or None at the end of the round."""
    if _delete_some_events(db):
        return position._replace(removed=())
    if position.passes < len(_PASSES):
        return _choose(db, limits, position)
    return position._replace(removed=()) if _shrink(db) else None


def forget(db: sqlite3.Connection, task_ids: Sequence[str]) -> list[str]:
    """Remove ended runs, and only the events of those whose result the model was not notified of.

    Return the IDs of those that were removed with their records.
    """
    removed: list[str] = []
    for task_id in task_ids:
        found = db.execute(
            f"SELECT n, {_SETTLED_OR_OPEN} FROM runs WHERE id = ? AND {_ENDED}",  # noqa: S608 - constants
            (task_id,),
        ).fetchone()
        if found is not None:
            _remove(db, found[0], task_id, with_record=bool(found[1]))
            if found[1]:
                removed.append(task_id)
    return removed


_SETTLED_OR_OPEN = _SETTLED.replace("AND NOT transcript_open", "")
"""A deleted stored task needs no end."""


def used_bytes(db: sqlite3.Connection) -> int:
    """Return the size of the journal in bytes, without free pages."""
    return (_pragma(db, "page_count") - _pragma(db, "freelist_count")) * _pragma(db, "page_size")


def free_bytes(db: sqlite3.Connection) -> int:
    """Return the size of the free pages in bytes."""
    return _pragma(db, "freelist_count") * _pragma(db, "page_size")


def can_shrink(db: sqlite3.Connection) -> bool:
    """Return whether free pages can be returned one by one; journals of the first versions cannot."""
    return _pragma(db, "auto_vacuum") > 0


def truncate(db: sqlite3.Connection, path: Path) -> None:
    """Cut the file at `path` to its pages, outside of a transaction. Do nothing while others read old pages.

    Returned pages leave the file only with a checkpoint, which SQLite starts only after 1,000 changed pages.
    """
    if path.stat().st_size > _pragma(db, "page_count") * _pragma(db, "page_size"):
        db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()


def _choose(db: sqlite3.Connection, limits: Limits, position: Position) -> Position:
    """Remove some runs of the current pass, and return where to continue."""
    current = _PASSES[position.passes]
    excess = used_bytes(db) - limits.max_bytes
    if current.by_size and excess <= 0:
        return Position(len(_PASSES))
    before = limits.now - (YOUNGEST_MS if current.by_size else limits.keep_ms)
    rows = db.execute(
        f"""SELECT ordered_at, n, id, length(body), {current.condition} AND completed_at < ? FROM runs
        WHERE (ordered_at, n) > (?, ?) AND ordered_at < ? ORDER BY ordered_at, n LIMIT ?""",  # noqa: S608
        (before, position.ordered_at, position.n, before, RUNS_AT_ONCE),
    ).fetchall()
    size_removed = 0
    removed: tuple[str, ...] = ()
    for ordered_at, n, task_id, size, is_chosen in rows:
        if is_chosen:
            size_removed += size if current.with_record else _bytes_of_events(db, task_id)
            _remove(db, n, task_id, with_record=current.with_record)
            removed += (task_id,) if current.with_record else ()
            if size_removed >= (min(excess, BYTES_AT_ONCE) if current.by_size else BYTES_AT_ONCE):
                return Position(position.passes, ordered_at, n, removed)
    if not rows:
        return Position(position.passes + 1)
    ordered_at, n = rows[-1][:2]
    return Position(position.passes, ordered_at, n, removed)


def _bytes_of_events(db: sqlite3.Connection, task_id: str) -> int:
    """Return the size of a run's events, or of the first ones if there are many."""
    query = "SELECT sum(size) FROM (SELECT length(body) AS size FROM events WHERE task_id = ? LIMIT ?)"
    return int(db.execute(query, (task_id, EVENTS_AT_ONCE)).fetchone()[0] or 0)


def _remove(db: sqlite3.Connection, n: int, task_id: str, *, with_record: bool) -> None:
    db.execute(
        "INSERT INTO removals (n, task_id, has_events) VALUES (?, ?, 1)"
        " ON CONFLICT (n) DO UPDATE SET has_events = 1",
        (n, task_id),
    )
    if with_record:
        db.execute("DELETE FROM runs WHERE n = ?", (n,))


def _delete_some_events(db: sqlite3.Connection) -> bool:
    """Delete events of removed runs; return False if there are none left."""
    found = db.execute("SELECT n, task_id FROM removals WHERE has_events LIMIT ?", (RUNS_AT_ONCE,)).fetchall()
    events, size = 0, 0
    for n, task_id in found:
        rows = db.execute(
            "SELECT seq, length(body) FROM events WHERE task_id = ? ORDER BY seq LIMIT ?",
            (task_id, EVENTS_AT_ONCE - events),
        ).fetchall()
        last = 0
        for seq, length in rows:
            last, events, size = seq, events + 1, size + length
            if size >= BYTES_AT_ONCE:
                break
        db.execute("DELETE FROM events WHERE task_id = ? AND seq <= ?", (task_id, last))
        if events >= EVENTS_AT_ONCE or size >= BYTES_AT_ONCE:
            return True
        db.execute("UPDATE removals SET has_events = 0 WHERE n = ?", (n,))
    _drop_finished(db)
    return bool(found)


def _drop_finished(db: sqlite3.Connection) -> None:
    """Drop the notes of removals, but keep the highest row number, so that no later run gets it again."""
    db.execute(
        "DELETE FROM removals WHERE NOT has_events AND (n < (SELECT max(n) FROM removals)"
        " OR n <= (SELECT max(n) FROM runs))"
    )


def _shrink(db: sqlite3.Connection) -> bool:
    """Return some free pages to the file system; return whether there are more."""
    if not can_shrink(db):
        return False
    for _ in range(min(PAGES_AT_ONCE, _pragma(db, "freelist_count"))):
        db.execute("PRAGMA incremental_vacuum(1)")  # sqlite3 executes only the first step of a larger one
    return _pragma(db, "freelist_count") > 0


def _pragma(db: sqlite3.Connection, name: str) -> int:
    return int(db.execute(f"PRAGMA {name}").fetchone()[0])
