"""From what the catalogs keep to the rows asked for: filtered, queried, ordered, cut into pages."""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from sidecar.api.tasks import Rules, Sort, TaskStatus
from sidecar.history.catalog.index_row import IndexRow
from sidecar.history.catalog.root_catalog import RootCatalog
from sidecar.history.listing.pages import Page, Selected, cursor_at, read_mark
from sidecar.history.listing.paging import check_limit, ordered
from sidecar.history.listing.rows import Listing, Listings, count, infos
from sidecar.history.listing.selection import FindTouching, Selection
from sidecar.history.stored.roots import known_path


class RowSelector:
    """Selects rows of the catalogs, which are known by their roots' paths. Any thread may ask.

    `now` gives the time in ms, `touching` what a query for a file needs. With `followed` the catalogs are
    kept up to date by somebody else and not looked through for every list.
    """

    def __init__(
        self, catalogs: Mapping[str, RootCatalog], now: Callable[[], int], touching: FindTouching
    ) -> None:
        self.followed = False
        self.ends: Callable[[], Mapping[str, TaskStatus]] = dict
        """How tasks of the first root ended whose files do not tell it, since the disk is full."""
        self._catalogs = catalogs
        self._now = now
        self._touching = touching
        self._listings = Listings()

    def page(
        self,
        wanted: Selection,
        sort: Sort | None,
        limit: int,
        cursor: str | None,
        roots: Sequence[str] | None,
    ) -> Page:
        """Select one page of the rows of `roots` (default: all).

        Raises InvalidParams for a bad limit, cursor, query or root.
        """
        check_limit(limit)
        paths = self._paths(roots)
        order = _order(wanted.rules, sort)
        asked = (wanted.filter, wanted.query, wanted.rules, order and [order.by, order.order], paths)
        mark = read_mark(cursor, asked) if cursor is not None else None
        found = self._select(wanted, order, paths)
        start = found.start_after(mark, wanted.rules, order) if mark is not None else 0
        rows = found.rows[start : start + limit]
        end = start + len(rows)
        last = None
        if end < len(found.rows):
            last = cursor_at(infos(rows[-1:], wanted.rules, self._now())[0], end - 1, order, asked)
        whole = found.listing if found.is_all and len(rows) == len(found.rows) else None
        return Page(rows, found.total, len(found.rows), found.counts, last, whole)

    def select(self, wanted: Selection, order: Sort | None, roots: Sequence[str] | None) -> Selected:
        """Select all rows of `roots` (default: all) that filter and query keep, in order.

        Without `order` it is that of the listing. Raises InvalidParams for a bad query or root.
        """
        return self._select(wanted, order, self._paths(roots))

    def _select(self, wanted: Selection, order: Sort | None, paths: Sequence[str]) -> Selected:
        wanted.check()
        now = self._now()
        listing = self._listing(wanted.rules, paths, now)
        rows: Sequence[IndexRow] = listing.filtered(wanted.filter, now) if wanted.filter else listing.rows
        if wanted.query:
            rows = self._queried(rows, wanted, now)
        counts = listing.counts(now) if rows is listing.rows else count(rows, now)
        if order is None or order == Sort():
            return Selected(listing, rows, counts)
        decoded = dict(zip(map(id, values := infos(rows, wanted.rules, now)), rows, strict=True))
        values = ordered(values, order)
        return Selected(listing, [decoded[id(task)] for task in values], counts, values)

    def _queried(self, rows: Sequence[IndexRow], wanted: Selection, now: int) -> Sequence[IndexRow]:
        tasks = infos(rows, wanted.rules, now)
        keeps = wanted.queried(tasks, now, self._touching)
        return [row for row, task in zip(rows, tasks, strict=True) if keeps(task)]

    def _listing(self, rules: Rules, paths: Sequence[str], now: int) -> Listing:
        found = {path: self._rows(path, rules, now, len(paths)) for path in paths}
        own, ends = next(iter(self._catalogs), None), self.ends()
        if ends and own is not None and own in found:
            found[own] = {name: _ended(row, ends.get(name)) for name, row in found[own].items()}
        return self._listings.of(rules, found)

    def _rows(self, path: str, rules: Rules, now: int, roots: int) -> Mapping[str, IndexRow]:
        catalog = self._catalogs[path]
        if self.followed and (rows := catalog.followed_rows(rules, now)) is not None:
            return rows

        def prepare(rows: Mapping[str, IndexRow]) -> None:
            if roots == 1:  # of several the listing is made of all
                self._listings.of(rules, {path: rows}).counts(now)

        return catalog.scan(rules, now, quiet=True, prepare=prepare)

    def _paths(self, roots: Sequence[str] | None) -> Sequence[str]:
        if roots is None:
            return [*self._catalogs]
        return [known_path(root, self._catalogs, "roots") for root in roots]


def _ended(row: IndexRow, status: TaskStatus | None) -> IndexRow:
    return row if status is None else msgspec.structs.replace(row, settled=status, ages_from=None)


def _order(rules: Rules, sort: Sort | None) -> Sort | None:
    """The order asked for; None stands for the guide's own."""
    return sort if sort is not None or rules == "guide" else Sort()
