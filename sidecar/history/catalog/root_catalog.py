"""The tasks of one root, kept: a task is read again only when one of its files or list entries changed."""

import os
import stat
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Literal

import msgspec

from sidecar.api.tasks import Rules
from sidecar.history.catalog.index import RowIndex, Rows
from sidecar.history.catalog.index_row import IndexRow, ReadRows
from sidecar.history.catalog.spreading import Spread, here
from sidecar.history.catalog.walking import (
    Names,
    changed_names,
    fingerprints,
    folder_names,
    is_unchanged,
    task_names,
)
from sidecar.history.stored.products import is_task_id, is_uuid
from sidecar.history.stored.reading import API_FILE, ITEM_FILE, UI_FILE
from sidecar.history.stored.roots import Root
from sidecar.history.structural.aging import DAY_MS, FOR_EVER

if TYPE_CHECKING:
    from sidecar.history.catalog.rules import Row
    from sidecar.history.catalog.task_reader import TaskReader
    from sidecar.history.stored.reading import TaskFiles

# What reads tasks is imported when there is one to be read: mostly the index knows them all.

Change = Literal["added", "changed", "removed"]
CHEAP_WALK_SECONDS = 0.02
"""A walk that is shorter than this is done for every list: then nothing can be newer than the answer."""
_WALK_SECONDS_EACH = 10e-6
_TELLING = (UI_FILE, API_FILE, ITEM_FILE)
"""Files that tell a task from an empty folder."""

_until = attrgetter("until")
_NamedRow = tuple[str, IndexRow | None]
ReadMany = Callable[["TaskReader", list[str], Rules, int], ReadRows]
"""Reads the tasks named under a rule set, at a time in ms."""


def read_here(reader: "TaskReader", names: list[str], rules: Rules, now: int) -> ReadRows:
    """Read tasks one after the other in this thread."""
    return read_spread(here, reader, names, rules, now)


def read_spread(spread: Spread, reader: "TaskReader", names: list[str], rules: Rules, now: int) -> ReadRows:
    """Read tasks as `spread` sees fit."""

    def work(part: list[str]) -> list[_NamedRow]:
        return list(reader.rows(part, rules, now).items())

    rows = dict(spread(work, names, list[_NamedRow]))
    for row in rows.values():
        if row is not None:
            row.root = reader.root.path
    return rows


class _Kept(msgspec.Struct):
    """The rows under one rule set: `rows` is replaced, never altered, so that anyone may look at it."""

    rows: Rows = {}
    ends: int = FOR_EVER
    """When the first of the rows ceases to hold, in ms."""
    made_at: int = 0
    """The latest time at which one of them was made."""
    loaded: bool = False
    scanned: bool = False
    unsaved: set[str] = set()

    def replace(self, rows: Rows) -> None:
        self.rows = rows
        self.ends = min(map(_until, rows.values()), default=FOR_EVER)


