"""Select rows of the catalogs: filter, query, sort and page."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from sidecar.api.stored.tasks import Rules, Sort, TaskInfo, TaskStatus
from sidecar.history.catalog.root_catalog import RootCatalog
from sidecar.history.listing.pages import (
    CursorPosition,
    ListPage,
    check_limit,
    cursor_at,
    ordered,
    position_of,
    start_after,
    start_in_default_order,
)
from sidecar.history.listing.rows import Listing, Listings, count, infos
from sidecar.history.listing.selection import FindTouching, ListQuery, Selection
from sidecar.history.root_names import RootNames
from sidecar.history.stores.index_row import IndexRow

if TYPE_CHECKING:
    from sidecar.history.prices import Estimates


class _Selected(msgspec.Struct, frozen=True):
    """Rows of a listing in the requested order; `infos` are the decoded rows if sorting needed them."""

    listing: Listing
    rows: Sequence[IndexRow]
    counts: dict[str, int]
    infos: Sequence[TaskInfo] | None = None

    @property
    def is_all(self) -> bool:
        """Return whether these are all rows of the listing."""
        return self.rows is self.listing.rows

    def start_after(self, position: CursorPosition, rules: Rules, order: Sort | None) -> int:
        """Return where the page after `position` starts."""
        if self.infos is not None:
            return start_after(self.infos, position, order)
        return start_in_default_order(self.rows, position, rules)


class RowSelector:
    """Select rows of the catalogs, which are keyed by root path. Any thread may call.

    `names` tells which root a path means, `now` returns the time in ms, `touching` finds tasks by file. With
    `followed`, changes are followed, so a list does not scan.
    """

    def __init__(
        self,
        catalogs: Mapping[str, RootCatalog],
        names: RootNames,
        now: Callable[[], int],
        touching: FindTouching,
    ) -> None:
        self.followed = False
        self.ends: Callable[[], Mapping[str, TaskStatus]] = dict
        """How tasks of the first root ended if a full disk kept their files from recording it."""
        self._catalogs = catalogs
        self._names = names
        self._now = now
        self._touching = touching
        self._listings = Listings()

    @property
    def estimates(self) -> "Estimates":
        """Return what estimates costs."""
        return self._listings.estimates

    def page(self, wanted: ListQuery, revision: int) -> ListPage:
        """Select one page. Raises InvalidParams for a bad limit, cursor, query or root."""
        check_limit(wanted.limit)
        paths = self._names.selected(wanted.roots)
        rules, order = wanted.rules, _order(wanted.rules, wanted.sort)
        asked = (
            wanted.filter,
            wanted.query,
            rules,
            order and [order.by, order.order],
            paths,
            wanted.children,
            wanted.estimate,
        )
        position = position_of(wanted.cursor, asked) if wanted.cursor is not None else None
        now = self._now()
        found = self._select(wanted, order, paths, now)
        start = found.start_after(position, rules, order) if position is not None else 0
        rows = found.rows[start : start + wanted.limit]
        end = start + len(rows)
        cursor = None
        if end < len(found.rows):
            cursor = cursor_at(infos(rows[-1:], rules, now)[0], end - 1, order, asked)
        whole = found.listing if found.is_all and len(rows) == len(found.rows) else None
        total, matched = len(found.listing.rows), len(found.rows)
        return ListPage(rows, rules, now, total, matched, found.counts, cursor, revision, whole)

    def select(self, wanted: Selection, roots: Sequence[str] | None) -> list[TaskInfo]:
        """Select all rows of `roots` (default: all) that match filter and query, in the default order.

        Raises InvalidParams for a bad query or root.
        """
        now = self._now()
        return infos(self._select(wanted, None, self._names.selected(roots), now).rows, wanted.rules, now)

    def _select(self, wanted: Selection, order: Sort | None, paths: Sequence[str], now: int) -> "_Selected":
        wanted.check()
        listing = self._listing(wanted, paths, now)
        rows: Sequence[IndexRow] = listing.filtered(wanted.filter, now) if wanted.filter else listing.rows
        if wanted.query:
            rows = self._queried(rows, wanted, now)
        counts = listing.counts(now) if rows is listing.rows else count(rows, now)
        if order is None or order == Sort():
            return _Selected(listing, rows, counts)
        decoded = dict(zip(map(id, values := infos(rows, wanted.rules, now)), rows, strict=True))
        values = ordered(values, order)
        return _Selected(listing, [decoded[id(task)] for task in values], counts, values)

    def rows(self, path: str, now: int) -> Mapping[str, IndexRow]:
        """Return the current rows of one root under the structural rules; `now` is in ms."""
        return self._rows(path, "structural", now, 0)

    def _queried(self, rows: Sequence[IndexRow], wanted: Selection, now: int) -> Sequence[IndexRow]:
        tasks = infos(rows, wanted.rules, now)
        keeps = wanted.queried(tasks, now, self._touching)
        return [row for row, task in zip(rows, tasks, strict=True) if keeps(task)]

    def _listing(self, wanted: Selection, paths: Sequence[str], now: int) -> Listing:
        found = {path: self._rows(path, wanted.rules, now, len(paths)) for path in paths}
        own, ends = next(iter(self._catalogs), None), self.ends()
        if ends and own is not None and own in found:
            found[own] = {name: _ended(row, ends.get(name)) for name, row in found[own].items()}
        estimate = wanted.estimate and wanted.rules == "structural"
        return self._listings.of(wanted.rules, found, wanted.with_children(), estimate)

    def _rows(self, path: str, rules: Rules, now: int, roots: int) -> Mapping[str, IndexRow]:
        catalog = self._catalogs[path]
        if self.followed and (rows := catalog.followed_rows(rules, now)) is not None:
            return rows

        def prepare(rows: Mapping[str, IndexRow]) -> None:
            if roots == 1:  # with several roots, the listing has the rows of all
                self._listings.of(rules, {path: rows}).counts(now)

        return catalog.scan(rules, now, quiet=True, prepare=prepare)


def _ended(row: IndexRow, status: TaskStatus | None) -> IndexRow:
    return row if status is None else msgspec.structs.replace(row, settled=status, ages_from=None)


def _order(rules: Rules, sort: Sort | None) -> Sort | None:
    """Return the requested order; None means the guide's order."""
    return sort if sort is not None or rules == "guide" else Sort()
