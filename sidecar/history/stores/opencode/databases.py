"""The sessions in one database of opencode or Kilo, the third generation of storage."""

import math
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Final, TypeVar

from sidecar.api.stored.tasks import Problem
from sidecar.history.stored.problems import problem
from sidecar.history.stores.opencode.content import Content
from sidecar.history.stores.opencode.failures import Failures, pause_after, rest_after
from sidecar.history.stores.opencode.heads import (
    AllHeads,
    Head,
    Known,
    all_heads,
    changed_heads,
    headers_of,
    with_busy,
)
from sidecar.history.stores.opencode.reading import content_of, needs_scans
from sidecar.history.stores.sessions.databases.foreign_database import (
    ForeignDatabase,
    Refused,
    concerns_one_row,
    has_log,
)
from sidecar.history.stores.sessions.databases.private_copy import Stamps, newest

_MOST_FAILING_SECONDS: Final = 1.0
"""How long sessions that cannot be read may take before the next ones have to wait: a bad disk is slow."""
_SCAN_SECONDS: Final = 8.0
"""How long the sessions of a database without an index may take, all together, and at most a twentieth of
the time after that: each one takes as long as reading all rows."""
_NO_INDEX: Final = "has no index of its sessions"
_WHOLE_SECONDS: Final = 60.0
"""How long after a change the rows of all sessions are counted again: edits of old rows show nowhere else."""
_LATEST: Final = 2
"""By how many times that is delayed in a database that changes all the time, so that new rows do not wait."""
_PATIENCE: Final = 20
"""The shortest time between two counts, as a multiple of how long a count takes."""
T = TypeVar("T")


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
        self._known: Known | None = None
        self._whole_at = math.inf
        """When to count the rows of all sessions again, by the monotonic clock."""
        self._whole_seconds = _WHOLE_SECONDS
        self._compared_at = -math.inf
        """When the database was compared last: much may have changed if nobody did for long."""
        self._scans_left = _SCAN_SECONDS
        self._scans_again = math.inf
        """When a database without an index is read again, by the monotonic clock."""
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
        pause = min(self._again, self._whole_at)
        is_due = began >= (self._rested if stamps != self._stamps else pause)
        if stamps is not None and is_due:
            self._again = math.inf
            try:
                self._stamps, found = self._read(stamps, began)
                self._known, self._of_heads = found.known, found.left_out(Path(self.path).name)
                if found.known is not None and not found.known.is_searched:
                    self._again = found.known.search_at
                if self._heads != found.heads:
                    self._heads = found.heads
                self._of_contents = None
                self.failures.keep(self._heads)
            except Refused as refused:
                self._stamps, self._of_heads, self._known = stamps, refused.problem, None
                self._whole_at = math.inf
                if self.is_unread:  # which may be so for a moment only
                    ended = time.monotonic()
                    self._again = ended + pause_after(ended - began)
                    self._rested = ended + rest_after(ended - began)
                else:
                    self._heads = {}
        self._compared_at = began
        return self._heads

    def _read(self, stamps: Stamps, now: float) -> tuple[Stamps, AllHeads]:
        """Read the sessions that changed, or all; `now` is by the monotonic clock. Raises Refused."""
        known, heads = self._known, self._heads
        is_late = now >= self._whole_at + (
            self._whole_seconds * (_LATEST - 1) if stamps != self._stamps else 0
        )
        is_forgotten = now - self._compared_at > self._whole_seconds
        if known is not None and not is_late and not is_forgotten:

            def changed(connection: sqlite3.Connection) -> AllHeads | None:
                return changed_heads(connection, heads, known, now)

            read, found = self._database.read(changed)
            if found is not None and _is_continued(self._stamps, read):
                self._whole_at = min(self._whole_at, now + self._whole_seconds)
                return read, found
        began = time.monotonic()
        read, whole = self._database.read(all_heads)
        self._whole_at = math.inf
        self._whole_seconds = max(_WHOLE_SECONDS, _PATIENCE * (time.monotonic() - began))
        return read, with_busy(whole, heads, known, now)

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
            is_scanned = patient and needs_scans(connection)
            headers, touched = headers_of(connection, wanted), newest(stamps)
            for header in (headers[key] for key in wanted if key in headers):
                if left < 0 or (is_scanned and not self._may_scan()):
                    late.append(header.id)
                    continue
                current = key, began = header.id, time.monotonic()
                try:
                    found[key] = make(content_of(connection, header, self.path, touched))
                    self._scans_left -= (time.monotonic() - began) * is_scanned
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

    def _may_scan(self) -> bool:
        """Return whether there is time for another session, if each one takes a reading of all rows."""
        now = time.monotonic()
        if now >= self._scans_again:
            self._scans_left, self._scans_again = _SCAN_SECONDS, math.inf
        if self._scans_left < 0 and self._scans_again == math.inf:
            self._scans_again = now + rest_after(_SCAN_SECONDS)
        return self._scans_left >= 0

    @property
    def postponed(self) -> set[str]:
        """Return the sessions that the last reading left to the next one since an index is missing."""
        return {key for key, why in self.refused.items() if _NO_INDEX in why.message}

    def _put_off(self, keys: Collection[str], patient: bool) -> None:
        """Leave sessions to the next reading, since others took the time of this one."""
        if keys:
            reason = _NO_INDEX if self._scans_left < 0 else "is damaged"
            message = f"{Path(self.path).name} {reason} and takes long to read; the rest is read later"
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


def _is_continued(before: Stamps | None, after: Stamps) -> bool:
    """Return whether a database is the same file as before, and not an older copy of it."""
    old, new = before[0] if before else None, after[0]
    return old is not None and new is not None and old[2] == new[2] and old[0] <= new[0]