class RootCatalog:
    """Reads and remembers the rows of one root. Any thread may call; scans wait for each other.

    `index` keeps the rows between processes. `spread` does the looking at many files and the reading of
    many tasks; `read`, if given, does the latter in its stead.
    """

    def __init__(
        self,
        root: Root,
        index: RowIndex | None = None,
        read: ReadMany | None = None,
        spread: Spread = here,
    ) -> None:
        self.root = root
        self.generation = 0
        """Grows with every change of a row."""
        self.walk_seconds: float | None = None
        """How long the last look at all files took; None before the first."""
        self._index = index
        self._read = read or partial(read_spread, spread)
        self._spread = spread
        self._kept: dict[Rules, _Kept] = {"structural": _Kept(), "guide": _Kept()}
        self._changes: dict[str, Change] = {}
        self._lock = threading.RLock()

    @property
    def size(self) -> int:
        """How many tasks are kept."""
        return sum(row.body != b"" for row in self._kept["structural"].rows.values())

    def names(self, start: str, now: int) -> list[str]:
        """List the ids of the root's tasks that start so; none when there is no `tasks/`."""
        return [name for name in task_names(self.root) if name.startswith(start) and self._is_task(name, now)]

    def rows(self, rules: Rules) -> Rows:
        """The rows as they were last seen, by this process or the one that left the index."""
        kept = self._kept[rules]
        if not kept.loaded:
            with self._lock:
                self._load(rules, kept)
        return kept.rows

    def followed_rows(self, rules: Rules, now: int) -> Rows | None:
        """The rows, if somebody keeps them up to date; None when looking is cheap or nothing is known."""
        rows, kept = self.rows(rules), self._kept[rules]
        walk = self.walk_seconds if kept.scanned else len(rows) * _WALK_SECONDS_EACH
        if not rows or walk is None or walk < CHEAP_WALK_SECONDS or now >= kept.ends:
            return None
        return rows

    def scan(
        self, rules: Rules, now: int, quiet: bool = False, prepare: Callable[[Rows], None] = lambda _: None
    ) -> Rows:
        """Look at every task's files under `rules`, reading only what changed, and return all rows.

        With `quiet` the tasks found by the first look of all are no news. `prepare` is given the rows of an
        index, which mostly are those that are returned, while the files are still looked at.
        """
        with self._lock:
            kept = self._kept[rules]
            started = time.perf_counter()
            seen = self._look(rules, prepare)
            self.walk_seconds = time.perf_counter() - started
            self._heed_clock(rules, now)
            first = not kept.rows and not kept.scanned
            if now >= kept.ends or not is_unchanged(seen, kept.rows, self._entries()):
                self._catch_up(rules, now, seen)
            if first and quiet:
                self._changes.clear()
            kept.scanned = True
            kept.made_at = max(kept.made_at, now)
            return kept.rows

    def reconcile(self, now: int) -> None:
        """Look at every task's files under each rule set in use."""
        for rules in self._in_use():
            self.scan(rules, now)

    def changed(self, names: Names, now: int) -> Names:
        """Name those of the tasks whose files changed, and any whose row has expired; `now` in ms."""
        with self._lock:
            started = time.perf_counter()
            seen, entries = fingerprints(self.root, names), self._entries()
            found: set[str] = set()
            for rules in self._in_use():
                rows, kept = self.rows(rules), self._kept[rules]
                listed = seen if rules == "structural" else {n: key for n, key in seen.items() if is_uuid(n)}
                found.update(changed_names(listed, rows, entries, now))
                if now >= kept.ends:
                    found.update(name for name, row in rows.items() if now >= row.until)
            if names:  # by the number of rows, not by `size`, which goes over all of them
                each = (time.perf_counter() - started) / len(names)
                self.walk_seconds = each * len(self.rows("structural"))
            return [*found]

    def clock_went_back(self, now: int) -> bool:
        """Tell whether rows were made more than a day after `now`: ids that told a time may tell none."""
        return any(self._is_from_later(rules, now) for rules in self._in_use())

    def touch(self, names: Iterable[str], now: int, quiet: bool = False) -> None:
        """Look at the tasks named, under each rule set in use; those that are gone are taken out.

        With `quiet` what happened to them is no news: the caller tells of it.
        """
        tasks = [name for name in names if is_task_id(name)]
        with self._lock:
            entries = self._entries()
            there = [name for name in tasks if self._is_folder(name)]
            gone = dict.fromkeys(set(tasks) - set(there))
            for rules in self._in_use():
                listed = [name for name in there if rules == "structural" or is_uuid(name)]
                seen = fingerprints(self.root, listed)
                changed = changed_names(seen, self.rows(rules), entries, now)
                read = self._read(self._reader, changed, rules, now) if changed else {}
                self._take(rules, {**gone, **read})
                self._kept[rules].made_at = max(self._kept[rules].made_at, now)
            if quiet:
                for name in tasks:
                    self._changes.pop(name, None)

    def touch_listed(self, now: int) -> None:
        """Read again the tasks whose entries in the root's shared lists changed."""
        with self._lock:
            entries = self._entries()
            rows = self.rows("structural")
            self.touch([name for name, row in rows.items() if row.entry != entries.get(name, b"")], now)

    def collect(self) -> dict[str, Change]:
        """Take what happened to which task since the last call."""
        with self._lock:
            changes, self._changes = self._changes, {}
        return changes

    def save(self) -> None:
        """Bring the index up to date; faults of it are logged, never raised."""
        with self._lock:
            if self._index is not None:
                for rules, kept in self._kept.items():
                    self._index.save(rules, kept.rows, kept.unsaved, kept.made_at)
                    kept.unsaved = set()

    def open(self, name: str, now: int) -> "tuple[TaskFiles, Row] | None":
        """Read one task afresh, waiting a moment for a save to finish; None when the folder is gone."""
        with self._lock:
            return self._reader.open(name, now)

    @cached_property
    def _reader(self) -> "TaskReader":
        from sidecar.history.catalog.task_reader import TaskReader

        return TaskReader(self.root)

    def _entries(self) -> Mapping[str, bytes]:
        """What the root's lists say of each task, condensed; nothing while there are no lists."""
        if "_reader" in self.__dict__ or any(os.path.lexists(path) for path in self.root.lists):
            return self._reader.refresh_lists()
        return {}

    def _look(self, rules: Rules, prepare: Callable[[Rows], None]) -> Mapping[str, int]:
        """Walk the root: its folders, and what their files are like. Rows not loaded yet are loaded beside.

        Before a first scan there is nothing to compare files with, so no file is looked at.
        """
        kept = self._kept[rules]
        load = partial(self._load, rules, kept, prepare)
        folders = folder_names(self.root)
        if kept.rows or (not kept.loaded and self._index is not None and self._index.exists()):
            return fingerprints(self.root, folders, self._spread, meanwhile=load)
        load()
        return dict.fromkeys(folders, 0)

    def _catch_up(self, rules: Rules, now: int, seen: Mapping[str, int]) -> None:
        """Read what changed, and leave out what is gone."""
        rows = self._kept[rules].rows
        listable = is_uuid if rules == "guide" else is_task_id
        tasks = {name: key for name, key in seen.items() if name in rows or listable(name)}
        changed = changed_names(tasks, rows, self._entries(), now)
        read = self._read(self._reader, changed, rules, now) if changed else {}
        self._take(rules, {**dict.fromkeys(rows.keys() - tasks.keys()), **read})

    def _load(self, rules: Rules, kept: _Kept, prepare: Callable[[Rows], None] = lambda _: None) -> None:
        if not kept.loaded and self._index is not None:
            rows, kept.made_at = self._index.load(rules)
            kept.replace(rows)
            prepare(rows)
        kept.loaded = True

    def _heed_clock(self, rules: Rules, now: int) -> None:
        """Start over when the clock went back."""
        kept = self._kept[rules]
        if self._is_from_later(rules, now):
            kept.unsaved |= kept.rows.keys()
            kept.replace({})
            kept.made_at = now

    def _is_from_later(self, rules: Rules, now: int) -> bool:
        return now < self._kept[rules].made_at - DAY_MS

    def _in_use(self) -> list[Rules]:
        return ["structural", *(["guide"] if self._kept["guide"].loaded else [])]  # type: ignore[list-item]

    def _is_task(self, name: str, now: int) -> bool:
        """Tell a task from an empty folder, mostly without opening a file."""
        folder = self.root.folder(name)
        if any(os.path.lexists(f"{folder}{os.sep}{file}") for file in _TELLING):
            return True
        opened = self.open(name, now)
        return opened is not None and opened[1].info is not None

    def _is_folder(self, name: str) -> bool:
        try:
            return stat.S_ISDIR(os.lstat(self.root.folder(name)).st_mode)
        except OSError:
            return False

    def _take(self, rules: Rules, read: ReadRows) -> None:
        """Put rows that were read, or the absence of a task, in place of what was known."""
        if not read:
            return
        kept = self._kept[rules]
        rows = dict(kept.rows)
        for name, row in read.items():
            before = rows.pop(name, None)
            if row is not None:
                rows[name] = row
            if row is not before:
                kept.unsaved.add(name)
            self._note(name, before, row)
        kept.replace(rows)

    def _note(self, name: str, before: IndexRow | None, after: IndexRow | None) -> None:
        was, now_is = before is not None and before.body != b"", after is not None and after.body != b""
        if was and now_is and _same(before, after):
            return
        if not was and not now_is:
            return
        self.generation += 1
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


def _same(one: IndexRow | None, other: IndexRow | None) -> bool:
    """Tell whether two rows show the same task."""
    assert one is not None and other is not None
    return (one.body, one.settled, one.ages_from) == (other.body, other.settled, other.ages_from)
