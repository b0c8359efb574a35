"""The kept copies of the sessions of one root.

The folder of a root holds `list.jsonl` and `blobs/`. `writing.py` makes and removes copies.
"""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple
from zlib import crc32

from sidecar.storage.kept.blob_names import is_blob
from sidecar.storage.kept.counted import Counted
from sidecar.storage.kept.records import KeptFile, KeptSession, Listed, parse_list
from sidecar.storage.kept.regular import NotRegular, read_regular

_LIST: Final = "list.jsonl"
_BLOBS: Final = "blobs"
_NOTHING: Final = Listed("", "", ())


def folder_for(kept: str, root: str) -> str:
    """Return the folder for the copies of a root, below the folder of all copies."""
    data = os.fsencode(os.path.realpath(root))
    return f"{kept}{os.sep}{crc32(data):08x}{crc32(data[::-1]):08x}"


def kept_roots(kept: Path) -> Iterator[str]:
    """Yield the roots of which there are copies."""
    for folder in sorted(kept.glob("*/")):
        copies = Copies(str(folder))
        if (copies.sessions() or copies.missing()) and (root := copies.listed().root):
            yield root


def nameless(kept: Path) -> Iterator["Copies"]:
    """Yield the copies of which the list does not tell the root."""
    for folder in sorted(kept.glob("*/")):
        copies = Copies(str(folder))
        if not copies.listed().root and any(is_blob(entry.name) for entry in copies.entries()):
            yield copies


class _Seen(NamedTuple):
    """What a list says at a version of it and of the copied files.

    It does not name the files `unnamed`, and no copy of the sessions `missing` is whole.
    """

    version: object
    listed: Listed
    counted: Counted
    unnamed: Sequence[str]
    missing: Sequence[str]


class Copies:
    """The copies in one folder, which may not exist. Every call sees what other processes wrote.

    Without a folder (an empty text) there are none. Any thread may call.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.blobs = f"{folder}{os.sep}{_BLOBS}"
        self.list = f"{folder}{os.sep}{_LIST}"
        self._seen = _Seen((None, None), _NOTHING, Counted((), ()), (), ())

    @property
    def version(self) -> object:
        """Return a value that changes with the list; None without one."""
        if not self.folder:
            return None
        try:
            status = os.lstat(self.list)
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino

    def places(self) -> list[tuple[str, int]]:
        """Return the list and the folder of copied files, with the levels of folders that count."""
        return [(self.list, 0), (self.blobs, 1)] if self.folder else []

    def listed(self) -> Listed:
        """Return everything in the list."""
        return self._look().listed

    def sessions(self) -> Mapping[str, KeptSession]:
        """Return the sessions whose copies are complete."""
        return self._look().counted.whole

    def deleted(self, key: str) -> KeptSession | None:
        """Return the copy of a session that was deleted, if none was begun since."""
        last = self._look().counted.lines.get(key, [None])[-1]
        return last if last is not None and last.deleted else None

    def missing(self) -> Sequence[str]:
        """Return the sessions of which copied files are missing, or not made yet."""
        return self._look().missing

    def loss(self) -> str | None:
        """Return what happened to the list, if copies exist that it does not name."""
        seen = self._look()
        if not (count := len(seen.unnamed)):
            return None
        if self.version is None:
            happened = "is missing; it "
        elif not seen.listed.root or len(seen.listed.damaged) > seen.listed.is_cut:
            happened = "is damaged; it "
        else:
            happened = ""
        files = "1 copied file" if count == 1 else f"{count} copied files"
        return f"the list of kept copies {happened}does not name {files}"

    def blob(self, file: KeptFile) -> str:
        """Return the path of a copied file."""
        return f"{self.blobs}{os.sep}{file.blob}"

    @property
    def size(self) -> int:
        """Return the size of all copies in bytes."""
        return sum(_size_of(entry) for entry in self.entries())

    def _look(self) -> _Seen:
        seen, version = self._seen, self._version_of_all()
        if version == seen.version:
            return seen
        try:
            listed, there = parse_list(_bytes_of(self.list)), {*_names_in(self.blobs)}
        except OSError:  # for a moment, perhaps: what was seen before still holds
            return seen
        counted = Counted(listed.lines, there)
        if version == self._version_of_all():
            unnamed = unnamed_blobs(listed, there)
            missing = [key for key in counted.missing() if not listed.may_be_deleted(key)]
        else:  # files and lines may have come or gone between the two readings
            unnamed = missing = []
        self._seen = seen = _Seen(version, listed, counted, unnamed, missing)
        return seen

    def _version_of_all(self) -> tuple[object, object]:
        return (self.version, _mtime_ns(self.blobs)) if self.folder else (None, None)

    def entries(self) -> list["os.DirEntry[str]"]:
        """List the copied files, including those that no session refers to."""
        try:
            with os.scandir(self.blobs) as entries:
                return list(entries)
        except OSError:
            return []


def unnamed_blobs(listed: Listed, there: Collection[str]) -> list[str]:
    """Return the copies among the names in the folder of copied files that no line of the list names."""
    named = listed.named
    return [name for name in there if is_blob(name) and name not in named]


@lru_cache(64)
def copies_in(folder: str) -> Copies:
    """Return the copies in a folder, shared so that the list is parsed once: 5,000 sessions take 80 ms."""
    return Copies(folder)


def _bytes_of(path: str) -> bytes:
    try:
        return read_regular(path)
    except (FileNotFoundError, NotRegular):
        return b""


def _mtime_ns(path: str) -> int | None:
    try:
        return os.lstat(path).st_mtime_ns
    except OSError:
        return None


def _names_in(folder: str) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 (no path object for each file)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _size_of(entry: "os.DirEntry[str]") -> int:
    try:
        return entry.stat(follow_symlinks=False).st_size
    except OSError:
        return 0
