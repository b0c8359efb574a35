"""Compute a digest of the folders and files that an answer depends on, which shows any change of them."""

import os
from _blake2 import blake2b  # rather than from hashlib, which loads OpenSSL too
from marshal import dumps

TYPE_CHECKING = False  # importing `typing` takes as long as checking a thousand files
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

Place = tuple[str, int]
"""A path, and how many levels of folders below it count; 0 for the path itself only."""
Stamp = tuple[int, int, int, int]
"""When a file was written, its size, its inode, and when anything of it changed; times in ns."""
SUPPORTED = os.stat in os.supports_dir_fd and hasattr(os, "O_DIRECTORY") and hasattr(os, "O_NOFOLLOW")
"""Whether this platform can stat files relative to an open folder, which is faster."""
MOST = 20_000
"""How many files are checked; an answer that depends on more is not kept."""
_NEWEST = 8
_SKIPPED = "__pycache__"
"""Python writes compiled code here when it first uses a module."""
_TYPE, _FOLDER = 0o170000, 0o040000  # as in `stat`, which this does not import
_OPEN = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | os.O_CLOEXEC
_NOT_THERE = (0, 0, 0, 0)


class TooMany(Exception):
    """There are more than `MOST` files."""


class Evidence:
    """The state of the files at some places.

    `changed_at` is the time of the newest change, in ns since the epoch, and `newest` has the newest file of
    each of the folders that changed last.
    """

    def __init__(self, places: "Iterable[Place]") -> None:
        """Stat everything at all places. Raises TooMany."""
        self.changed_at = 0
        self._condensed = blake2b(digest_size=32)
        self._newest: list[tuple[int, str, Stamp]] = []
        self._left = MOST
        for path, levels in places:
            stamp = _stamp(path)
            self.changed_at = max(self.changed_at, stamp[3])
            self._take((path, stamp))
            if levels:
                self._list(path, levels, _OPEN)

    @property
    def digest(self) -> bytes:
        """The digest of everything that was found, the same in every process."""
        return self._condensed.digest()

    @property
    def newest(self) -> list[tuple[str, Stamp]]:
        """The paths of the newest files, with their stamps."""
        return [(path, stamp) for _, path, stamp in self._newest]

    def _take(self, found: "tuple[Any, ...]") -> None:
        self._condensed.update(dumps(found, 2))  # version 2: the same bytes for equal values

    def _list(self, path: str, levels: int, flags: int) -> None:
        try:
            folder = os.open(path, flags)
        except OSError as error:
            self._take((path, error.errno))
            return
        try:
            self._look(path, folder, levels)
        except OSError as error:
            self._take((path, error.errno))
        finally:
            os.close(folder)

    def _look(self, path: str, folder: int, levels: int) -> None:
        names = os.listdir(folder)
        self._left -= len(names)
        if self._left < 0:
            raise TooMany
        below, stamps = [], []
        for name in names:
            if name == _SKIPPED:
                stamps.append(_NOT_THERE)
                continue
            try:
                found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            except FileNotFoundError:  # it was removed meanwhile
                stamps.append(_NOT_THERE)
                continue
            stamps.append((found.st_mtime_ns, found.st_size, found.st_ino, found.st_ctime_ns))
            if levels > 1 and found.st_mode & _TYPE == _FOLDER:
                below.append(name)
        self._take((path, names, stamps))
        self._note_newest(path, names, stamps)
        for name in below:
            self._list(f"{path}{os.sep}{name}", levels - 1, _OPEN | os.O_NOFOLLOW)

    def _note_newest(self, path: str, names: list[str], stamps: list[Stamp]) -> None:
        changed = [stamp[3] for stamp in stamps]
        latest = max(changed, default=0)
        self.changed_at = max(self.changed_at, latest)
        if latest and (len(self._newest) < _NEWEST or latest > self._newest[-1][0]):
            place = changed.index(latest)
            self._newest.append((latest, f"{path}{os.sep}{names[place]}", stamps[place]))
            self._newest.sort(reverse=True)
            del self._newest[_NEWEST:]


def newest_change(stamps: "Iterable[tuple[str, Stamp]]") -> int | None:
    """Return the time of the newest change, in ns, if a file is not as its stamp says; else None."""
    changed = [found[3] for path, stamp in stamps if (found := _stamp(path)) != stamp]
    return max(changed) if changed else None


def _stamp(path: str) -> Stamp:
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return _NOT_THERE
    return found.st_mtime_ns, found.st_size, found.st_ino, found.st_ctime_ns
