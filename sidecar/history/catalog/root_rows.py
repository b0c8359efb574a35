"""The rows of one root under each rule set, and which of them changed."""

from collections.abc import Callable
from typing import Final

from sidecar.api.stored.tasks import Rules
from sidecar.history.catalog.index import RowIndex, Rows
from sidecar.history.catalog.kept_rows import KeptRows
from sidecar.history.catalog.row_changes import RowChanges
from sidecar.history.stores.contract import Store
from sidecar.history.stores.index_row import NOT_READ, IndexRow, ReadRows
from sidecar.history.stores.status_by_age import DAY_MS


def format_of(store: Store) -> str:
    """Name the format of the rows that a store makes."""
    return f"{type(store).__module__}.{type(store).__qualname__}"


class RootRows:
    """Keep rows and note their changes. Not thread-safe, except for the rows of a rule set that is loaded.

    `index` keeps the rows between processes.
    """

    def __init__(self, store: Store, index: RowIndex | None) -> None:
        self.changes: Final = RowChanges()
        self._index = index
        self._kept: dict[Rules, KeptRows] = {"structural": KeptRows(), "guide": KeptRows()}
        self.use(store)

    def __getitem__(self, rules: Rules) -> KeptRows:
        """Return what is kept under a rule set."""
        return self._kept[rules]

    @property
    def is_empty(self) -> bool:
        """Whether no rule set has any rows."""
        return not any(kept.rows for kept in self._kept.values())

    @property
    def is_indexed(self) -> bool:
        """Whether an earlier process has kept rows."""
        return self._index is not None and self._index.exists()

    @property
    def in_use(self) -> list[Rules]:
        """The rule sets whose rows someone asked for, and the structural one."""
        return ["structural", "guide"] if self._kept["guide"].loaded else ["structural"]

    def use(self, store: Store) -> None:
        """Take the rows of another store of the same root from now on."""
        self._store = store
        if self._index is not None:
            self._index.format = format_of(store)

    def load(self, rules: Rules, prepare: Callable[[Rows], None] = lambda _: None) -> None:
        """Load the rows of the index, once. `prepare` receives them."""
        kept = self._kept[rules]
        if not kept.loaded and self._index is not None:
            rows, kept.made_at = self._index.load(rules)
            self._replace(kept, rows)
            prepare(rows)
        kept.loaded = True

    def save(self) -> None:
        """Save the index; errors are logged, not raised."""
        if self._index is None:
            return
        for rules, kept in self._kept.items():
            self._index.save(rules, kept.rows, kept.unsaved, kept.made_at)
            kept.unsaved = set()

    def is_from_later(self, rules: Rules, now: int) -> bool:
        """Return whether rows were made more than a day after `now`, in ms."""
        return now < self._kept[rules].made_at - DAY_MS

    def check_clock(self, rules: Rules, now: int) -> None:
        """Discard the rows if the clock went back."""
        kept = self._kept[rules]
        if self.is_from_later(rules, now):
            held = kept.held
            kept.unsaved |= kept.rows.keys()
            kept.replace({})
            kept.made_at, kept.held = now, held  # the scan has found the tasks inside of members already

    def take(self, rules: Rules, read: ReadRows, now: int) -> None:
        """Replace kept rows by those just read, or remove them where a task is missing."""
        kept = self._kept[rules]
        for name in self._store.unsure(kept.rows) if read else ():
            if (row := read.get(name)) is not None:
                row.pause = NOT_READ  # only an older copy of it was
        read = kept.with_pauses(kept.with_former(kept.with_lost(read), now), now)
        if not read:
            return
        first = not kept.rows and not self.changes  # then all rows can be taken at once
        if first:
            rows = {name: row for name, row in read.items() if row is not None}
        else:
            rows = dict(kept.rows)
            for name, row in read.items():
                rows.pop(name, None)
                if row is not None:
                    rows[name] = row
        if rules == "structural":
            read = self._relate(rows, read, now)
        if first:
            kept.unsaved |= rows.keys()
            self.changes.note_first(rows)
            self._replace(kept, rows)
            return
        differing: list[IndexRow | None] = []
        for name, row in read.items():
            before = kept.rows.get(name)
            if row is not before:
                kept.unsaved.add(name)
            if self.changes.note(name, before, row):
                differing += (before, row)
        self._replace(kept, rows)
        self.changes.note_ancestors(differing, self._kept["structural"].rows)

    def _relate(self, rows: Rows, read: ReadRows, now: int) -> ReadRows:
        """Replace the rows that differ because other members were read; return all rows that may differ."""
        kept = self._kept["structural"]
        related = kept.with_pauses(self._store.related(rows, kept.rows, read.keys(), now), now)
        for name, row in related.items():
            rows.pop(name, None)
            if row is not None:
                row.root = self._store.root.path
                rows[name] = row
        return {**read, **related} if related else read

    def _replace(self, kept: KeptRows, rows: Rows) -> None:
        kept.replace(rows)
        for name, member in kept.held.items():
            self._store.holds(name, member)
