"""The scan: fingerprints of task folders from the stamps of their files, without opening any."""

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from sidecar.history.stored.reading import is_there
from sidecar.history.stores.contract import Keys, Root
from sidecar.history.stores.index_row import condense
from sidecar.history.stores.parallel import Parallel, nothing, sequential
from sidecar.history.stores.task_folders.files import API_FILE, ITEM_FILE, METADATA_FILE, UI_FILE, tasks_path
from sidecar.history.stores.task_folders.ids import EPOCH_DIGITS, is_task_id

_RELATIVE: Final = os.stat in os.supports_dir_fd and os.access in os.supports_dir_fd
"""A stat relative to an open folder saves the kernel the lookup of its path: 6 % of the scan."""
_UI, _API, _ITEM, _METADATA = (os.sep + name for name in (UI_FILE, API_FILE, ITEM_FILE, METADATA_FILE))

WORTH_FORKING: Final = 4_000
"""The number of tasks from which scanning half of them in a second process saves more than the fork costs."""


def folder_names(root: Root, failed: Callable[[OSError], object] = lambda _: None) -> Iterator[str]:
    """Yield the folders in a root's `tasks/`, whether tasks or not.

    There are none without `tasks/`, or if it cannot be listed: `failed` gets the error, which
    `Store.unlisted` reports.
    """
    try:
        with os.scandir(tasks_path(root.path)) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    yield entry.name
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        failed(error)


def task_names(root: Root) -> Keys:
    """List the IDs of a root's tasks."""
    return [name for name in folder_names(root) if is_task_id(name)]


def fingerprints(
    root: Root, names: Keys, parallel: Parallel = sequential, meanwhile: Callable[[], None] = nothing
) -> dict[str, int]:
    """Condense the stamps of each task's files, as `IndexRow.key` does.

    `meanwhile` is called once, at the same time if the scan is long.
    """

    def stat_part(part: Keys) -> list[int]:
        with _folder(tasks_path(root.path)) as folder:
            return _stat_files(folder, part)

    long = len(names) >= WORTH_FORKING
    keys = (parallel if long else sequential)(stat_part, names, list[int], meanwhile)
    return dict(zip(names, keys, strict=True))


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


def _stat_files(folder: _Folder, names: Keys) -> list[int]:
    """Stat the files of tasks; check first whether a file exists that is usually missing."""
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
        item = stamp(path + _ITEM) if is_there(path + _ITEM, handle) else ()
        with_metadata = len(name) <= EPOCH_DIGITS and is_there(path + _METADATA, handle)
        metadata = stamp(path + _METADATA) if with_metadata else ()
        ui, api = stamp(path + _UI), stamp(path + _API)
        own = () if ui and api else (stamp(path),)  # as `TaskFiles.stamps`
        keys.append(condense((ui, api, item, metadata, *own)))
    return keys
