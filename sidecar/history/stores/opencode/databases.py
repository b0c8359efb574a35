"""The sessions in one database of opencode or Kilo, the third generation of storage."""

import math
import sqlite3
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar
from zlib import crc32

import msgspec

from sidecar.api.stored.tasks import Problem
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
from sidecar.history.stores.opencode.failures import Failures, pause_after, rest_after
from sidecar.history.stores.sessions.foreign_database import (
    ForeignDatabase,
    Refused,
    columns,
    concerns_one_row,
    has_log,
    values_up_to,
)
from sidecar.history.stores.sessions.private_copy import Stamps, newest
from sidecar.history.stores.sessions.times import time_ms

_HEADER: Final = ("id", "parent_id", "directory", "title", "version", "time_created", "time_updated")
_REQUIRED: Final = {
    "session": {"id"},
    "message": {"id", "session_id", "data"},
    "part": {"id", "message_id", "session_id", "data"},
}
_KNOWS_SIZES: Final = (3, 43)
"""The version of SQLite that tells the size of a value without loading it."""
_MOST_READ: Final = 64 * 1024**2
"""The largest database, in bytes, that is read as a whole for the sizes: it is read after every change."""
_SIZE: Final = "sum(length(CAST(data AS BLOB)))"
"""The size of rows in bytes. To count the characters instead takes several times as long."""
_MOST_MEASURED: Final = 16 * 1024**2
"""The largest value whose size is asked for, in bytes: SQLite loads it for that, several times over."""
MAX_SESSIONS: Final = 100_000
"""How many sessions of one database are read: each takes a kilobyte of memory, even without messages."""
_CHUNK: Final = 500
_MOST_FAILING_SECONDS: Final = 1.0
"""How long sessions that cannot be read may take before the next ones have to wait: a bad disk is slow."""
T = TypeVar("T")
_decode: Final = msgspec.json.Decoder().decode


class Head(NamedTuple):
    """A session before its messages are read: how many there are, and what changes with any of its rows."""

    header: Header
    fingerprint: tuple[int, ...]
    messages: int


