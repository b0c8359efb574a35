"""What an answer depends on: folders and files, condensed so that any change of them shows."""

import os
from marshal import dumps

TYPE_CHECKING = False  # `typing` takes as long to import as a thousand files to look at
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

Place = tuple[str, int]
"""A path, and how many levels of folders below it count; 0 for the path itself only."""
SUPPORTED = os.stat in os.supports_dir_fd and hasattr(os, "O_DIRECTORY") and hasattr(os, "O_NOFOLLOW")
"""Whether this platform can look at files relative to an open folder, which takes half of the time."""
MOST = 100_000
"""How many files are looked at; an answer that depends on more is not kept."""
_SKIPPED = "__pycache__"
_TYPE, _FOLDER = 0o170000, 0o040000  # as in `stat`, which this does not import
_OPEN = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | os.O_CLOEXEC
_NOT_THERE = (0, 0, 0, 0)


class TooMany(Exception):
    """There are more than `MOST` files."""


class Evidence:
    """What was found at some places. `newest` is the newest change of anything, in ns since the epoch."""

    def __init__(self, places: "Iterable[Place]") -> None:
        """Look at all places. Raises TooMany."""
        self.found: list[tuple[Any, ...]] = []
        self.newest = 0
        self._left = MOST
        for path, levels in places:
            stamp = _stamp(path)
            self.newest = max(self.newest, stamp[3])
            self.found.append((path, stamp))
            if levels:
                self._list(path, levels, _OPEN)

    def digest(self) -> bytes:
        """Condense everything that was found, the same in every process."""
        from _blake2 import blake2b  # rather than from hashlib, which loads OpenSSL too

        return blake2b(dumps(self.found, 2), digest_size=32).digest()

    def _list(self, path: str, levels: int, flags: int) -> None:
        try:
            folder = os.open(path, flags)
        except OSError as error:
            self.found.append((path, error.errno))
            return
        try:
            self._look(path, folder, levels)
        except OSError as error:
            self.found.append((path, error.errno))
        finally:
            os.close(folder)

    def _look(self, path: str, folder: int, levels: int) -> None:
        names = os.listdir(folder)
        self._left -= len(names)
        if self._left < 0:
            raise TooMany
        below = []
        stamps = []
        for name in names:
            try:
                found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            except FileNotFoundError:  # it was removed meanwhile
                stamps.append(_NOT_THERE)
                continue
            stamps.append((found.st_mtime_ns, found.st_size, found.st_ino, found.st_ctime_ns))
            if levels > 1 and found.st_mode & _TYPE == _FOLDER and name != _SKIPPED:
                below.append(name)
        self.newest = max(self.newest, max([stamp[3] for stamp in stamps], default=0))
        self.found.append((path, names, stamps))
        for name in below:
            self._list(f"{path}{os.sep}{name}", levels - 1, _OPEN | os.O_NOFOLLOW)


def differs(stamps: "Sequence[tuple[str, tuple[int, ...]]]") -> bool:
    """Return whether a file is not as its stamp says."""
    return any(_stamp(path) != stamp for path, stamp in stamps)


def _stamp(path: str) -> tuple[int, int, int, int]:
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return _NOT_THERE
    return found.st_mtime_ns, found.st_size, found.st_ino, found.st_ctime_ns
