"""The stat walk: what tells whether tasks are still what they were, without opening a file."""

import contextlib
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from typing import Final, NamedTuple

from sidecar.history.catalog.index_row import IndexRow, condense
from sidecar.history.catalog.spreading import Spread, here, nothing
from sidecar.history.stored.products import EPOCH_DIGITS, is_task_id
from sidecar.history.stored.reading import API_FILE, ITEM_FILE, METADATA_FILE, UI_FILE
from sidecar.history.stored.roots import Root

_log = logging.getLogger(__name__)

_RELATIVE: Final = os.stat in os.supports_dir_fd and os.access in os.supports_dir_fd
"""A stat relative to an open folder spares the kernel the way to it: 6 % of the walk."""
_HAS_NO_FOLLOW: Final = os.access in os.supports_follow_symlinks
_UI, _API, _ITEM, _METADATA = (os.sep + name for name in (UI_FILE, API_FILE, ITEM_FILE, METADATA_FILE))

WORTH_SPREADING: Final = 4_000
"""Tasks from which on half of the walk in a second process saves more than the fork costs."""

Names = list[str]

_key: Final = attrgetter("key")
_entry: Final = attrgetter("entry")


def folder_names(root: Root) -> Names:
    """List the folders in a root's `tasks/`, of tasks or not; none when there is no `tasks/`."""
    try:
        with os.scandir(root.tasks) as entries:
            return [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        _log.warning("cannot list %s: %s", root.tasks, error.strerror)
        return []


def task_names(root: Root) -> Names:
    """List the ids of a root's tasks."""
    return [name for name in folder_names(root) if is_task_id(name)]


def fingerprints(
    root: Root, names: Names, spread: Spread = here, meanwhile: Callable[[], None] = nothing
) -> dict[str, int]:
    """Condense the stamps of each task's files, as `IndexRow.key` does.

    `meanwhile` is done once, beside the walk if that is long.
    """

    def look(part: Names) -> list[int]:
        with _folder(root.tasks) as folder:
            return _look(folder, part)

    long = len(names) >= WORTH_SPREADING
    keys = (spread if long else here)(look, names, list[int], meanwhile)
    return dict(zip(names, keys, strict=True))


def is_unchanged(seen: Mapping[str, int], rows: Mapping[str, IndexRow], entries: Mapping[str, bytes]) -> bool:
    """Tell at a third of the price of `changed_names` that all is as it was; False may be wrong."""
    return (
        not entries
        and seen == dict(zip(rows, map(_key, rows.values()), strict=True))
        and not any(map(_entry, rows.values()))
    )


def changed_names(
    seen: Mapping[str, int], rows: Mapping[str, IndexRow], entries: Mapping[str, bytes], now: int
) -> Names:
    """The tasks that have no row, or one made from other files, list entries or times than these."""
    return [
        name
        for name, key in seen.items()
        if (row := rows.get(name)) is None
        or row.key != key
        or row.entry != (entries.get(name, b"") if entries else b"")
        or now >= row.until
    ]


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


def _look(folder: _Folder, names: Names) -> list[int]:
    """Stat the files of tasks.

    One that is mostly not there is asked for by `access`, which costs a third of a stat that fails.
    """
    handle, prefix = folder

    def stamp(path: str) -> tuple[int, ...]:
        try:
            found = os.stat(path, dir_fd=handle, follow_symlinks=False)
        except OSError:
            return ()
        return found.st_mtime_ns, found.st_size, found.st_ino, found.st_ctime_ns  # as `stamp_from`

    keys: list[int] = []
    for name in names:
        path = prefix + name
        item = stamp(path + _ITEM) if _exists(path + _ITEM, handle) else ()
        with_metadata = len(name) <= EPOCH_DIGITS and _exists(path + _METADATA, handle)
        metadata = stamp(path + _METADATA) if with_metadata else ()
        ui, api = stamp(path + _UI), stamp(path + _API)
        own = () if ui and api else (stamp(path),)  # as `TaskFiles.stamps`
        keys.append(condense((ui, api, item, metadata, *own)))
    return keys


def _exists(path: str, handle: int | None) -> bool:
    if _HAS_NO_FOLLOW:
        return os.access(path, os.F_OK, dir_fd=handle, follow_symlinks=False)
    return os.path.lexists(path)
