"""The trash and the archive of the own root: delete, archive and restore tasks.

A task moves by one rename, so that no reader sees half of it, and its files do not change. Call this only
with the root's lock held.
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
    """A folder in the archive or the trash; `time`, in seconds, is the time of deletion for the trash."""

    path: Path
    place: Literal["archive", "trash"]
    time: float


def removed_tasks(root: OwnRoot) -> list[RemovedTask]:
    """List archived and deleted tasks, newest first, without folders that cannot be read."""
    found: list[RemovedTask] = []
    for place in ("archive", "trash"):
        folder = root.path / place
        for name in _names(folder):
            try:
                if _is_folder(folder, name):
                    found.append(RemovedTask(folder / name, place, (folder / name).lstat().st_mtime))
            except OSError:
                continue
    return sorted(found, key=lambda each: (-each.time, each.path.name))


def has_task(root: OwnRoot, task_id: str) -> bool:
    """Return whether the root's tasks contain a folder, not a link, with this ID."""
    return _is_folder(root.tasks, task_id)


def delete_task(root: OwnRoot, task_id: str, now: float) -> None:
    """Move a task, archived or not, to the trash; `now` in seconds becomes its folder's time.

    Raises NotThere, FileExistsError if the trash has a task with this ID, and OSError.
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
    """Remove permanently what was deleted before this time in seconds; return the IDs.

    Skips what cannot be removed, and removes nothing if the trash itself is a link.
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
    """Add up the sizes of the files below `path`; links are not followed, unreadable files count 0."""
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
    for folder in (source, target):
        if folder != root.tasks and folder.is_symlink():
            raise NotADirectoryError(errno.ENOTDIR, f"{folder} is a link; replace it with a directory")
    make_private_dirs(target)
    if os.path.lexists(target / task_id):
        raise FileExistsError(f"{target / task_id} already exists")
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


def _names(folder: Path) -> list[str]:
    try:
        return [] if folder.is_symlink() else os.listdir(folder)  # noqa: PTH208  # names, not paths
    except OSError:
        return []
