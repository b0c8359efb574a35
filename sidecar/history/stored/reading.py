"""Bounded, read-only reading of files that other programs write to at the same time.

Nothing is created, locked or written here, because the files belong to other programs.
"""

import os
import stat
from typing import Final, NamedTuple

import msgspec

from sidecar.api.stored.tasks import Problem
from sidecar.history.stored.problems import problem
from sidecar.storage.kept.blob_names import SUFFIX, raw_size

MAX_FILE_BYTES: Final = 192 * 1024 * 1024
"""Largest file read, in bytes: three times the biggest message file known (63 MB)."""

OPEN_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # a pipe must not hold the reader
    | getattr(os, "O_NOFOLLOW", 0)  # a link may lead out of the folder
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)  # Windows would translate line ends
)

Stamp = tuple[int, int, int, int]
"""(mtime_ns, size, inode, ctime_ns): a save changes at least one of the first three, a chmod the last."""

UNREAD: Final[Stamp] = (0, 0, 0, 0)
"""In the place of the stamp of a file that could not be read: the next look tries again."""


class FileStatus(NamedTuple):
    """What an open file is; that of a kept copy has the size of its original."""

    mode: int
    device: int
    stamp: Stamp


class StoredFile(msgspec.Struct, frozen=True, gc=False):
    """One file as it was read: `data` is None when absent or refused, `stamp` None when absent.

    A missing file with `saving_until`, a time in ms, counts as being saved until then. With
    `is_half_written` its writer had just begun to save it.
    """

    name: str
    data: bytes | None = None
    stamp: Stamp | None = None
    problems: tuple[Problem, ...] = ()
    saving_until: int | None = None
    is_half_written: bool = False

    @property
    def absent(self) -> bool:
        """Return whether the file does not exist, unlike one that could not be read."""
        return self.data is None and not self.problems


def stamp_of(path: str) -> Stamp | None:
    """Stat one name without following links; None when it is not there or not reachable."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return _stamp_of_copy(path, status) if path.endswith(SUFFIX) else stamp_from(status)


def open_stored(path: str) -> int:
    """Open a file without following links; a kept copy is opened as its original. Raises OSError."""
    if not path.endswith(SUFFIX):
        return os.open(path, OPEN_FLAGS)
    from sidecar.storage.kept.blobs import open_blob  # most lists need none

    return open_blob(path)


def status_of(descriptor: int, path: str) -> FileStatus:
    """Return the status of a file that `open_stored` opened. Raises OSError."""
    if not path.endswith(SUFFIX):
        status = os.fstat(descriptor)
        return FileStatus(status.st_mode, status.st_dev, stamp_from(status))
    status = os.lstat(path)
    return FileStatus(status.st_mode, status.st_dev, _stamp_of_copy(path, status))


_HAS_NO_FOLLOW: Final = os.access in os.supports_follow_symlinks


def is_there(path: str, dir_fd: int | None = None) -> bool:
    """Return whether a name exists, in a third of the time of a stat or open that fails."""
    if _HAS_NO_FOLLOW:
        return os.access(path, os.F_OK, dir_fd=dir_fd, follow_symlinks=False)
    return os.path.lexists(path)


def stamp_from(status: os.stat_result) -> Stamp:
    """Make a stamp from the result of a stat."""
    return (status.st_mtime_ns, status.st_size, status.st_ino, status.st_ctime_ns)


def read_file(path: str, name: str, limit: int = MAX_FILE_BYTES) -> StoredFile:
    """Read one regular file of at most `limit` bytes; `name` is what its problems call it."""
    try:
        descriptor = open_stored(path)
    except FileNotFoundError:
        return StoredFile(name)
    except OSError as error:
        return _refused(path, name, error)
    try:
        file = _read_open(descriptor, name, limit)
        return msgspec.structs.replace(file, stamp=stamp_of(path)) if path.endswith(SUFFIX) else file
    except OSError as error:
        return _refused(path, name, error)
    finally:
        os.close(descriptor)


def _read_open(descriptor: int, name: str, limit: int) -> StoredFile:
    """Read the size that fstat reports; the next scan reads what is appended meanwhile."""
    status = os.fstat(descriptor)
    size = status.st_size
    stamp = (status.st_mtime_ns, size, status.st_ino, status.st_ctime_ns)  # as `stamp_from`
    if not stat.S_ISREG(status.st_mode):
        return StoredFile(name, None, stamp, (problem("notRegular", f"{name} is not a regular file"),))
    if size > limit:
        message = f"{name} has {size:,} bytes; at most {limit:,} are read"
        return StoredFile(name, None, stamp, (problem("tooLarge", message),))
    data = os.read(descriptor, size)
    return StoredFile(name, data if len(data) == size else _read_rest(descriptor, data, size), stamp)


def _read_rest(descriptor: int, data: bytes, size: int) -> bytes:
    """Read on after a read that returned only `data`."""
    parts = [data]
    missing = size - len(data)
    while missing and (data := os.read(descriptor, missing)):
        parts.append(data)
        missing -= len(data)
    return b"".join(parts)


def _stamp_of_copy(path: str, status: os.stat_result) -> Stamp:
    try:
        size = raw_size(path)
    except ValueError:
        size = status.st_size
    return (status.st_mtime_ns, size, status.st_ino, status.st_ctime_ns)


def _refused(path: str, name: str, error: OSError) -> StoredFile:
    stamp = stamp_of(path)
    if stamp is not None and not stat.S_ISREG(os.lstat(path).st_mode):
        return StoredFile(name, None, stamp, (problem("notRegular", f"{name} is not a regular file"),))
    reason = os.strerror(error.errno) if error.errno else str(error)
    return StoredFile(name, None, stamp, (problem("unreadable", f"{name} cannot be read: {reason}"),))
