"""Read the tasks of one root into rows, in this process or in a worker, and the titles of removed tasks."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from sidecar.api.stored.tasks import Rules
from sidecar.history.stores.contract import Root
from sidecar.history.stores.index_row import SAVING, UNSETTLED, IndexRow, ReadRows, condense, make_row
from sidecar.history.stores.task_folders import leftovers
from sidecar.history.stores.task_folders.files import TaskFiles, read_task, stat_task, task_folder
from sidecar.history.stores.task_folders.ids import is_epoch_id
from sidecar.history.stores.task_folders.lists import RootLists, read_lists
from sidecar.history.stores.task_folders.records import ListEntry
from sidecar.history.stores.task_folders.rules import Row, damaged, read_row, read_rows
from sidecar.history.stores.task_folders.structural.view import TaskSource

SCAN_SETTLE_SECONDS: Final = 0.01
"""How long a scan waits for one task's save to finish: renames take a millisecond, a crash is final."""
_MOST_HELD: Final = 50
_MOST_BYTES_HELD: Final = 1 << 20
"""Tasks, and bytes of them, that are read before rows are made of them: small ones are faster together."""
_DIGEST_BYTES: Final = 8
_NS_PER_MS: Final = 1_000_000
_FILES: Final = 4
"""Stamps of a task that are those of files."""


class TaskReader:
    """Read the tasks of one root and its shared lists. Not thread-safe."""

    def __init__(self, root: Root) -> None:
        self.root = root
        self._lists = RootLists()
        self._digests: dict[str, bytes] = {}

    def refresh_lists(self) -> Mapping[str, bytes]:
        """Read the root's lists if they changed; return a digest of the entries of each task."""
        lists = read_lists(self.root, self._lists)
        if lists is not self._lists:
            self._lists = lists
            ids = lists.entries.keys() | lists.hints.keys()
            self._digests = {name: _digest(lists.entries.get(name), lists.hints.get(name)) for name in ids}
        return self._digests

    def rows(self, names: Iterable[str], rules: Rules, now: int) -> ReadRows:
        """Read tasks into their rows. A save under way is waited for."""
        rows: ReadRows = {}
        held: dict[str, TaskFiles] = {}
        size = 0
        for name in names:
            if (files := self.files(name, SCAN_SETTLE_SECONDS)) is None:
                rows[name] = None
                continue
            held[name] = files
            size += files.size
            if len(held) == _MOST_HELD or size > _MOST_BYTES_HELD:
                rows |= self._rows_of(held, rules, now)
                held, size = {}, 0
        return rows | self._rows_of(held, rules, now)

    def _rows_of(self, held: Mapping[str, TaskFiles], rules: Rules, now: int) -> ReadRows:
        sources = [self._source(name, files, now) for name, files in held.items()]
        read = read_rows(sources, rules)
        pairs = zip(held.items(), read, strict=True)
        return {name: self._row(name, files, row, rules) for (name, files), row in pairs}

    def damaged_row(self, name: str, rules: Rules, now: int) -> IndexRow:
        """Create the row of a task that crashed or blocked its reader; it is read again when it changes."""
        files = stat_task(task_folder(self.root.path, name), with_metadata=is_epoch_id(name))
        read = damaged(self._source(name, files, now), rules)
        return self._row(name, files, read, rules)

    def _row(self, name: str, files: TaskFiles, row: Row, rules: Rules) -> IndexRow:
        """Make the row to keep. What was read during a save is read again by every scan until it may end."""
        stamps = [stamp or () for stamp in files.stamps]
        saving = files.saving_until
        return make_row(
            name,
            self.root.path,
            _key(files, rules, tuple(stamps)),
            row.info,
            entry=self._digests.get(name, b""),
            ages_from=row.ages_from,
            until=row.until if saving is None else min(row.until, saving),
            touched=max([stamp[0] for stamp in stamps[:_FILES] if stamp], default=0) // _NS_PER_MS,
        )

    def open(self, name: str, now: int) -> tuple[TaskFiles, Row] | None:
        """Read one task with the sources of its fields, waiting longer for a save; None when it is gone."""
        self.refresh_lists()
        files = self.files(name, leftovers.RETRY_SECONDS)
        return None if files is None else (files, read_row(self._source(name, files, now), "structural"))

    def files(self, name: str, seconds: float) -> TaskFiles | None:
        """Read a task's files, waiting at most `seconds` for one that a save has taken away."""
        folder = task_folder(self.root.path, name)
        files = read_task(folder, with_metadata=is_epoch_id(name))
        if files.ui.data is not None and files.api.data is not None:
            return files
        if files.ui.absent and files.api.absent and not os.path.lexists(folder):
            return None
        return leftovers.settle(folder, files, seconds)

    def _source(self, name: str, files: TaskFiles, now: int) -> TaskSource:
        lists, root = self._lists, self.root
        if not lists.by_list:  # as most roots
            return TaskSource(name, root.path, root.product, files, None, None, now)
        entry, hint = lists.entries.get(name), lists.hints.get(name)
        return TaskSource(name, root.path, root.product, files, entry, hint, now, lists.place_of(name))


def _key(files: TaskFiles, rules: Rules, stamps: tuple[tuple[int, ...], ...]) -> int:
    """Return the key of a row; the guide's rules take a half-written file as it is."""
    if files.saving_until is not None:
        return UNSETTLED
    is_half_written = rules == "structural" and any(map(leftovers.is_half_written, (files.ui, files.api)))
    return SAVING if is_half_written else condense(stamps)


def _digest(entry: ListEntry | None, hint: ListEntry | None) -> bytes:
    from hashlib import blake2b  # here, because most roots have no lists

    return blake2b(msgspec.msgpack.encode((entry, hint)), digest_size=_DIGEST_BYTES).digest()


def read_title(folder: Path, now: int) -> str:
    """Read a task's title as a list would show it; empty if its files have none. Never raises."""
    files = read_task(str(folder), with_metadata=is_epoch_id(folder.name))
    source = TaskSource(folder.name, str(folder.parent), None, files, None, None, now)
    info = read_row(source, "structural").info
    return info.title if info is not None else ""
