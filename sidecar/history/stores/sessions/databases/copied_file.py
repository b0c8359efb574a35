"""Copy a large file that changes in a few places, again and again: write only where an older copy differs.

To write all of a database of a gigabyte after each change takes seconds, and wears out a disk. Locks keep
copies that are being read from changing: they belong to the file, whatever its names are.
"""

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from sidecar.history.stored.reading import OPEN_FLAGS
from sidecar.storage.layout import FILE_MODE

try:
    import fcntl
except ImportError:  # Windows, where each copy is written as a whole
    fcntl = None  # type: ignore[assignment]

_PIECE: Final = 1 << 24
_COMPARED: Final = 1 << 20
_WRITTEN: Final = 1 << 16
"""The bytes that are compared at a time, and those that are written if they differ."""
_CLONE: Final = 0x40049409
"""FICLONE of Linux (linux/fs.h): let two files share their blocks until one of them is written."""


class Unsteady(Exception):
    """The files changed while they were copied or opened."""


@contextlib.contextmanager
def kept_as_it_is(copy: Path) -> Iterator[None]:
    """Keep others from changing or removing a copy. Raises Unsteady if one just took it over, OSError."""
    with _opened(copy) as file:  # which by itself keeps Windows from moving the folder
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_SH)
            if not _has_name(file, copy):
                raise Unsteady
        yield


def take_over(copies: Sequence[Path], target: Path) -> None:
    """Move one of the copies that nobody reads to `target`, and remove its folder."""
    if fcntl is None:
        return
    for copy in copies:
        with contextlib.suppress(OSError):
            with _unread(copy):
                copy.rename(target)
            shutil.rmtree(copy.parent, ignore_errors=True)
            return


def remove_unread(copy: Path, away: Path) -> None:
    """Remove the folder of a copy unless somebody reads the copy; `away` is its name until it is gone.

    A folder that loses its files one by one would be read without its log.
    """
    with contextlib.suppress(OSError), _unread(copy) if _is_file(copy) else contextlib.nullcontext():
        copy.parent.rename(away)
    shutil.rmtree(away, ignore_errors=True)


@contextlib.contextmanager
def _unread(copy: Path) -> Iterator[None]:
    """Keep others from reading a copy. Raises OSError if one reads it or took it over."""
    if fcntl is None:
        yield
        return
    with _opened(copy) as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not (_is_file(copy) and _has_name(file, copy)):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(copy))
        yield


@contextlib.contextmanager
def _opened(path: Path | str) -> Iterator[int]:
    """Open a file without following a link, or waiting for the writer of a pipe. Raises OSError."""
    file = os.open(path, OPEN_FLAGS)
    try:
        yield file
    finally:
        os.close(file)


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def begin_equally(path: str, other: str, size: int) -> bool:
    """Return whether the first `size` bytes of two files are equal. Raises OSError."""
    with _opened(path) as file, _opened(other) as second:
        for at in range(0, size, _COMPARED):
            wanted = min(_COMPARED, size - at)
            piece = os.read(file, wanted)
            if len(piece) < wanted or piece != os.read(second, wanted):
                return False
    return True


def copy_file(source: str, target: Path) -> None:
    """Copy a regular file, or make an older copy at `target` equal to it. Raises Unsteady, OSError."""
    with _opened(source) as given:
        made = os.open(target, os.O_RDWR | os.O_CREAT, FILE_MODE)
        try:
            if fcntl is not None:
                fcntl.flock(made, fcntl.LOCK_EX)
                if not _has_name(made, target):
                    raise Unsteady
            if not _cloned(given, made):
                _update(given, made) if os.fstat(made).st_size else _copy_blocks(given, made)
        finally:
            os.close(made)


def sync_file(path: Path) -> None:
    """Write the content of a file to the disk. Raises OSError."""
    with path.open("r+b") as file:
        os.fsync(file.fileno())


def _has_name(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False


def _cloned(given: int, made: int) -> bool:
    """Share the blocks of a file, which few file systems can; return whether that was possible."""
    if fcntl is None:
        return False
    size = os.fstat(given).st_size
    try:
        fcntl.ioctl(made, _CLONE, given)
    except OSError:
        return False
    os.ftruncate(made, size)
    return True


def _copy_blocks(given: int, made: int) -> None:
    if hasattr(os, "copy_file_range"):
        with contextlib.suppress(OSError):  # not on this file system
            while os.copy_file_range(given, made, _PIECE):
                pass
    while piece := os.read(given, _PIECE):
        while piece:  # the last bytes before a disk is full are written without an error
            piece = piece[os.write(made, piece) :]


def _update(given: int, made: int) -> None:
    at = 0
    while piece := os.pread(given, _COMPARED, at):
        old = os.pread(made, len(piece), at)
        for start in range(0, len(piece), _WRITTEN) if piece != old else ():
            part = slice(start, start + _WRITTEN)
            if piece[part] != old[part] and os.pwrite(made, piece[part], at + start) < len(piece[part]):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        at += len(piece)
    os.ftruncate(made, at)