class DatabaseSource:
    """One database. No method raises; what cannot be read is in `problem`."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.refusal: Problem | None = None
        """Why the last reading of contents failed; None if it did not."""
        self.refused: dict[str, Problem] = {}
        """Why each of the sessions that it did not read is missing."""
        self.failures = Failures()
        self._database = ForeignDatabase(path)
        self._stamps: Stamps | None = None
        self._heads: Mapping[str, Head] = {}
        self._unreachable: Problem | None = None
        self._of_heads: Problem | None = None
        self._of_contents: Problem | None = None
        self._again = math.inf
        """When to read the heads again, by the monotonic clock."""
        self._rested = 0.0
        """When to read them again if the database changes."""

    @property
    def problem(self) -> Problem | None:
        """Return what is wrong with the database, or why sessions in it could not be read."""
        return self._unreachable or self._of_heads or self._of_contents or self.failures.problem

    @property
    def is_unread(self) -> bool:
        """Return whether it is not known now which sessions the database holds."""
        found = self._unreachable or self._of_heads
        return found is not None and found.code == "unreadable"

    def stamps(self) -> Stamps | None:
        """Return what changes with the database; None if it cannot be reached."""
        try:
            stamps = self._database.stamps()
        except Refused as refused:
            self._unreachable = refused.problem
            return None
        self._unreachable = None
        return stamps

    def heads(self) -> Mapping[str, Head]:
        """Return the sessions by ID, read again when the database changed."""
        stamps, began = self.stamps(), time.monotonic()
        is_due = began >= (self._rested if stamps != self._stamps else self._again)
        if stamps is not None and is_due:
            self._again = math.inf
            try:
                self._stamps, (self._heads, count) = self._database.read(_all_heads)
                self._of_heads, self._of_contents = self._cut(count), None
                self.failures.keep(self._heads)
            except Refused as refused:
                self._stamps, self._of_heads = stamps, refused.problem
                if self.is_unread:  # which may be so for a moment only
                    ended = time.monotonic()
                    self._again = ended + pause_after(ended - began)
                    self._rested = ended + rest_after(ended - began)
                else:
                    self._heads = {}
        return self._heads

    def _cut(self, count: int) -> Problem | None:
        """Report that some sessions were left out; None if none were."""
        if count <= MAX_SESSIONS:
            return None
        message = (
            f"{Path(self.path).name} holds {count:,} sessions; "
            f"with more than {MAX_SESSIONS:,}, those without messages are left out"
        )
        return problem("tooLarge", message)

    def contents(
        self, keys: Collection[str], make: Callable[[Content], T], patient: bool = False
    ) -> dict[str, T]:
        """Read some sessions, and return what `make` makes of each; `refusal` says why some are missing.

        With `patient`, sessions that cannot be read are noted in `failures`, and not tried again at once.
        """
        self.refusal = self.failures.problem if patient else None
        left_out = self.failures.waiting(keys) if patient else set()
        self.refused = self.failures.reasons(left_out)
        wanted = [key for key in self.failures.in_order(keys) if key not in left_out]
        if not wanted:
            return {}
        found: dict[str, T] = {}
        skipped: dict[str, tuple[float, Problem]] = {}
        late: list[str] = []
        current: tuple[str | None, float] = None, time.monotonic()

        def work(connection: sqlite3.Connection) -> None:
            nonlocal current
            current = None, time.monotonic()
            found.clear()
            skipped.clear()
            late.clear()
            left, stamps = _MOST_FAILING_SECONDS, self._database.stamps()
            heads, touched = _heads(connection, wanted), newest(stamps)
            for head in (heads[key] for key in wanted if key in heads):
                if left < 0:
                    late.append(head.header.id)
                    continue
                current = key, began = head.header.id, time.monotonic()
                try:
                    found[key] = make(_content(connection, head, self.path, touched))
                except sqlite3.Error as error:
                    took = time.monotonic() - began
                    left -= took
                    is_torn = not has_log(stamps) and self._database.stamps() != stamps
                    if is_torn or not concerns_one_row(error):
                        raise
                    skipped[key] = took, self._database.refused(error).problem

        try:
            self._database.read(work)
            for key, (took, why) in skipped.items():
                self.refusal = self.refused[key] = why
                if why.code != "unreadable":
                    self._of_contents = why
                if patient:
                    self.failures.note([key], key, took, why)
            self._put_off(late, patient)
        except Refused as refused:
            self.refusal = refused.problem
            if refused.problem.code != "unreadable" or not refused.is_steady:
                found.clear()
            self.refused |= {key: refused.problem for key in wanted if key not in found}
            if refused.problem.code != "unreadable":
                self._of_contents = refused.problem
                return {}
            if patient:
                left = [key for key in wanted if key not in found]
                self.failures.note(left, current[0], time.monotonic() - current[1], refused.problem)
        self.failures.forget(found)
        return found

    def _put_off(self, keys: Collection[str], patient: bool) -> None:
        """Leave sessions to the next reading, since damaged ones took the time of this one."""
        if keys:
            message = f"{Path(self.path).name} is damaged and takes long to read; the rest is read later"
            self.refusal = why = problem("unreadable", message)
            self.refused |= dict.fromkeys(keys, why)
            if patient:
                self.failures.note(keys, "", 0.0, why)

    def mentions(self, key: str, needles: Iterable[bytes]) -> bool:
        """Return whether a part of a session holds one of the needles in any case."""

        def work(connection: sqlite3.Connection) -> bool:
            query = "SELECT 1 FROM part WHERE session_id = ? AND instr(lower(data), ?) LIMIT 1"
            found = (connection.execute(query, (key, needle.decode())).fetchone() for needle in needles)
            return any(row is not None for row in found)

        try:
            return self._database.read(work)[1]
        except Refused:
            return False

    def all_mentioning(self, needles: Iterable[bytes]) -> set[str]:
        """Return the sessions with a part that holds one of the needles in any case."""

        def work(connection: sqlite3.Connection) -> set[str]:
            query = "SELECT DISTINCT session_id FROM part WHERE instr(lower(data), ?)"
            return {row[0] for needle in needles for row in connection.execute(query, (needle.decode(),))}

        try:
            return self._database.read(work)[1]
        except Refused:
            return set()


def is_session_database(connection: sqlite3.Connection) -> bool:
    """Return whether a database has the tables of opencode's sessions."""
    return all(columns(connection, table) >= names for table, names in _REQUIRED.items())


def _all_heads(connection: sqlite3.Connection) -> tuple[dict[str, Head], int]:
    """Read the sessions, and how many there are."""
    heads = _heads(connection)
    return heads, int(connection.execute("SELECT count(*) FROM session").fetchone()[0])


