"""The tasks of one root, kept: a task is read again only when one of its files or list entries changed."""

import logging
import os
from collections.abc import Callable, Iterator
from functools import partial

import msgspec

from sidecar.api.tasks import Rules, TaskInfo
from sidecar.history import leftovers
from sidecar.history.lists import RootLists, read_lists
from sidecar.history.products import is_epoch_id, is_task_id, is_uuid
from sidecar.history.reading import Stamp, TaskFiles, read_task, stamp_task
from sidecar.history.records import ListEntry
from sidecar.history.roots import Root
from sidecar.history.rules import Row, read_row
from sidecar.history.spreading import Work, here
from sidecar.history.view import TaskSource

_log = logging.getLogger(__name__)


class _Known(msgspec.Struct, frozen=True, gc=False):
    """A row with everything it was made from."""

    row: Row
    stamps: tuple[Stamp | None, ...]
    entry: ListEntry | None
    hint: ListEntry | None


_NamedRow = tuple[str, _Known | None]
Spread = Callable[[Work[_NamedRow], list[str], type[list[_NamedRow]]], list[_NamedRow]]


class RootCatalog:
    """Reads and remembers the rows of one root. Not thread-safe: its owner holds a lock.

    `spread` does the reading of many tasks: see `spreading`.
    """

    def __init__(self, root: Root, spread: Spread = here) -> None:
        self.root = root
        self._spread = spread
        self._lists = RootLists()
        self._known: dict[Rules, dict[str, _Known]] = {"structural": {}, "guide": {}}

    @property
    def size(self) -> int:
        """How many rows are kept."""
        return len(self._known["structural"])

    def names(self) -> list[str]:
        """List the ids of the root's tasks; none when there is no `tasks/`."""
        return [name for name in self._directories() if is_task_id(name)]

    def scan(self, rules: Rules, now: int) -> list[TaskInfo]:
        """List every task under `rules`, reading only what changed since the last scan."""
        self._lists = read_lists(self.root.path, self._lists)
        names = self.names() if rules == "structural" else list(filter(is_uuid, self.names()))
        known = self._known[rules]
        current = {
            name: kept for name in names if (kept := known.get(name)) and self._is_current(name, kept, now)
        }
        changed = [name for name in names if name not in current]
        read = self._spread(partial(self._read_settled, rules, now), changed, list[_NamedRow])
        for name, made in read:
            made = made or self._read_unsettled(name, rules, now)
            if made is not None:
                current[name] = made
        self._known[rules] = current
        return [kept.row.info for kept in current.values() if kept.row.info is not None]

    def open(self, name: str, now: int) -> tuple[TaskFiles, Row] | None:
        """Read one task afresh, waiting a moment for a save to finish; None when the folder is gone."""
        self._lists = read_lists(self.root.path, self._lists)
        files = self._read(name)
        if files is None:
            return None
        settled = leftovers.settle(self._folder(name), files)
        return settled, read_row(self._source(name, settled, now), "structural")

    def path(self, name: str, file: str) -> str:
        """The path of one file of a task."""
        return f"{self._folder(name)}{os.sep}{file}"

    def _directories(self) -> Iterator[str]:
        try:
            with os.scandir(self.root.tasks) as entries:
                yield from (entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            _log.warning("cannot list %s: %s", self.root.tasks, error.strerror)

    def _folder(self, name: str) -> str:
        return f"{self.root.tasks}{os.sep}{name}"

    def _read(self, name: str) -> TaskFiles | None:
        folder = self._folder(name)
        files = read_task(folder, with_metadata=is_epoch_id(name))
        if files.ui.absent and files.api.absent and not os.path.lexists(folder):
            return None
        return files

    def _read_settled(self, rules: Rules, now: int, names: list[str]) -> list[_NamedRow]:
        """Read tasks; None stands for a folder that is gone or in the middle of a save."""
        rows: list[_NamedRow] = []
        for name in names:
            files = self._read(name)
            settled = files is not None and not leftovers.is_unsettled(self._folder(name), files)
            rows.append((name, self._made(name, files, rules, now) if files and settled else None))
        return rows

    def _read_unsettled(self, name: str, rules: Rules, now: int) -> _Known | None:
        """Read a task whose save should be over by now, else from what the save left behind."""
        files = self._read(name)
        if files is None:
            return None
        return self._made(name, leftovers.recover(self._folder(name), files), rules, now)

    def _is_current(self, name: str, kept: _Known, now: int) -> bool:
        return (
            kept.row.since <= now < kept.row.until
            and kept.entry == self._lists.entries.get(name)  # a list is rewritten for any task's sake
            and kept.hint == self._lists.hints.get(name)
            and stamp_task(self._folder(name), is_epoch_id(name)) == kept.stamps
        )

    def _made(self, name: str, files: TaskFiles, rules: Rules, now: int) -> _Known:
        source = self._source(name, files, now)
        return _Known(read_row(source, rules), files.stamps, source.entry, source.hint)

    def _source(self, name: str, files: TaskFiles, now: int) -> TaskSource:
        lists = self._lists
        entry, hint = lists.entries.get(name), lists.hints.get(name)
        return TaskSource(name, self.root.path, self.root.product, files, entry, hint, now)
