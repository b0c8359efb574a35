"""The queries of the journal. Each function runs one or two statements on an open connection."""

import base64
import binascii
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sidecar.api.errors import InvalidParams
from sidecar.api.runs.async_tasks import STATUSES, AsyncStatus
from sidecar.subagents.journal import codec
from sidecar.subagents.journal.listed import listed
from sidecar.subagents.journal.records import Delivery, RunRecord, encode_record, read_record
from sidecar.subagents.journal.schema import names_clients
from sidecar.subagents.journal.status import RECORDED, UNFINISHED, compare, shown_column

DELIVERIES_KEPT = 1_000
PAGE_BYTES = 16 * 1024 * 1024
"""About how many bytes of records a page has: far below the frame limit, however long the goals are."""

_NEWEST_FIRST = "ORDER BY ordered_at DESC, n DESC"
_NEWEST = (1 << 63) - 1
_SOUND = """max(0, CASE WHEN typeof(ordered_at) = 'integer' THEN ordered_at
    WHEN typeof(completed_at) = 'integer' THEN completed_at ELSE 0 END)"""
"""The time of a row whose `ordered_at` may be damaged. Unlike the column, it has no index."""
_IS_DAMAGED = f"""SELECT EXISTS (SELECT 1 FROM runs WHERE ordered_at > {_NEWEST})
    OR EXISTS (SELECT 1 FROM runs WHERE ordered_at < 0)"""  # noqa: S608 - constants
"""Whether a row has a time that no page would contain; a text is greater than every number."""
_SAVE = """
INSERT INTO runs (n, id, status, ordered_at, completed_at, sync, wants_notice, notified_at, body)
VALUES (
    (SELECT 1 + max((SELECT coalesce(max(n), 0) FROM runs), (SELECT coalesce(max(n), 0) FROM removals))),
    ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET
    status = excluded.status, ordered_at = excluded.ordered_at, completed_at = excluded.completed_at,
    sync = excluded.sync, wants_notice = excluded.wants_notice,
    notified_at = coalesce(notified_at, excluded.notified_at), body = excluded.body
WHERE status IN ('running', 'queued') OR excluded.status NOT IN ('running', 'queued')
"""


class RecordPage(NamedTuple):
    """A page of records, newest launch first; `next_cursor` is None on the last page."""

    records: list[RunRecord]
    next_cursor: str | None


class EventPage(NamedTuple):
    """Events in order. `last_seq` is the seq of the last event on the page, or in the journal if empty."""

    events: list[dict[str, Any]]
    last_seq: int
    more: bool


Row = tuple[str, str, int, int | None, bool, bool, int | None, bytes]


def row_of(record: RunRecord) -> Row:
    """Return the row that `save` stores. Call this at once, so that it excludes later changes."""
    task = record.task
    ordered_at = next(
        at for at in (task.launched_at, task.queued_at, task.progress.last_activity_at) if at is not None
    )
    return (
        task.id,
        task.status,
        ordered_at,
        task.completed_at,
        record.sync,
        record.wants_notice,
        task.notified_at,
        encode_record(record),
    )


def save(db: sqlite3.Connection, row: Row) -> None:
    """Insert or replace a record, but keep a set `notified_at` and the status of an ended run."""
    db.execute(_SAVE, row)


def save_again(db: sqlite3.Connection, row: Row) -> None:
    """Replace a record, unless its run was removed."""
    if db.execute("SELECT 1 FROM runs WHERE id = ?", (row[0],)).fetchone():
        save(db, row)


def save_end(db: sqlite3.Connection, row: Row) -> None:
    """Save the record of an ended run, whose stored task may not contain the end yet."""
    save(db, row)
    db.execute("UPDATE runs SET transcript_open = 1 WHERE id = ?", (row[0],))


def transcript_finished(db: sqlite3.Connection, task_id: str) -> None:
    """Note that the stored task contains the end."""
    db.execute("UPDATE runs SET transcript_open = 0 WHERE id = ?", (task_id,))


def unfinished_transcripts(db: sqlite3.Connection) -> list[RunRecord]:
    """Return ended records whose stored task may not contain the end."""
    compare(db)
    return _records(db, f"WHERE transcript_open AND {RECORDED} NOT IN ('running', 'queued') ORDER BY n", ())


def get(db: sqlite3.Connection, task_id: str) -> RunRecord | None:
    """Return the record with exactly this ID."""
    return next(iter(_records(db, "WHERE id = ?", (task_id,))), None)


def by_prefix(db: sqlite3.Connection, prefix: str, limit: int) -> list[RunRecord]:
    """Return records whose ID starts with `prefix`, newest launch first."""
    beyond = prefix + "\U0010ffff"
    return _records(db, f"WHERE id >= ? AND id < ? {_NEWEST_FIRST} LIMIT ?", (prefix, beyond, limit))


