"""Read and remove trees in which agents took rights away, such as read-only folders of package caches."""

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path


def make_readable(folder: Path) -> None:
    """Let this user read everything below a folder, and list and change its folders. Blocking."""
    for entry in _entries(folder):
        if entry.is_file(follow_symlinks=False):
            _give(entry.path, stat.S_IRUSR)


def remove_tree(folder: Path) -> None:
    """Remove what this user may remove of a folder, even from read-only folders. Blocking."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.is_dir() and not folder.is_symlink():
        for _ in _entries(folder):
            pass
        shutil.rmtree(folder, ignore_errors=True)


def _entries(folder: Path) -> Iterator["os.DirEntry[str]"]:
    """Yield everything below a folder; links are not followed. Makes each folder accessible first."""
    waiting = [str(folder)]
    while waiting:
        path = waiting.pop()
        try:
            _give(path, stat.S_IRWXU)
            with os.scandir(path) as entries:
                listed = list(entries)
        except OSError:
            continue  # it belongs to another user, or is gone
        yield from listed
        waiting += [each.path for each in listed if each.is_dir(follow_symlinks=False)]


def _give(path: str, rights: int) -> None:
    mode = stat.S_IMODE(os.lstat(path).st_mode)
    if mode & rights != rights:
        Path(path).chmod(mode | rights)
