"""The stat walk: which of the known tasks are still what they were, without opening a file."""

import contextlib
import logging
import os
from collections.abc import Container, Iterator, Mapping
from typing import Final, NamedTuple

from sidecar.history.index_row import IndexRow, condense
from sidecar.history.products import EPOCH_DIGITS, is_task_id
from sidecar.history.reading import API_FILE, ITEM_FILE, METADATA_FILE, UI_FILE
from sidecar.history.roots import Root
from sidecar.history.spreading import Spread, here

_log = logging.getLogger(__name__)

_RELATIVE: Final = os.stat in os.supports_dir_fd and os.access in os.supports_dir_fd
"""A stat relative to an open folder spares the kernel the way to it: 6 % of the walk."""
_HAS_NO_FOLLOW: Final = os.access in os.supports_follow_symlinks
_FILES: Final = tuple(os.sep + name for name in (UI_FILE, API_FILE, ITEM_FILE, METADATA_FILE))
_COMMON_FILES: Final = _FILES[:3]

WORTH_SPREADING: Final = 4_000
"""Tasks from which on half of the walk in a second process saves more than the fork costs."""

Names = list[str]


def task_names(root: Root, known: Container[str] = ()) -> Names:
    """List the ids of a root's tasks; none when there is no `tasks/`. Names in `known` are ids for sure."""
    try:
        with os.scandir(root.tasks) as entries:
            return [
                entry.name
                for entry in entries
                if entry.is_dir(follow_symlinks=False) and (entry.name in known or is_task_id(entry.name))
            ]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        _log.warning("cannot list %s: %s", root.tasks, error.strerror)
        return []


def changed_names(
    root: Root,
    names: Names,
    rows: Mapping[str, IndexRow],
    entries: Mapping[str, bytes],
    now: int,
    spread: Spread = here,
) -> Names:
    """Those of `names` that have no row, or one made from other files, list entries or times than these."""

    def changed(part: Names) -> Names:
        with _folder(root.tasks) as folder:
            return [
                name
                for name in part
                if (row := rows.get(name)) is None
                or row.entry != (entries.get(name, b"") if entries else b"")
                or now >= row.until
                or not _holds(folder, name, row)
            ]

    return spread(changed, names, Names) if len(rows) >= WORTH_SPREADING else changed(names)


class _Folder(NamedTuple):
    """The folder of the tasks: an open handle where the platform can stat relative to one, else a prefix."""

    handle: int | None
    prefix: str


@contextlib.contextmanager
def _folder(path: str) -> Iterator[_Folder]:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC) if _RELATIVE else None
    except OSError:
        handle = None
    if handle is None:
        yield _Folder(None, path + os.sep)
        return
    try:
        yield _Folder(handle, "")
    finally:
        os.close(handle)


def _holds(folder: _Folder, name: str, row: IndexRow) -> bool:
    """Tell whether the task's files are the ones the row was made from.

    A file that was not there is asked for by `access`, which costs a third of a stat that fails.
    """
    handle, prefix = folder
    path, files = prefix + name, row.files
    numbers: list[int] = []
    for place, file in enumerate(_FILES if len(name) <= EPOCH_DIGITS else _COMMON_FILES):
        if files >> place & 1:
            try:
                found = os.stat(path + file, dir_fd=handle, follow_symlinks=False)
            except OSError:
                return False
            numbers += (found.st_mtime_ns, found.st_size, found.st_ino)
        elif _exists(path + file, handle):
            return False
    return condense(tuple(numbers)) == row.key


def _exists(path: str, handle: int | None) -> bool:
    if _HAS_NO_FOLLOW:
        return os.access(path, os.F_OK, dir_fd=handle, follow_symlinks=False)
    return os.path.lexists(path)