def page(
    db: sqlite3.Connection, statuses: Sequence[AsyncStatus] | None, cursor: str | None, limit: int
) -> RecordPage:
    """Return up to `limit` records after `cursor`, about PAGE_BYTES, with their runs as lists have them.

    A task launched from the queue meanwhile moves up.
    """
    wanted = STATUSES if statuses is None else tuple(statuses)
    compare(db)
    found, is_sound = _page(db, wanted, _position(cursor), limit)
    if not is_sound:
        compare(db, again=True)  # a row was damaged since
        found, _ = _page(db, wanted, _position(cursor), limit)
    return found


def _page(
    db: sqlite3.Connection, statuses: Sequence[AsyncStatus], position: tuple[int, int], limit: int
) -> tuple[RecordPage, bool]:
    """Return a page, and whether all rows have the status of their records."""
    records: list[RunRecord] = []
    size, last, is_sound = 0, position, True
    # One row after the other, since the variables that a list leaves out are large.
    for task_id, notified_at, body, time, n, status in _rows(db, statuses, position, limit + 1):
        if len(records) == limit or size > PAGE_BYTES:
            return RecordPage(records, _cursor(*last)), is_sound
        record = _record(task_id, notified_at, body, time)
        is_sound = is_sound and record.task.status == status
        last = time, n
        whole, record.task = record.task, listed(record.task)
        size += len(body if record.task is whole else encode_record(record))
        records.append(record)
    return RecordPage(records, None), is_sound


def _rows(
    db: sqlite3.Connection, statuses: Sequence[AsyncStatus], position: tuple[int, int], limit: int
) -> Iterator[Any]:
    marks = ", ".join("?" * len(statuses))
    where = f"WHERE {shown_column(db)} IN ({marks}) AND (ordered_at, n) < (?, ?) {_NEWEST_FIRST} LIMIT ?"
    time = _SOUND if db.execute(_IS_DAMAGED).fetchone()[0] else "ordered_at"
    where = where.replace("ordered_at", time)
    columns = f"id, notified_at, body, {time}, n, {RECORDED}"
    query = f"SELECT {columns} FROM runs {where}"  # noqa: S608 - only placeholders are inserted
    return db.execute(query, (*statuses, *position, limit))


def spent_since(db: sqlite3.Connection, since: int) -> tuple[float, int]:
    """Return the cost (USD) and the tokens of the runs that started at `since` (ms) or later."""
    runs = [record.task.progress for record in _records(db, "WHERE ordered_at >= ?", (since,))]
    tokens = sum(
        count or 0
        for run in runs
        for count in (run.input_tokens, run.output_tokens, run.cache_reads, run.cache_writes)
    )
    return sum(run.cost or 0 for run in runs), tokens


def launched_after(db: sqlite3.Connection, row: int) -> tuple[int, list[str]]:
    """Return the row number of the newest run, and the IDs of the runs after `row`."""
    found = db.execute("SELECT n, id FROM runs WHERE n > ? ORDER BY n", (row,)).fetchall()
    return max([row, *(n for n, _ in found)]), [task_id for _, task_id in found]


def ids(db: sqlite3.Connection) -> frozenset[str]:
    """Return the IDs of all runs."""
    return frozenset(row[0] for row in db.execute("SELECT id FROM runs"))


def unfinished(db: sqlite3.Connection) -> list[RunRecord]:
    """Return running and queued records, oldest first."""
    compare(db)
    return _records(db, f"WHERE {UNFINISHED} ORDER BY ordered_at, n", ())


def undelivered(db: sqlite3.Connection) -> list[RunRecord]:
    """Return ended runs of which the model is still to be notified, oldest end first."""
    compare(db)
    ended = f"({RECORDED} IN ('completed', 'failed') OR {RECORDED} = 'cancelled' AND wants_notice)"
    return _records(db, f"WHERE notified_at IS NULL AND NOT sync AND {ended} ORDER BY completed_at, n", ())


def ended_on_clusters(db: sqlite3.Connection, since: int) -> list[RunRecord]:
    """Return the runs on clusters that ended at `since` or later, in milliseconds, oldest end first."""
    compare(db)
    has_remote = """instr(body, CAST('"remote":' AS BLOB))"""
    ended = f"{RECORDED} NOT IN ('running', 'queued') AND completed_at >= ?"
    found = _records(db, f"WHERE {ended} AND {has_remote} ORDER BY completed_at, n", (since,))
    return [record for record in found if record.remote is not None]


def mark_notified(db: sqlite3.Connection, task_ids: Sequence[str], at: int) -> list[str]:
    """Set `notified_at` where it is unset; return the IDs of those runs."""
    update = "UPDATE runs SET notified_at = ? WHERE id = ? AND notified_at IS NULL"
    return [task_id for task_id in task_ids if db.execute(update, (at, task_id)).rowcount]


