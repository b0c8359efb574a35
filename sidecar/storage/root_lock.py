"""One owner per root: an OS lock that ends with its process, whatever ends it."""

import contextlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from sidecar.storage.layout import FILE_MODE, OwnRoot, make_private_dirs

_OPEN = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_PID_BYTES = 32


@dataclass(frozen=True)
class HeldBy:
    """Another process owns the root; `pid` is None when the file does not name a living one."""

    pid: int | None


class RootLock:
    """Holds `<root>/sidecar.lock` until `release` or the end of the process.

    The lock belongs to the open file, not to its text: a pid that a killed owner left blocks nobody.
    The file is never unlinked, or two processes could each lock one of that name.
    """

    def __init__(self, handle: int, *, was_abandoned: bool) -> None:
        self._handle: int | None = handle
        self.was_abandoned = was_abandoned
        """Whether the owner before this one ended without giving the root up, killed or with its machine."""

    @classmethod
    def acquire(cls, root: OwnRoot) -> "RootLock | HeldBy":
        """Take the lock without waiting, making the root if need be. Raises OSError where locks fail."""
        make_private_dirs(root.path)
        handle = _open(root.lock)
        try:
            if not _try_lock(handle):
                return HeldBy(_living_pid(handle))
            was_abandoned = bool(os.read(handle, _PID_BYTES).strip())
            _write_pid(handle, str(os.getpid()))
            handle, lock = -1, cls(handle, was_abandoned=was_abandoned)
            return lock
        finally:
            if handle >= 0:
                os.close(handle)

    def release(self) -> None:
        """Give the root up; idempotent."""
        handle, self._handle = self._handle, None
        if handle is None:
            return
        _write_pid(handle, "")
        os.close(handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def living_owner(root: OwnRoot) -> int | None:
    """Return the process that says it owns the root, None if none that lives does.

    Only reads: to try the lock, even for a moment, could turn away a sidecar that starts just then.
    """
    try:
        handle = os.open(root.lock, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return None
    try:
        return _living_pid(handle)
    finally:
        os.close(handle)


def _open(path: Path) -> int:
    try:
        handle = os.open(path, _OPEN | os.O_EXCL, FILE_MODE)
    except FileExistsError:
        return os.open(path, _OPEN, FILE_MODE)
    path.chmod(FILE_MODE)
    return handle


def _write_pid(handle: int, text: str) -> None:
    with contextlib.suppress(OSError):  # on a full disk the lock still holds; only the message is poorer
        os.ftruncate(handle, 0)
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, text.encode())


def _living_pid(handle: int) -> int | None:
    # The text may be a former owner's for the moment between the new owner's lock and its write.
    text = os.read(handle, _PID_BYTES).strip()
    if not text.isdigit() or len(text) > 10:
        return None
    pid = int(text)
    return pid if pid > 0 and _is_alive(pid) else None


if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 30  # locked bytes cannot be read by others: lock one beyond the text

    def _try_lock(handle: int) -> bool:
        os.lseek(handle, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        finally:
            os.lseek(handle, 0, os.SEEK_SET)
        return True

    def _is_alive(pid: int) -> bool:
        return True  # signal 0 would end the process here; a stale pid costs only a word in a message

else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _is_alive(pid: int) -> bool:
        try:
            os.kill(pid, 0)
        except (ProcessLookupError, OverflowError):
            return False
        except PermissionError:
            return True
        return True
