"""The list of kept copies: one line of JSON for each, appended when all of its files are written. Pure."""

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

_VERSION: Final = 1


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


class Listed(NamedTuple):
    """The content of the list: the product of the sessions, and the sessions by key."""

    root: str
    product: str
    sessions: Mapping[str, KeptSession]
    lines: int
    damaged: int = 0
    """How many lines cannot be read."""
    is_cut: bool = False
    """Whether one of these is the last, and was not written to its end; it names nothing that is finished."""
    named: frozenset[str] = frozenset()
    """The blobs in all lines, also in those that a later one replaces."""


def parse_list(data: bytes) -> Listed:
    """Read the list; the last line of a key counts. Lines that are cut or damaged are left out."""
    root = product = ""
    sessions: dict[str, KeptSession] = {}
    lines = data.splitlines()
    damaged = 0
    is_cut = False
    named: set[str] = set()
    for line in lines:
        match _decoded(line):
            case {"version": 1, "root": str(root_), "product": str(product_)}:
                root, product = root_, product_
            case {"key": str(key), "files": list(files), "deleted": bool(deleted)} if (
                found := _files(files)
            ) is not None:
                sessions[key] = KeptSession(found, deleted)
                named.update(file.blob for file in found)
            case _:
                damaged += 1
                is_cut = line is lines[-1] and not data.endswith(b"\n")
    return Listed(root, product, sessions, len(lines), damaged, is_cut, frozenset(named))


def head_line(root: str, product: str) -> bytes:
    """Return the first line of a list."""
    return _line({"version": _VERSION, "root": root, "product": product})


def session_line(key: str, session: KeptSession) -> bytes:
    """Return the line of one session."""
    return _line({"key": key, "files": session.files, "deleted": session.deleted})


def _line(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def _decoded(line: bytes) -> object:
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
