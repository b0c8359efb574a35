"""One owner per root: an OS lock that ends with its process, whatever ends it."""

import errno
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from sidecar.storage import lock_file
from sidecar.storage.layout import OwnRoot, make_private, make_private_dirs

_NAMING_SECONDS: Final = 0.5
"""How long a new owner may take to write its name into the locked file."""
_PAUSE_SECONDS: Final = 0.01
_NO_LOCKS: Final = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS)
_RELEASED: Final = "released"
"""The text after an orderly end. Without it the owner was killed, or somebody removed its lock file."""


@dataclass(frozen=True)
class HeldBy:
    """Another process owns the root; `pid` is None when the file does not name a living one."""

    pid: int | None


@dataclass(frozen=True)
class Unavailable:
    """Nobody can own the root: `path` cannot be made or locked, for `reason`. It may still be readable."""

    path: Path
    reason: str


class RootLock:
    """Holds the root's directory and `<root>/sidecar.lock` until `release` or the end of the process.

    Both locks belong to open files, not to the text in one: a pid that a killed owner left blocks nobody. The
    file names the owner; the directory keeps others out when somebody removes the file, which the owner then
    makes again (`renew`). When the root is removed, another process can own a new one of that name:
    `is_current` returns whether the owner may still write.
    """

    def __init__(self, root: OwnRoot, handle: int, fence: int | None, *, was_abandoned: bool) -> None:
        self._root = root
        self._handle: int | None = handle
        self._fence = fence
        self._watched = (root.path, root.lock, root.database)
        self._known = {root.path: lock_file.identity(root.path), root.lock: lock_file.identity_of(handle)}
        self._expected: lock_file.Identity | None = None
        self.was_abandoned = was_abandoned
        """Whether the owner before this one ended without giving the root up, killed or with its machine."""

    @classmethod
    def acquire(cls, root: OwnRoot) -> "RootLock | HeldBy | Unavailable":
        """Take the lock, creating the root if necessary; the owner's root becomes private (0700, 0600).

        Waits only, for half a second at most, until another owner has written its name.
        """
        deadline = time.monotonic() + _NAMING_SECONDS
        while True:
            try:
                make_private_dirs(root.path)
                found = cls._attempt(root)
            except OSError as error:
                return Unavailable(Path(error.filename or root.path), _why(error))
            if isinstance(found, RootLock) or found.pid is not None or time.monotonic() >= deadline:
                return found
            time.sleep(_PAUSE_SECONDS)

    @classmethod
    def try_again(cls, root: OwnRoot) -> "RootLock | None":
        """Take the lock of a root whose owner is gone; None while it has one or cannot be taken.

        For a reader that is to become the owner. Costs a few system calls, and never makes the root.
        """
        if not root.path.is_dir():
            return None
        try:
            found = cls._attempt(root)
        except OSError:
            return None
        return found if isinstance(found, RootLock) else None

    @classmethod
    def _attempt(cls, root: OwnRoot) -> "RootLock | HeldBy":
        fence = lock_file.lock_directory(root.path)
        if fence == lock_file.HELD:
            return HeldBy(lock_file.read_owner(root.lock))
        try:
            found = _lock(root)
            if isinstance(found, HeldBy):
                return found
            handle, text = found
            lock = cls(root, handle, fence, was_abandoned=_is_abandoned(root, text))
            fence = None
            return lock
        finally:
            if fence is not None:
                os.close(fence)

    def renew(self) -> bool:
        """Make a lock file again that was removed or replaced; False if somebody else holds the new one."""
        try:
            found = _lock(self._root)
        except OSError:
            return False
        if isinstance(found, HeldBy) or self._handle is None:
            return False
        os.close(self._handle)
        self._handle = found[0]
        self._known[self._root.lock] = lock_file.identity_of(self._handle)
        return True

    def is_current(self) -> bool:
        """Return whether root, lock file and journal are still the ones this process owns; see `replaced`."""
        return self.replaced() is None

    def replaced(self) -> Path | None:
        """Return the first of root, lock file and journal that was removed or replaced, None if none was.

        The journal counts from the first call that finds it. Costs three system calls.
        """
        if self._handle is None:
            return self._watched[1]
        for path in self._watched:
            found = lock_file.identity(path)
            if path not in self._known:
                if found is not None:
                    self._known[path] = found
            elif found != self._known[path]:
                if found is None or path != self._root.database or found != self._expected:
                    return path
                self._known[path] = found
        return None

    def expect_journal(self, path: Path) -> None:
        """Accept that the file at `path` replaces the journal, because this process will do that."""
        self._expected = lock_file.identity(path)

    def release(self) -> None:
        """Give the root up; idempotent."""
        handle, self._handle = self._handle, None
        if handle is None:
            return
        lock_file.write_text(handle, _RELEASED)
        os.close(handle)
        if self._fence is not None:
            os.close(self._fence)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def _lock(root: OwnRoot) -> tuple[int, str] | HeldBy:
    """Lock the file and name this process in it; return the open file and the text before. Raises OSError."""
    handle = lock_file.open_lock(root.lock)
    try:
        is_locked = lock_file.try_lock(handle)
        if lock_file.identity(root.lock) != lock_file.identity_of(handle):
            return HeldBy(None)  # removed since it was opened: its text is about a file without a name
        if not is_locked:
            return HeldBy(lock_file.living_pid(handle))
        if not lock_file.excludes_others(root.lock, handle):
            raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK), str(root.lock))
        text = lock_file.read_text(handle)
        lock_file.write_text(handle, str(os.getpid()))
        make_private(root)
        locked, handle = handle, -1
        return locked, text
    finally:
        if handle >= 0:
            os.close(handle)


def _why(error: OSError) -> str:
    """Return why nobody can own the root, with the remedy after a semicolon."""
    if error.errno in _NO_LOCKS:
        return "its file system has no locks; use a storage root on a local disk"
    return error.strerror or str(error)


def _is_abandoned(root: OwnRoot, text: str) -> bool:
    return text != _RELEASED and (bool(text) or lock_file.identity(root.database) is not None)


def living_owner(root: OwnRoot) -> int | None:
    """Return the living process that is named as the owner of the root; None if there is none. Only reads."""
    return lock_file.read_owner(root.lock)
