"""Read and remove trees in which agents took rights away, such as read-only folders of package caches."""

import contextlib
import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

_SECONDS = 600.0


def make_readable(folder: Path, most_bytes: int) -> tuple[list[str], list[str]]:
    """Let this user read everything below a folder, and list and change its folders. Blocking.

    Removes pipes and sockets, on which a reader would wait. Returns the paths that cannot be read, and the
    files that have more than `most_bytes`.
    """
    unreadable: list[str] = []
    large: list[str] = []
    for entry in _entries(folder, unreadable):
        try:
            status = entry.stat(follow_symlinks=False)
            if stat.S_ISFIFO(status.st_mode) or stat.S_ISSOCK(status.st_mode):
                Path(entry.path).unlink()
                continue
            if stat.S_ISREG(status.st_mode) and status.st_size > most_bytes:
                large.append(entry.path)
            if stat.S_ISREG(status.st_mode) and status.st_nlink == 1:  # a link may be outside of the folder
                _give(entry.path, stat.S_IRUSR)
        except OSError:  # it belongs to another user; git says which files it cannot read
            continue
    return _relative(unreadable, folder), _relative(large, folder)


def _relative(paths: list[str], folder: Path) -> list[str]:
    return [os.path.relpath(each, folder) for each in paths]


def remove_tree(folder: Path) -> None:
    """Remove what this user may remove of a folder, even from read-only folders. Blocking."""
    _remove(folder)
    if folder.is_dir() and not folder.is_symlink():
        for _ in _entries(folder):
            pass
        _remove(folder)


def _remove(folder: Path) -> None:
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except RecursionError:  # Python before 3.13 removes only folders that are nested about 1,000 deep
        command = [shutil.which("rm") or "/bin/rm", "-rf", "--", str(folder)]
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(command, check=False, capture_output=True, timeout=_SECONDS)


def _entries(folder: Path, unreadable: list[str] | None = None) -> Iterator["os.DirEntry[str]"]:
    """Yield everything below a folder; links are not followed. Makes each folder accessible first.

    Adds the folders that cannot be listed to `unreadable`.
    """
    waiting = [str(folder)]
    while waiting:
        path = waiting.pop()
        with contextlib.suppress(OSError):  # it belongs to another user, and may be readable
            _give(path, stat.S_IRWXU)
        try:
            with os.scandir(path) as entries:
                listed = list(entries)
        except OSError:
            if unreadable is not None:
                unreadable.append(path)
            continue
        yield from listed
        waiting += [each.path for each in listed if each.is_dir(follow_symlinks=False)]


def _give(path: str, rights: int) -> None:
    mode = stat.S_IMODE(os.lstat(path).st_mode)
    if mode & rights != rights:
        Path(path).chmod(mode | rights)
