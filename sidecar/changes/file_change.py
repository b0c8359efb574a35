"""The changes of one file, and its path relative to a workspace."""

import posixpath
from typing import Final, NamedTuple

from sidecar.api.stored.files import FileAction

MAX_PATH: Final = 4_096
"""The longest path to accept, in characters: the limit of Linux."""


class FileChange(NamedTuple):
    """The changes of a file: the lines added and deleted, if known, and the time of the last one in ms."""

    path: str
    actions: frozenset[FileAction]
    additions: int | None = None
    deletions: int | None = None
    at: int | None = None


def merged(one: FileChange, other: FileChange) -> FileChange:
    """Merge two changes of the same file, and add their known counts."""
    return FileChange(
        one.path,
        one.actions | other.actions,
        _sum(one.additions, other.additions),
        _sum(one.deletions, other.deletions),
        max((at for at in (one.at, other.at) if at), default=None),
    )


def tidy(path: str) -> str:
    """Return a path with slashes and without a leading `./`."""
    return path.strip().replace("\\", "/").removeprefix("./")


def is_absolute(path: str) -> bool:
    """Return whether a normalized path starts at a root or a drive."""
    return path.startswith("/") or path[1:3] == ":/"


def comparable(path: str) -> str:
    """Fold the case of a path with a drive letter, because Windows paths are case-insensitive."""
    return path.casefold() if path[1:2] == ":" else path


def relative(path: str, workspace: str) -> str:
    """Return a path with slashes, relative to the workspace if it is inside; "" for an empty path.

    Resolve `..` but not links, because the files may be gone or on another machine.
    """
    given, root = tidy(path), tidy(workspace).rstrip("/")
    if not given:
        return ""
    whole = posixpath.normpath(given if is_absolute(given) or not root else f"{root}/{given}")
    prefix = posixpath.normpath(root).rstrip("/") + "/"
    inside = bool(root) and comparable(whole).startswith(comparable(prefix))
    return whole[len(prefix) :] if inside else whole


def _sum(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else one + other
