"""The kept copies of the sessions of one root.

The folder of a root holds `list.jsonl` and `blobs/`. `writing.py` makes and removes copies.
"""

import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple
from zlib import crc32

from sidecar.storage.kept.blob_names import is_blob
from sidecar.storage.kept.list_size import LOST, recorded_size, size_file
from sidecar.storage.kept.records import KeptFile, KeptSession, Listed, parse_list

_LIST: Final = "list.jsonl"
_BLOBS: Final = "blobs"
_NOTHING: Final = Listed("", "", {}, 0)


def folder_for(kept: str, root: str) -> str:
    """Return the folder for the copies of a root, below the folder of all copies."""
    data = os.fsencode(os.path.realpath(root))
    return f"{kept}{os.sep}{crc32(data):08x}{crc32(data[::-1]):08x}"


def kept_roots(kept: Path) -> Iterator[str]:
    """Yield the roots of which there are copies."""
    for folder in sorted(kept.glob("*/")):
        copies = Copies(str(folder))
        if copies.sessions():
            yield copies.listed().root


class _Seen(NamedTuple):
    """What a list says at a version of it and of the folder of copied files.

    `size` is in bytes, without a last line that was not written to its end.
    """

    version: object
    listed: Listed
    whole: Mapping[str, KeptSession]
    size: int


class Copies:
    """The copies in one folder, which may not exist. Every call sees what other processes wrote.

    Without a folder (an empty text) there are none. Any thread may call.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.blobs = f"{folder}{os.sep}{_BLOBS}"
        self.list = f"{folder}{os.sep}{_LIST}"
        self._seen = _Seen(None, _NOTHING, {}, 0)

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
        """Return the list, its size and the folder of copied files, with the levels of folders that count."""
        return [(self.list, 0), (size_file(self.folder), 0), (self.blobs, 1)] if self.folder else []

    def listed(self) -> Listed:
        """Return everything in the list."""
        return self._look().listed

    def sessions(self) -> Mapping[str, KeptSession]:
        """Return the sessions whose copies are complete."""
        return self._look().whole

    def loss(self) -> str | None:
        """Return what happened to the list, if copies exist that it no longer names."""
        version, (seen, listed, _, size) = self.version, self._look()
        recorded = recorded_size(self.folder) if self.folder else 0
        if version is not None and seen is None:  # it could not be read
            return None
        if version is None:
            happened = "" if recorded == 0 else "is missing"
        elif not size or listed.damaged > listed.is_cut:
            happened = "is damaged"
        elif recorded is not None and (recorded == LOST or size < recorded):
            happened = "lost lines"
        else:
            happened = ""
        if not happened or not (count := len(self.unnamed())):
            return None
        return f"the list of kept copies {happened}; it does not name {count} copied files"

    def unnamed(self) -> list[str]:
        """Return the copied files that no line of the list names."""
        named = self.listed().named
        return [entry.name for entry in self.entries() if is_blob(entry.name) and entry.name not in named]

    def used(self) -> set[str]:
        """Return the copied files of all sessions."""
        sessions = self.listed().sessions.values()
        return {file.blob for session in sessions if not session.deleted for file in session.files}

    def blob(self, file: KeptFile) -> str:
        """Return the path of a copied file."""
        return f"{self.blobs}{os.sep}{file.blob}"

    @property
    def size(self) -> int:
        """Return the size of all copies in bytes."""
        return sum(_size_of(entry) for entry in self.entries())

    def _look(self) -> _Seen:
        seen = self._seen
        version = (list_version, _mtime_ns(self.blobs)) if (list_version := self.version) else None
        if version == seen.version:
            return seen
        try:
            data, there = _bytes_of(self.list), {*_names_in(self.blobs)}
        except OSError:  # for a moment, perhaps: what was seen before still holds
            return seen
        listed = parse_list(data)
        whole = {
            key: session
            for key, session in listed.sessions.items()
            if not session.deleted and all(file.blob in there for file in session.files)
        }
        size = data.rfind(b"\n") + 1 if listed.is_cut else len(data)
        self._seen = seen = _Seen(version, listed, whole, size)
        return seen

    def entries(self) -> list["os.DirEntry[str]"]:
        """List the copied files, including those that no session refers to."""
        try:
            with os.scandir(self.blobs) as entries:
                return list(entries)
        except OSError:
            return []


@lru_cache(64)
def copies_in(folder: str) -> Copies:
    """Return the copies in a folder, shared so that the list is parsed once: 5,000 sessions take 60 ms."""
    return Copies(folder)


def _bytes_of(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except (FileNotFoundError, IsADirectoryError):
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
