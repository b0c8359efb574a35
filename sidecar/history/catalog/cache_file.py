"""A file of the user's cache: made private, thrown away when it is damaged."""

import contextlib
import os
import stat
from pathlib import Path
from typing import Final

from sidecar.storage.layout import FILE_MODE, make_private_dirs

_SIDE_FILES: Final = ("", "-journal", "-wal", "-shm")
"""What SQLite keeps under the name of a database."""


class DamagedCache(Exception):
    """The file is not what this program wrote; only building it again helps."""


def make_cache_file(path: Path) -> None:
    """Make the file, private, if there is none.

    Raises OSError, and DamagedCache for a directory, a link, a pipe or a socket of that name, or of one that
    SQLite uses next to it: to open a pipe would block.
    """
    make_private_dirs(path.parent)
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE_MODE))
    for suffix in _SIDE_FILES:
        with contextlib.suppress(FileNotFoundError):
            if not stat.S_ISREG(Path(f"{path}{suffix}").lstat().st_mode):
                raise DamagedCache(f"{path}{suffix} is not a regular file")


def is_writable(path: Path) -> bool:
    """Return whether the file can be opened for writing and others can be made next to it."""
    try:
        os.close(os.open(path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0)))
    except OSError:
        return False
    return os.access(path.parent, os.W_OK | os.X_OK)


def discard(path: Path) -> None:
    """Remove the file, whatever it is, and those that SQLite keeps next to it; errors are ignored.

    A directory that is not empty holds what another program put there: it is renamed, not removed.
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
