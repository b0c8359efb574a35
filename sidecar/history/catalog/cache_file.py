"""A private file in the user's cache that is discarded when damaged."""

import contextlib
import errno
import os
import stat
from pathlib import Path
from typing import Final

from sidecar.storage.layout import FILE_MODE, make_private_dirs

_SIDE_FILES: Final = ("", "-journal", "-wal", "-shm")
"""The suffixes of the files that SQLite keeps for a database."""


class DamagedCache(Exception):
    """The file is not what this program wrote and must be built again."""


def make_cache_file(path: Path) -> None:
    """Create the file with private permissions if it does not exist.

    Raises OSError, and DamagedCache for a directory, a link, a pipe or a socket of that name, or of one that
    SQLite uses next to it, because opening a pipe would block.
    """
    make_private_dirs(path.parent)
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE_MODE))
    for suffix in _SIDE_FILES:
        with contextlib.suppress(FileNotFoundError):
            if not stat.S_ISREG(Path(f"{path}{suffix}").lstat().st_mode):
                raise DamagedCache(f"{path}{suffix} is not a regular file")


def is_writable(path: Path) -> bool:
    """Return whether the file can be opened for writing and files can be created next to it."""
    try:
        _open_for_writing(path)
    except OSError:
        return False
    return True


def require_writable(path: Path) -> None:
    """Create the file if it does not exist, and raise OSError if it, or its folder, cannot be written."""
    with contextlib.suppress(DamagedCache):  # it can be replaced
        make_cache_file(path)
        _open_for_writing(path)


def _open_for_writing(path: Path) -> None:
    os.close(os.open(path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0)))
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path.parent))


def discard(path: Path) -> None:
    """Remove the file, of any type, and those that SQLite keeps next to it; ignore errors.

    A directory that is not empty is renamed, not removed: another program wrote its files.
    """
    for suffix in _SIDE_FILES:
        _remove(Path(f"{path}{suffix}"))


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        if not stat.S_ISDIR(path.lstat().st_mode):
            path.unlink()
            return
        try:
            path.rmdir()
        except OSError:
            path.rename(_free_name(path))


def _free_name(path: Path) -> Path:
    number = 1
    while os.path.lexists(name := f"{path}.moved-{number}"):
        number += 1
    return Path(name)
