"""The trash and the archive of the own root: tasks are moved there and back.

A task moves by one rename, so no reader sees half of it, and its files stay as they are. Only under
the root's lock.
"""

import errno
import os
import re
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sidecar.storage.atomic import sync_directory
from sidecar.storage.layout import OwnRoot, make_private_dirs

_NAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z-]{0,63}", re.ASCII)


class NotThere(LookupError):
    """The task is not where the move expects it."""


@dataclass(frozen=True, slots=True)
class RemovedTask:
    """A folder in the archive or the trash; `time`, in seconds, is for the trash that of its deletion."""

    path: Path
    shelf: Literal["archive", "trash"]
    time: float


def removed_tasks(root: OwnRoot) -> list[RemovedTask]:
    """List the folders in the archive and the trash, newest first, without unreadable ones."""
    found: list[RemovedTask] = []
    for shelf in ("archive", "trash"):
        folder = root.path / shelf
        for name in _names(folder):
            try:
                if _is_folder(folder, name):
                    found.append(RemovedTask(folder / name, shelf, (folder / name).lstat().st_mtime))
            except OSError:
                continue
    return sorted(found, key=lambda each: (-each.time, each.path.name))


def has_task(root: OwnRoot, task_id: str) -> bool:
    """Return whether the root has a task folder with this id that is not a link."""
    return _is_folder(root.tasks, task_id)


def delete_task(root: OwnRoot, task_id: str, now: float) -> None:
    """Move a task, archived or not, to the trash; `now` in seconds becomes its folder's time.

    Raises NotThere, FileExistsError when the trash holds one of this id, and OSError.
    """
    source = root.tasks if _is_folder(root.tasks, task_id) else root.archive
    _move(root, source, root.trash, task_id)
    os.utime(root.trash / task_id, (now, now))


def archive_task(root: OwnRoot, task_id: str) -> None:
    """Move a task to the archive. Raises as `delete_task` does."""
    _move(root, root.tasks, root.archive, task_id)


def restore_task(root: OwnRoot, task_id: str) -> None:
    """Move a task back from the archive, else from the trash. Raises as `delete_task` does."""
    source = root.archive if _is_folder(root.archive, task_id) else root.trash
    _move(root, source, root.tasks, task_id)


def empty_trash(root: OwnRoot, before: float) -> list[str]:
    """Remove permanently what was deleted before this time in seconds; return the ids.

    What cannot be removed stays, and so does everything when the trash itself is a link.
    """
    gone = []
    for name in _names(root.trash):
        path = root.trash / name
        try:
            if path.lstat().st_mtime < before and _is_folder(root.trash, name):
                shutil.rmtree(path)
                gone.append(name)
        except OSError:
            continue
    return gone


def folder_bytes(path: Path) -> int:
    """Add up the sizes of the files below `path`; links are not followed, what cannot be read counts 0."""
    total = 0
    for folder, _, names in os.walk(path):
        for name in names:
            try:
                total += (Path(folder) / name).lstat().st_size
            except OSError:
                continue
    return total


def _move(root: OwnRoot, source: Path, target: Path, task_id: str) -> None:
    if not _is_folder(source, task_id):
        raise NotThere(task_id)
    for shelf in (source, target):
        if shelf != root.tasks and shelf.is_symlink():
            raise NotADirectoryError(errno.ENOTDIR, f"{shelf} is a link; replace it by a directory")
    make_private_dirs(target)
    if os.path.lexists(target / task_id):
        raise FileExistsError(f"{target / task_id} exists already")
    (source / task_id).rename(target / task_id)
    sync_directory(target)
    sync_directory(source)


def _is_folder(parent: Path, task_id: str) -> bool:
    if not _NAME.fullmatch(task_id):
        return False
    try:
        return stat.S_ISDIR((parent / task_id).lstat().st_mode)
    except OSError:
        return False


def _names(shelf: Path) -> list[str]:
    try:
        return [] if shelf.is_symlink() else os.listdir(shelf)  # noqa: PTH208  # names, not paths
    except OSError:
        return []