def _heads(connection: sqlite3.Connection, keys: Collection[str] | None = None) -> dict[str, Head]:
    if not is_session_database(connection):
        raise Refused("malformed", "the database does not have the tables of opencode's sessions")
    known = columns(connection, "session")
    names = [name if name in known else f"NULL AS {name}" for name in _HEADER]
    where = _those_with_messages(connection) if keys is None and _has_many(connection) else ""
    changes = [_changes(connection, table, keys) for table in ("message", "part")]
    found: dict[str, Head] = {}
    query = f"SELECT {', '.join(names)} FROM session"  # noqa: S608 (own names)
    for row in _select(connection, query, "id", keys, where):
        if isinstance(row[0], str) and row[0]:
            counts = [each.get(row[0], (0, 0, 0)) for each in changes]
            mark = (crc32(repr(row).encode("utf-8", "replace")), *counts[0], *counts[1])
            found[row[0]] = Head(_header(row), mark, counts[0][0])
    return found


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
        value if isinstance(value, str) and value else None for value in row[1:5]
    )
    return Header(row[0], parent, directory, title, version, time_ms(row[5]), time_ms(row[6]))


def _changes(
    connection: sqlite3.Connection, table: str, keys: Collection[str] | None
) -> dict[str, tuple[int, int, int]]:
    """Return the number of rows, their newest change and their size by session.

    A deletion changes only the number, and a row that is changed without a new time mostly only the size.
    """
    newest_change = "max(time_updated)" if "time_updated" in columns(connection, table) else "0"
    try:
        with values_up_to(connection, _MOST_MEASURED):
            return _sums(connection, table, keys, newest_change, _size_of_rows(connection))
    except sqlite3.DatabaseError as error:  # a value is too large or damaged: only its own session's concern
        if not concerns_one_row(error):
            raise
    try:
        return _sums(connection, table, keys, newest_change, "0")
    except sqlite3.DatabaseError as error:  # a row is damaged; an index of the sessions may count it
        if not concerns_one_row(error):
            raise
    return _sums(connection, table, keys, "0", "0")


def _size_of_rows(connection: sqlite3.Connection) -> str:
    """Return how to ask for the size of rows; 0 in a large database if that would read all of its content."""
    if sqlite3.sqlite_version_info >= _KNOWS_SIZES:
        return "sum(octet_length(data))"
    (pages,), (size,) = (connection.execute(f"PRAGMA page_{name}").fetchone() for name in ("count", "size"))
    return _SIZE if pages * size <= _MOST_READ else "0"


def _sums(
    connection: sqlite3.Connection, table: str, keys: Collection[str] | None, *sums: str
) -> dict[str, tuple[int, int, int]]:
    query = f"SELECT session_id, count(*), {', '.join(sums)} FROM {table}"  # noqa: S608 (own names)
    return {
        row[0]: (row[1], *(value if type(value) is int else 0 for value in row[2:4]))
        for row in _select(connection, query, "session_id", keys, " GROUP BY session_id")
    }


def _select(
    connection: sqlite3.Connection, query: str, column: str, keys: Collection[str] | None, end: str = ""
) -> Iterator[Sequence[Any]]:
    """Run a query for some keys, or for all."""
    if keys is None:
        yield from connection.execute(f"{query}{end}")
        return
    listed = list(keys)
    for start in range(0, len(listed), _CHUNK):
        part = listed[start : start + _CHUNK]
        yield from connection.execute(f"{query} WHERE {column} IN ({_marks(part)}){end}", part)


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def _content(connection: sqlite3.Connection, head: Head, path: str, touched: int) -> Content:
    key, broken, size = head.header.id, 0, 0
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
    copied = _copied(connection, head.header, messages)
    return Content(head.header, messages, size, name, path, touched, copied, problems)


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
    for start in range(0, len(times), _CHUNK):
        part = times[start : start + _CHUNK]
        query = f"SELECT id, data FROM message WHERE time_created IN ({_marks(part)}) AND session_id != ?"  # noqa: S608 (marks)
        for message_id, data in connection.execute(query, (*part, header.id)):
            if value := _value(data)[0]:
                elsewhere.add(fingerprint_of(Message(str(message_id), value, ())))
    return frozenset(each.id for each in older if fingerprint_of(each) in elsewhere)
