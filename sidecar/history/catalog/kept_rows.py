"""The rows of one root under one rule set."""

from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import Final

import msgspec

from sidecar.history.catalog.index import Rows
from sidecar.history.stores.index_row import SAVING, ReadRows
from sidecar.history.stores.sessions.saving import RECENT_SECONDS
from sidecar.history.stores.status_by_age import FOR_EVER

SAVING_MS: Final = int(RECENT_SECONDS * 1_000)
_until: Final = attrgetter("until")


class KeptRows(msgspec.Struct):
    """What a catalog keeps. `rows` is replaced, never changed in place, so any thread may read it."""

    rows: Rows = {}
    ends: int = FOR_EVER
    """When the first row expires, in ms."""
    made_at: int = 0
    """When the newest row was made, in ms."""
    loaded: bool = False
    scanned: bool = False
    unsaved: set[str] = set()
    held: dict[str, str] = {}
    """The members that hold other tasks, by the IDs of those tasks."""

    def replace(self, rows: Rows) -> None:
        """Keep other rows instead."""
        self.rows = rows
        self.ends = min(map(_until, rows.values()), default=FOR_EVER)
        self.held = {row.id: row.within for row in rows.values() if row.within}

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

    def members(self, names: Iterable[str]) -> list[str]:
        """Return the members that are or hold the tasks with these names, each once."""
        held = self.held
        return [*dict.fromkeys(held.get(name, name) for name in names)] if held else [*names]
