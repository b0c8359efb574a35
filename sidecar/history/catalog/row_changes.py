"""Which tasks changed since a client was last notified."""

from collections.abc import Iterable
from typing import Literal

from sidecar.history.catalog.index import Rows
from sidecar.history.stores.children import ancestors
from sidecar.history.stores.index_row import IndexRow

Change = Literal["added", "changed", "removed"]


class RowChanges:
    """Note how rows change; several changes of one task become one. Not thread-safe."""

    def __init__(self) -> None:
        self._changes: dict[str, Change] = {}

    def __bool__(self) -> bool:
        """Return whether there are changes."""
        return bool(self._changes)

    def note(self, name: str, before: IndexRow | None, after: IndexRow | None) -> bool:
        """Note that a task's row is replaced; None means that there is no row. Return whether it differs."""
        shown, shown_now = _shown(before), _shown(after)
        if shown == shown_now:
            return False
        was, now_is = shown is not None, shown_now is not None
        change: Change = "changed" if was and now_is else "added" if now_is else "removed"
        known = self._changes.get(name)
        if known == "added" and change == "changed":
            change = "added"
        elif known == "removed" and change == "added":
            change = "changed"
        if known == "added" and change == "removed":
            del self._changes[name]
        else:
            self._changes[name] = change
        return True

    def note_first(self, rows: Rows) -> None:
        """Note the rows of the first scan, all of which are new."""
        self._changes = {name: "added" for name, row in rows.items() if row.body}

    def note_ancestors(self, differing: Iterable[IndexRow | None], rows: Rows) -> None:
        """Note the sessions that child sessions belong or belonged to, since they show what those used."""
        noted: set[str] = set()
        for row in differing:
            if row is not None and row.child_of:
                for name in ancestors(row, rows):
                    if name in noted:  # and so are its own ancestors
                        break
                    noted.add(name)
                    if rows[name].body:
                        self._changes.setdefault(name, "changed")

    def forget(self, names: Iterable[str]) -> None:
        """Forget the changes of some tasks."""
        for name in names:
            self._changes.pop(name, None)

    def collect(self) -> dict[str, Change]:
        """Return and forget all changes, by task ID."""
        changes, self._changes = self._changes, {}
        return changes


def _shown(row: IndexRow | None) -> tuple[object, ...] | None:
    """Return what a row shows of its task; None if no task is listed."""
    return (row.body, row.common, row.settled, row.ages_from) if row is not None and row.body else None
