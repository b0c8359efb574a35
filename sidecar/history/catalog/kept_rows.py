"""The rows of one root under one rule set."""

from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import Final

import msgspec

from sidecar.api.stored.tasks import Problem
from sidecar.history.catalog.index import Rows
from sidecar.history.stores.index_row import NOT_READ, SAVING, IndexRow, ReadRows, info_of, with_info
from sidecar.history.stores.sessions.saving import RECENT_SECONDS
from sidecar.history.stores.status_by_age import FOR_EVER

SAVING_MS: Final = int(RECENT_SECONDS * 1_000)
FIRST_PAUSE_MS: Final = 60_000
"""When a file that cannot be read is tried again: a moment without descriptors leaves no other trace."""
LONGEST_PAUSE_MS: Final = 3_600_000
"""Each failure doubles the pause up to this: thousands of files may never become readable."""
_UNREADABLE: Final = b'"code":"unreadable"'
"""This is nowhere else in a row's JSON, where quotation marks in values are escaped."""
_until: Final = attrgetter("until")


class KeptRows(msgspec.Struct):
    """What a catalog keeps. `rows` is replaced, never changed in place, so any thread may read it."""

    rows: Rows = {}
    ends: int = FOR_EVER
    """When the first row expires, or the root is to be listed again, in ms."""
    made_at: int = 0
    """When the newest row was made, in ms."""
    loaded: bool = False
    scanned: bool = False
    unsaved: set[str] = set()
    pause: int = 0
    """How long the root rests after an incomplete listing, in ms; 0 after a complete one."""
    lists_at: int = FOR_EVER
    """When it is listed again, in ms."""
    held: dict[str, str] = {}
    """The members that hold other tasks, by the IDs of those tasks."""

    def replace(self, rows: Rows) -> None:
        """Keep other rows instead."""
        self.rows = rows
        self._schedule()
        self.held = {row.id: row.within for row in rows.values() if row.within}

    def listed(self, is_incomplete: bool, now: int) -> None:
        """Schedule another listing after one that was incomplete; each failure doubles the pause."""
        if not is_incomplete:
            pause, at = 0, FOR_EVER
        elif self.pause and now < self.lists_at <= now + self.pause:
            return
        else:
            pause = min(2 * self.pause, LONGEST_PAUSE_MS) or FIRST_PAUSE_MS
            at = now + pause
        if (pause, at) != (self.pause, self.lists_at):
            self.pause, self.lists_at = pause, at
            self._schedule()

    def _schedule(self) -> None:
        self.ends = min([self.lists_at, *map(_until, self.rows.values())])

    def with_held(self, seen: Mapping[str, int]) -> Mapping[str, int]:
        """Add the tasks inside of members, which have the fingerprints of those."""
        if not self.held:
            return seen
        return {**seen, **{name: seen[member] for name, member in self.held.items() if member in seen}}

    def with_lost(self, read: ReadRows) -> ReadRows:
        """Add the tasks that are no longer inside of the members that were read."""
        lost = [name for name, member in self.held.items() if member in read and name not in read]
        return {**dict.fromkeys(lost), **read} if lost else read

    def with_former(self, read: ReadRows, now: int) -> ReadRows:
        """Show the former rows of members whose files are half written, until a save must have ended."""
        saving = [name for name, row in read.items() if row is not None and row.key == SAVING]
        if not saving:
            return read
        until = now + SAVING_MS
        former = {name: row for name in saving if (row := self.rows.get(name)) is not None}
        shown = {name: msgspec.structs.replace(row, key=SAVING, until=until) for name, row in former.items()}
        return {**read, **shown}

    def with_pauses(self, read: ReadRows, now: int) -> ReadRows:
        """Schedule rows that could not be read for another reading after a pause, even if no file changes."""
        failed = {
            name: _paused(row, self.rows.get(name), now)
            for name, row in read.items()
            if row is not None and (row.pause or _UNREADABLE in row.common)
        }
        return {**read, **failed} if failed else read

    def members(self, names: Iterable[str]) -> list[str]:
        """Return the members that are or hold the tasks with these names, each once."""
        held = self.held
        return [*dict.fromkeys(held.get(name, name) for name in names)] if held else [*names]


def _paused(row: IndexRow, before: IndexRow | None, now: int) -> IndexRow:
    """Return a row, or the former one if nothing was read, with its pause: twice the one that ended."""
    known = before if before is not None and before.key == row.key and before.pause else None
    if known is not None and now < known.until:  # read for another reason than that the pause ended
        pause, until = known.pause, min(known.until, now + known.pause)
    else:
        pause = min(2 * known.pause, LONGEST_PAUSE_MS) if known is not None else FIRST_PAUSE_MS
        until = now + pause
    is_former = row.pause == NOT_READ and before is not None and before.body
    shown = _with_reason(before, row) if before is not None and is_former else row
    return msgspec.structs.replace(
        shown, key=row.key, entry=row.entry, pause=pause, until=min(row.until, until)
    )


def _with_reason(former: IndexRow, row: IndexRow) -> IndexRow:
    """Return a former row with the reason why a member was not read, which later processes show too."""
    why = [each for each in info_of(row, "structural", 0).problems if _is_reason(each)] if row.body else []
    info = info_of(former, "structural", 0)
    if not why or why == [each for each in info.problems if _is_reason(each)]:
        return former
    info.problems = [*(each for each in info.problems if not _is_reason(each)), *why]
    return with_info(former, info)


def _is_reason(found: Problem) -> bool:
    return found.code == "unreadable"