def record_delivery(db: sqlite3.Connection, delivery: Delivery) -> None:
    """Store a delivery or its new state, and delete the oldest."""
    db.execute(
        "INSERT INTO deliveries (id, task_ids, at, state, client) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET at = excluded.at, state = excluded.state",
        (delivery.delivery_id, codec.encode(delivery.task_ids), delivery.at, delivery.state, delivery.client),
    )
    db.execute("DELETE FROM deliveries WHERE n <= (SELECT max(n) FROM deliveries) - ?", (DELIVERIES_KEPT,))


def deliveries(db: sqlite3.Connection, limit: int) -> list[Delivery]:
    """Return the latest deliveries, latest first."""
    client = "client" if names_clients(db) else "NULL"
    query = f"SELECT id, task_ids, at, state, {client} FROM deliveries ORDER BY n DESC LIMIT ?"  # noqa: S608 # a constant
    return [Delivery(each, codec.decode(ids), *rest) for each, ids, *rest in db.execute(query, (limit,))]


def insert_events(db: sqlite3.Connection, task_id: str, events: Sequence[tuple[int, bytes]]) -> None:
    """Store events by their seq."""
    db.executemany(
        "INSERT OR REPLACE INTO events (task_id, seq, body) VALUES (?, ?, ?)",
        [(task_id, seq, body) for seq, body in events],
    )


def read_events(
    db: sqlite3.Connection, task_id: str, after_seq: int, limit: int, max_bytes: int
) -> EventPage:
    """Return up to `limit` events after `after_seq`, about `max_bytes` of JSON, but at least one."""
    if _are_removed(db, task_id):
        return EventPage([], 0, more=False)
    rows = db.execute(
        "SELECT seq, body FROM events WHERE task_id = ? AND seq > ? ORDER BY seq LIMIT ?",
        (task_id, min(after_seq, _NEWEST), limit),
    )
    events: list[dict[str, Any]] = []
    last, size = 0, 0
    for seq, body in rows:
        size += len(body)
        if events and size > max_bytes:
            break
        events.append(_event(seq, body))
        last = seq
    newest = last_seq(db, task_id)
    last = last if events else newest
    return EventPage(events, last, last < newest)


def _event(seq: int, body: bytes) -> dict[str, Any]:
    """Return an event; replace a damaged one by a log event with the reason."""
    try:
        event = codec.decode(body)
        if isinstance(event, dict) and {"seq", "ts", "type"} <= event.keys():
            return event
        reason = "it is not an event"
    except ValueError as error:
        reason = str(error)
    return {"seq": seq, "ts": 0, "type": "log", "stream": "stderr", "text": f"[unreadable event: {reason}]\n"}


def last_seq(db: sqlite3.Connection, task_id: str) -> int:
    """Return the seq of the latest event, or 0."""
    if _are_removed(db, task_id):
        return 0
    return int(
        db.execute("SELECT coalesce(max(seq), 0) FROM events WHERE task_id = ?", (task_id,)).fetchone()[0]
    )


def _are_removed(db: sqlite3.Connection, task_id: str) -> bool:
    """Return whether the events of a run are being deleted."""
    query = "SELECT 1 FROM removals WHERE task_id = ? AND has_events"
    return db.execute(query, (task_id,)).fetchone() is not None


def _records(db: sqlite3.Connection, tail: str, values: Sequence[object]) -> list[RunRecord]:
    columns = "id, notified_at, body, ordered_at"
    rows = db.execute(f"SELECT {columns} FROM runs {tail}", values)  # noqa: S608 - callers' constants
    return [_record(*row) for row in rows]


def _record(task_id: str, notified_at: int | None, body: bytes, ordered_at: int) -> RunRecord:
    record = read_record(task_id, body, _whole(ordered_at))
    # `mark_notified` writes the column alone
    record.task.notified_at = None if notified_at is None else _whole(notified_at)
    return record


def _whole(number: object) -> int:
    """Return a time in ms; 0 in place of a damaged one."""
    return number if isinstance(number, int) else 0


def _cursor(ordered_at: int, n: int) -> str:
    return base64.urlsafe_b64encode(f"{_whole(ordered_at)}.{n}".encode()).decode().rstrip("=")


def _position(cursor: str | None) -> tuple[int, int]:
    if cursor is None:
        return _NEWEST, _NEWEST
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode(
            "ascii"
        )
        ordered_at, n = (int(part) for part in text.split("."))
    except (ValueError, binascii.Error) as error:
        raise _bad_cursor() from error
    if not (0 <= ordered_at <= _NEWEST and 0 <= n <= _NEWEST):
        raise _bad_cursor()
    return ordered_at, n


def _bad_cursor() -> InvalidParams:
    return InvalidParams("cursor: not a cursor of this list; omit it to start at the first page")
