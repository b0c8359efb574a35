"""The list of kept copies: lines of JSON, each with a checksum. Pure.

A line names the files of a session's copy. It is written before they get their names, so a copy that no line
names shows that lines were lost.
"""

import json
import re
from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple
from zlib import crc32

_DELETED: Final = b'"deleted":true'
_VERSION: Final = 1
_CHECKSUM: Final = b',"crc":'
_BLOB: Final = re.compile(rb"[0-9a-f]{40}-[0-9]+\.kept")
_KEY: Final = b'"key":'


class KeptFile(NamedTuple):
    """One copied file: its path below its root with slashes, its blob, and the original's size and time."""

    path: str
    blob: str
    size: int
    mtime_ns: int


class KeptSession(NamedTuple):
    """One session of the list; a deleted copy stays in it, so that it is not made again."""

    files: tuple[KeptFile, ...]
    deleted: bool = False

    @property
    def blobs(self) -> set[str]:
        """Return the names of the copied files."""
        return {file.blob for file in self.files}


class Listed(NamedTuple):
    """The content of the list: the root and the product of the sessions, and their lines with their keys."""

    root: str
    product: str
    lines: tuple[tuple[str, KeptSession], ...]
    damaged: tuple[bytes, ...] = ()
    """The lines that cannot be read, or are not as they were written."""
    is_cut: bool = False
    """Whether one of these is the last, and was not written to its end; it names nothing that is finished."""
    recent: Collection[str] = ()
    """The sessions with lines after the last damaged one."""

    @property
    def named(self) -> set[str]:
        """Return the blobs in all lines, also in those that no longer count."""
        return {file.blob for _, session in self.lines for file in session.files}

    def may_be_deleted(self, key: str) -> bool:
        """Return whether a damaged line seems to be that of a session's deletion."""
        own = _KEY + json.dumps(key).encode()
        return any(own in line and _DELETED in line for line in self.damaged)

    def doubtful(self, key: str | None = None) -> set[str]:
        """Return the blobs that can be read in damaged lines, except in those of the session `key`."""
        own = _KEY + json.dumps(key).encode()
        others = [line for line in self.damaged if line.count(_KEY) != 1 or own not in line]
        return {name.decode() for line in others for name in _BLOB.findall(line)}


def parse_list(data: bytes) -> Listed:
    """Read the list. Lines that are cut or damaged are left out; those of older versions have no checksum."""
    root = product = ""
    sessions: list[tuple[str, KeptSession]] = []
    lines = data.splitlines()
    damaged: list[bytes] = []
    recent: set[str] = set()
    is_cut = False
    for line in lines:
        value = _decoded(line)
        match value:
            case {"root": str(root_), "product": str(product_)}:
                root, product = root_, product_
        match value:
            case {"version": 1, "root": str(), "product": str()}:
                pass
            case {"key": str(key), "files": list(files), "deleted": bool(deleted)} if (
                found := _files(files)
            ) is not None:
                sessions.append((key, KeptSession(found, deleted)))
                recent.add(key)
            case _:
                damaged.append(line)
                recent.clear()
                is_cut = line is lines[-1] and not data.endswith(b"\n")
    return Listed(root, product, tuple(sessions), tuple(damaged), is_cut, recent)


def head_line(root: str, product: str) -> bytes:
    """Return the first line of a list."""
    return _line({"version": _VERSION, "root": root, "product": product})


def session_line(key: str, session: KeptSession, root: str, product: str) -> bytes:
    """Return the line of one session, with what the first line says, because that may be damaged."""
    values = {"key": key, "files": session.files, "deleted": session.deleted}
    return _line({**values, "root": root, "product": product} if root else values)


def _line(value: Mapping[str, Any]) -> bytes:
    body = json.dumps(value, separators=(",", ":")).encode()[:-1]
    return b"%b%b%d}\n" % (body, _CHECKSUM, crc32(body))


def _decoded(line: bytes) -> object:
    body, mark, rest = line.rpartition(_CHECKSUM)
    if mark and rest != b"%d}" % crc32(body):
        return None
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _files(values: list[Any]) -> tuple[KeptFile, ...] | None:
    files = []
    for value in values:
        match value:
            case [str(path), str(blob), int(size), int(mtime)] if "/" not in blob and "\\" not in blob:
                files.append(KeptFile(path, blob, size, mtime))
            case _:
                return None
    return tuple(files)
