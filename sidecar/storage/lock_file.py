"""Open, lock and read the file of the root's lock, which names its owner."""

import contextlib
import os
import stat
import sys
from pathlib import Path
from typing import NamedTuple

from sidecar.storage.layout import FILE_MODE

_COMMON = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
# Do not follow a link to another user's file, and do not wait for the other end of a pipe.
_CAREFUL = _COMMON | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_TEXT_BYTES = 32


class Identity(NamedTuple):
    """What distinguishes a file from another one of the same name."""

    device: int
    inode: int


HELD = -1
"""Returned by `lock_directory` for a directory that another process has locked."""


class NotALockFile(OSError):
    """Something other than a regular file has the lock's name."""


def open_lock(path: Path) -> int:
    """Open or make the lock file, private; raises NotALockFile and OSError. Never follows a link."""
    handle = _open(path)
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    raise _not_regular(path)


def identity(path: Path) -> Identity | None:
    """Return what is at `path`, links not followed; None when it is gone or cannot be examined."""
    try:
        found = path.lstat()
    except OSError:
        return None
    return Identity(found.st_dev, found.st_ino)


def identity_of(handle: int) -> Identity:
    """Return the identity of an open file, whatever its name is now."""
    found = os.fstat(handle)
    return Identity(found.st_dev, found.st_ino)


def read_owner(path: Path) -> int | None:
    """Return the living process that the file names, None when there is none."""
    try:
        handle = os.open(path, os.O_RDONLY | _CAREFUL)
    except OSError:
        return None
    try:
        return living_pid(handle) if stat.S_ISREG(os.fstat(handle).st_mode) else None
    finally:
        os.close(handle)


def living_pid(handle: int) -> int | None:
    """Return the living process that the open file names, None when there is none.

    Between a new owner's lock and its write the text is still the former owner's.
    """
    text = read_text(handle)
    if not text.isascii() or not text.isdigit() or len(text) > 10:
        return None
    pid = int(text)
    return pid if pid > 0 and is_alive(pid) else None


def read_text(handle: int) -> str:
    """Return the start of the file's text."""
    os.lseek(handle, 0, os.SEEK_SET)
    return os.read(handle, _TEXT_BYTES).decode("ascii", "replace").strip()


def write_text(handle: int, text: str) -> None:
    """Replace the file's text. On a full disk the lock still holds, but messages cannot name its owner."""
    with contextlib.suppress(OSError):
        os.ftruncate(handle, 0)
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, text.encode())


def _open(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | _CAREFUL
    try:
        handle = os.open(path, flags | os.O_EXCL, FILE_MODE)
    except FileExistsError:
        if path.is_symlink():
            raise _not_regular(path) from None
        return os.open(path, flags, FILE_MODE)
    path.chmod(FILE_MODE)
    return handle


def _not_regular(path: Path) -> NotALockFile:
    return NotALockFile(f"{path} is not a regular file; remove it and start again")


if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 30  # others cannot read locked bytes: lock one beyond the text

    def try_lock(handle: int) -> bool:
        """Lock the open file without waiting; False when another process holds it."""
        os.lseek(handle, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        finally:
            os.lseek(handle, 0, os.SEEK_SET)
        return True

    def excludes_others(path: str | Path, handle: int) -> bool:
        """Return True: locks of Windows exclude others on every file system."""
        return True

    def lock_directory(path: Path) -> int | None:
        """Return None: on Windows nobody can remove a lock file that is open."""
        return None

    def is_alive(pid: int) -> bool:
        """Return whether a process with this ID lives."""
        return True  # signal 0 would end the process here; a stale pid only makes a message less exact

else:
    import fcntl

    def try_lock(handle: int) -> bool:
        """Lock the open file without waiting; False when another process holds it."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def excludes_others(path: str | Path, handle: int) -> bool:
        """Return whether the lock of the open file at `path` excludes others.

        Some file systems grant every lock: two owners would then end each other's runs.
        """
        other = os.open(path, os.O_RDONLY | _CAREFUL)
        try:
            return identity_of(other) != identity_of(handle) or not try_lock(other)
        finally:
            os.close(other)

    def lock_directory(path: Path) -> int | None:
        """Lock a directory without waiting; return it open, `HELD`, or None where directories have no locks.

        Unlike a file in it, a directory in use cannot be removed without removing what it holds.
        """
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | _COMMON)
        try:
            is_locked = try_lock(handle)
        except OSError:  # some network file systems lock only files that are open for writing
            os.close(handle)
            return None
        if is_locked:
            return handle
        os.close(handle)
        return HELD

    def is_alive(pid: int) -> bool:
        """Return whether a process with this ID lives."""
        try:
            os.kill(pid, 0)
        except (ProcessLookupError, OverflowError):
            return False
        except PermissionError:
            return True
        return not _is_dead(pid)

    def _is_dead(pid: int) -> bool:
        """Return whether a process waits only for its parent to reap it, where the system says so (Linux)."""
        try:
            text = Path(f"/proc/{pid}/stat").read_bytes()
        except OSError:
            return False
        return text.rpartition(b") ")[2][:1] in (b"Z", b"X")
