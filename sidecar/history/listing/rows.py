"""Keep all rows of some roots in their default order until one changes; pages are cut from them."""

import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING

import msgspec

from sidecar.api.stored.tasks import Rules, TaskInfo, TaskStatus
from sidecar.history.stores.children import with_subtrees
from sidecar.history.stores.index_row import STATUSES, IndexRow, haystack, info_of, needle, wire_prefixes
from sidecar.history.stores.run_sessions import sessions_of_runs
from sidecar.history.stores.status_by_age import ABANDONED_MS, ACTIVE_MS, next_change

if TYPE_CHECKING:
    from sidecar.history.prices import Estimates

LISTINGS_KEPT = 4
"""One for each rule set, and two for clients that list single roots."""
_LAST = float("-inf")
_NAMED = attrgetter("id", "root")
_CREATED = attrgetter("created_at")


class Listing:
    """Rows sorted newest first, undated last, then by ID and root; under `guide` in the guide's order."""

    def __init__(self, rows: Iterable[IndexRow], rules: Rules) -> None:
        listed = [row for row in rows if row.body]
        self.rules = rules
        self.rows = _guide_order(listed) if rules == "guide" else _newest_first(listed)
        self._haystacks: list[str] = []
        self._summary = _TimedSummary(since=1, until=0)

    def filtered(self, filter: str, now: int) -> list[IndexRow]:
        """Return the rows that match the filter, in order."""
        part = needle(filter)
        if part is None:
            return self._filtered_slowly(filter, now)
        words = {word for word in STATUSES if filter.lower() in word}
        if words:
            return [row for row in self.rows if part in haystack(row, self.rules) or row.status(now) in words]
        if not self._haystacks:
            self._haystacks = [row.haystack or haystack(row, self.rules) for row in self.rows]
        # Search all texts: skipping a row costs more than searching it.
        return [self.rows[place] for place, text in enumerate(self._haystacks) if part in text]

    def counts(self, now: int) -> dict[str, int]:
        """Count all rows by status."""
        return dict(self._summary_at(now).counts)

    def rendered(self, now: int) -> Sequence[bytes]:
        """Return the pieces of a JSON array of all rows."""
        summary = self._summary_at(now)
        if not summary.pieces:
            summary.pieces = render(self.rows, now)
        return summary.pieces

    def _summary_at(self, now: int) -> "_TimedSummary":
        known = self._summary
        if known.since <= now < known.until:
            return known
        old = now - ABANDONED_MS
        ages = [row.ages_from for row in self.rows if row.ages_from is not None and row.ages_from >= old]
        ends = [next_change(int(age), now) for age in ages]
        until = min(ends, default=next_change(None, now))
        self._summary = made = _TimedSummary(now, until, count(self.rows, now))
        return made

    def _filtered_slowly(self, filter: str, now: int) -> list[IndexRow]:
        from sidecar.history.listing.text import matches_filter

        return [row for row in self.rows if matches_filter(info_of(row, self.rules, now), filter, self.rules)]


class _TimedSummary(msgspec.Struct):
    """Data valid from `since` until `until`, in ms; no status changes with age in between.

    `pieces` are made when all rows are first listed.
    """

    since: int
    until: int
    counts: dict[str, int] = {}
    pieces: list[bytes] = []


class Listings:
    """The listings used last. Any thread may call."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, ...], tuple[list[Mapping[str, IndexRow]], _Pair]] = OrderedDict()
        self._lock = threading.Lock()

    @cached_property
    def estimates(self) -> "Estimates":
        """Return what estimates costs, imported when needed."""
        from sidecar.history.prices import Estimates

        return Estimates()

    def of(
        self,
        rules: Rules,
        roots: Mapping[str, Mapping[str, IndexRow]],
        children: bool = False,
        estimate: bool = False,
    ) -> Listing:
        """Return the listing of some roots, made again when the rows of one were replaced.

        Child sessions are left out unless `children`; `estimate` adds estimates of costs.
        """
        key, rows = (rules, str(estimate), *roots), list(roots.values())
        with self._lock:
            known = self._kept.get(key)
            if known is None or any(one is not other for one, other in zip(known[0], rows, strict=True)):
                shown = [row for group in rows for row in group.values()]
                known = rows, _Pair([*map(self.estimates.row, shown)] if estimate else shown, rules)
                self._kept[key] = known
            self._kept.move_to_end(key)
            while len(self._kept) > LISTINGS_KEPT:
                self._kept.popitem(last=False)
            return known[1].everything if children else known[1].default


class _Pair:
    """The listings of some rows in general and with child sessions; one and the same if there are none.

    In general, a run stands for the session in its agent's own store.
    """

    def __init__(self, rows: Sequence[IndexRow], rules: Rules) -> None:
        sessions = sessions_of_runs(rows)
        if not sessions and not any(row.child_of is not None for row in rows):
            self.default = self.everything = Listing(rows, rules)
            return
        rows = with_subtrees(rows)
        shown = [row for row in rows if row.child_of is None and row.id not in sessions]
        self.default = Listing(shown, rules)
        self.everything = Listing(rows, rules)


def count(rows: Iterable[IndexRow], now: int) -> dict[str, int]:
    """Count rows by status, in the order in which the statuses first occur."""
    return dict(Counter(_statuses(rows, now)))


def render(rows: Sequence[IndexRow], now: int) -> list[bytes]:
    """Return the pieces of a JSON array of rows; the last piece closes it."""
    if not rows:
        return [b"[", b"]"]
    prefixes = {root: wire_prefixes(root) for root in {row.root for row in rows}}
    pieces = [b""] * (3 * len(rows))
    pieces[0::3] = [prefixes[row.root][word] for row, word in zip(rows, _statuses(rows, now), strict=True)]
    pieces[1::3] = [row.body for row in rows]
    pieces[2::3] = [row.common for row in rows]
    pieces[0] = b"[" + pieces[0].removeprefix(b",")
    pieces.append(b"]")
    return pieces


def _statuses(rows: Iterable[IndexRow], now: int) -> list[TaskStatus]:
    """Return the status of each row, ten times as fast as `IndexRow.status`."""
    young, old = now - ACTIVE_MS, now - ABANDONED_MS
    return [
        row.settled
        if (since := row.ages_from) is None
        else "active"
        if since > young
        else "abandoned"
        if since < old
        else "unknown"
        for row in rows
    ]


def infos(rows: Iterable[IndexRow], rules: Rules, now: int) -> list[TaskInfo]:
    """Decode rows."""
    return [info_of(row, rules, now) for row in rows]


def default_place(row: IndexRow) -> tuple[float, str, str]:
    """Return the sort key of the default order under the structural rules."""
    created = row.created_at if row.created_at is not None else _LAST
    return -created, row.id, row.root


def _newest_first(rows: list[IndexRow]) -> list[IndexRow]:
    undated = [row for row in rows if row.created_at is None]
    dated = [row for row in rows if row.created_at is not None] if undated else rows
    dated.sort(key=_CREATED, reverse=True)
    times = [row.created_at for row in dated]
    ties = {time for time, after in pairwise(times) if time == after}
    places = [place for place, time in enumerate(times) if time in ties] if ties else []
    tied = sorted((dated[place] for place in places), key=_NAMED)
    tied.sort(key=_CREATED, reverse=True)
    for place, row in zip(places, tied, strict=True):
        dated[place] = row
    return dated + sorted(undated, key=_NAMED)


def _guide_order(rows: list[IndexRow]) -> list[IndexRow]:
    from sidecar.history.stores.task_folders.guide.extract import sort

    return sort(rows)
