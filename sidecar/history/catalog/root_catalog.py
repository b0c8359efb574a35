"""Keep the rows of one root, and read a task again only when its fingerprint changes."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from functools import partial

from sidecar.api.stored.tasks import Rules
from sidecar.history.catalog.comparison import changed_names, is_unchanged
from sidecar.history.catalog.index import RowIndex, Rows
from sidecar.history.catalog.root_rows import RootRows
from sidecar.history.catalog.row_changes import Change
from sidecar.history.stores.contract import Evidence, Keys, OpenedTask, Root, Store
from sidecar.history.stores.index_row import SAVING, UNSETTLED, IndexRow, ReadRows, info_of, share
from sidecar.history.stores.parallel import Parallel, sequential
from sidecar.history.stores.registry import evidence_of, open_store, with_added_format
from sidecar.history.stores.status_by_age import change_after

CHEAP_SCAN_SECONDS = 0.02
"""Shorter scans run for every list, so that the answer is always current."""
_SCAN_SECONDS_EACH = 10e-6


_NamedRow = tuple[str, IndexRow | None]
ReadMany = Callable[[Store, Keys, Rules, int], ReadRows]
"""Read tasks under a rule set; the last argument is the time in ms."""


def read_sequentially(store: Store, names: Keys, rules: Rules, now: int) -> ReadRows:
    """Read tasks one by one in this thread."""
    return _of_root(store, store.rows(names, rules, now))


def read_in_parallel(parallel: Parallel, store: Store, names: Keys, rules: Rules, now: int) -> ReadRows:
    """Read tasks with the help of `parallel`."""

    def work(part: Keys) -> list[_NamedRow]:
        return list(store.rows(part, rules, now).items())

    return _of_root(store, dict(parallel(work, names, list[_NamedRow])))


def _of_root(store: Store, rows: ReadRows) -> ReadRows:
    """Return rows with the path of their root and shared common values."""
    for row in rows.values():
        if row is not None:
            row.root, row.common = store.root.path, share(row.common)
    return rows


class RootCatalog:
    """Read and keep the rows of one root. Any thread may call; scans run one at a time.

    `index` keeps the rows between processes. `parallel` scans and reads many tasks; `read`, if
    given, reads them instead.
    """

    def __init__(
        self,
        root: Root,
        index: RowIndex | None = None,
        read: ReadMany | None = None,
        parallel: Parallel = sequential,
    ) -> None:
        self.root = root
        self.scan_seconds: float | None = None
        """How long the last scan took, in seconds; None before the first."""
        self.store = open_store(root)
        self._read = read or partial(read_in_parallel, parallel)
        self._parallel = parallel
        self._rows = RootRows(self.store, index)
        self._lock = threading.RLock()

    @property
    def size(self) -> int:
        """Return the number of tasks kept."""
        return sum(row.body != b"" for row in self._rows["structural"].rows.values())

    @property
    def is_indexed(self) -> bool:
        """Whether an earlier process has kept rows."""
        return self._rows.is_indexed

    def names(self, start: str, now: int) -> Keys:
        """List the IDs of tasks that start with `start`; empty without a store."""
        return [
            name
            for name in (*self.store.members(), *self._held(now))
            if name.startswith(start)
            and self.store.is_member(name, "structural")
            and (self.store.is_surely_task(name) or self.open(name, now) is not None)
        ]

    def members(self) -> Keys:
        """List the IDs of all existing members, including those that are not tasks."""
        rows, store = self.rows("structural"), self.store
        # The IDs of the rows instead of equal strings, which would take 85 bytes for each task.
        members = [
            row.id if (row := rows.get(name)) is not None else name
            for name in store.each_member()
            if name in rows or store.is_member(name, "structural")
        ]
        held = self._rows["structural"].held
        if not held:
            return members
        there = set(members)
        return members + [name for name, member in held.items() if member in there]

    def rows(self, rules: Rules) -> Rows:
        """Return the rows of the last scan by this process or, from the index, an earlier one."""
        kept = self._rows[rules]
        if not kept.loaded:
            with self._lock:
                self._rows.load(rules)
        return kept.rows

    def followed_rows(self, rules: Rules, now: int) -> Rows | None:
        """Return the rows if they are kept up to date; None if a scan is cheap or there are no rows."""
        rows, kept = self.rows(rules), self._rows[rules]
        seconds = self.scan_seconds if kept.scanned else len(rows) * _SCAN_SECONDS_EACH
        if not rows or seconds is None or seconds < CHEAP_SCAN_SECONDS or now >= kept.ends:
            return None
        return rows

    def scan(
        self, rules: Rules, now: int, quiet: bool = False, prepare: Callable[[Rows], None] = lambda _: None
    ) -> Rows:
        """Check every task under `rules`, read what changed, and return all rows.

        With `quiet` the first scan records no changes. `prepare` receives the rows of the index during the
        scan; they are usually those returned.
        """
        with self._lock:
            kept = self._rows[rules]
            started = time.perf_counter()
            if kept.scanned:
                self.recognize()
            seen = self._seen(rules, prepare)
            self.scan_seconds = time.perf_counter() - started
            self._rows.check_clock(rules, now)
            first = not kept.rows and not kept.scanned
            if now >= kept.ends or not is_unchanged(seen, kept.rows, self.store.shared()):
                self._catch_up(rules, now, seen)
            kept.listed(self.store.is_incomplete(), now)
            if first and quiet:
                self._rows.changes.collect()
            kept.scanned = True
            kept.made_at = max(kept.made_at, now)
            return kept.rows

    def settled_until(self, now: int) -> int:
        """Return the time in ms until which the structural rows stay as they are unless files change."""
        kept = self._rows["structural"]
        if any(row.key in (UNSETTLED, SAVING) for row in kept.rows.values()):
            return now
        if self.store.is_incomplete() or any(
            each.problem.code == "unreadable" for each in self.store.unlisted()
        ):
            return now  # the next look may find more
        ages = {row.ages_from for row in kept.rows.values() if row.ages_from is not None}
        return min([kept.ends, *(change_after(age, now) for age in ages)])

    def evidence(self) -> list[Evidence] | None:
        """Return all places that determine the store and its rows; None if unknown."""
        return evidence_of(self.store)

    def recognize(self) -> None:
        """Open the root again if it was empty, or if a product has added another format."""
        with self._lock:
            found = open_store(self.root) if self._rows.is_empty else with_added_format(self.store)
            if type(found) is not type(self.store):
                self.store = found
                self._rows.use(found)

    def reconcile(self, now: int) -> None:
        """Scan under each rule set in use."""
        for rules in self._rows.in_use:
            self.scan(rules, now)

    def changed(self, names: Keys, now: int) -> Keys:
        """Return the tasks that changed or whose row has expired; `now` is in ms."""
        with self._lock:
            started = time.perf_counter()
            names = self._rows["structural"].members(names)
            seen, entries = self.store.fingerprints(names), self.store.shared()
            found: set[str] = set()
            for rules in self._rows.in_use:
                rows, kept = self.rows(rules), self._rows[rules]
                listed = seen if rules == "structural" else self._listable(seen, rules)
                found.update(changed_names(listed, rows, entries, now))
                if now >= kept.ends:
                    found.update(name for name, row in rows.items() if now >= row.until)
            if names:  # the number of rows, because `size` counts one by one
                each = (time.perf_counter() - started) / len(names)
                self.scan_seconds = each * len(self.rows("structural"))
            return [*found]

    def clock_went_back(self, now: int) -> bool:
        """Return whether rows were made more than a day after `now`; times in IDs may be implausible then."""
        return any(self._rows.is_from_later(rules, now) for rules in self._rows.in_use)

    def touch(self, names: Iterable[str], now: int, quiet: bool = False) -> None:
        """Check tasks under each rule set in use, and remove those that no longer exist.

        With `quiet` no changes are recorded: the caller announces them.
        """
        with self._lock:
            members = self._rows["structural"].members(names)
            tasks = [name for name in members if self.store.is_member(name, "structural")]
            entries = self.store.shared()
            there = self.store.existing(tasks)
            missing = set(tasks) - set(there)
            for rules in self._rows.in_use:
                gone = dict.fromkeys(self._surely_gone(rules, missing))
                seen = self.store.fingerprints([name for name in there if self.store.is_member(name, rules)])
                changed = changed_names(seen, self.rows(rules), entries, now)
                read = self._read(self.store, changed, rules, now) if changed else {}
                self._rows.take(rules, {**gone, **read}, now)
                self._rows[rules].made_at = max(self._rows[rules].made_at, now)
            if quiet:
                self._rows.changes.forget(tasks)

    def touch_listed(self, now: int) -> None:
        """Read again the tasks whose entries in shared lists changed, and those that a list adds."""
        with self._lock:
            entries = self.store.shared()
            rows = self.rows("structural")
            changed = {name for name, row in rows.items() if row.entry != entries.get(name, b"")}
            self.touch(changed | (entries.keys() - rows.keys()), now)

    def collect(self) -> dict[str, Change]:
        """Return and forget the changes since the last call, by task ID."""
        with self._lock:
            return self._rows.changes.collect()

    def save(self) -> None:
        """Save the index; errors are logged, not raised."""
        with self._lock:
            self._rows.save()

    def knows(self, name: str) -> bool:
        """Return whether the last scan found a task with this ID that still exists."""
        with self._lock:
            row = self.rows("structural").get(name)
            return row is not None and row.body != b"" and bool(self.store.existing([row.within or name]))

    def open(self, name: str, now: int, followed: bool = False) -> OpenedTask | None:
        """Read one task from disk; None if it no longer exists.

        If changes are `followed`, only this task is checked, otherwise all those it may depend on.
        """
        with self._lock:
            if not self.store.relates:
                return self.store.open(name, now)
            rows = self.followed_rows("structural", now) if followed else None
            if rows is not None and name in rows:
                self.touch([name], now)
                row = self.rows("structural").get(name)
            else:
                row = self.scan("structural", now, quiet=True).get(name)
            opened = self.store.open(name, now)
        if opened is None or row is None or not row.body:
            return opened
        return opened._replace(info=info_of(row, "structural", now))

    def _held(self, now: int) -> Iterable[str]:
        """Return the IDs of the tasks inside of members, which only a scan finds."""
        if not self.store.relates:
            return ()
        return [row.id for row in self.scan("structural", now, quiet=True).values() if row.within]

    def _seen(self, rules: Rules, prepare: Callable[[Rows], None]) -> Mapping[str, int]:
        """Take the fingerprints of all members, and load the rows meanwhile if necessary.

        Without rows to compare, before the first scan, no fingerprints are taken.
        """
        kept = self._rows[rules]
        load = partial(self._rows.load, rules, prepare)
        keys = self.store.members()
        if kept.rows or (not kept.loaded and self._rows.is_indexed):
            seen = self.store.fingerprints(keys, self._parallel, load)
            return kept.with_held(seen)
        load()
        return dict.fromkeys(keys, 0)

    def _catch_up(self, rules: Rules, now: int, seen: Mapping[str, int]) -> None:
        """Read changed tasks and remove those that no longer exist."""
        kept = self._rows[rules]
        rows = kept.rows
        tasks = {name: key for name, key in seen.items() if name in rows or self.store.is_member(name, rules)}
        changed = kept.members(changed_names(tasks, rows, self.store.shared(), now))
        read = self._read(self.store, changed, rules, now) if changed else {}
        gone = self._surely_gone(rules, rows.keys() - tasks.keys())
        self._rows.take(rules, {**dict.fromkeys(gone), **read}, now)

    def _surely_gone(self, rules: Rules, missing: AbstractSet[str]) -> AbstractSet[str]:
        """Leave out the tasks that may exist, though their store cannot list them now."""
        if not missing:
            return missing
        return missing - {*self.store.unsure(self._rows[rules].rows)} - {*self.store.hidden(missing)}

    def _listable(self, seen: Mapping[str, int], rules: Rules) -> Mapping[str, int]:
        return {name: key for name, key in seen.items() if self.store.is_member(name, rules)}
