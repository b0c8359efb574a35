"""How one file changed, and its path relative to a workspace."""

import posixpath
from typing import Final, NamedTuple

from sidecar.api.files import FileAction

MAX_PATH: Final = 4_096
"""Longest path taken, in characters: what Linux allows."""


class FileChange(NamedTuple):
    """What was done to a file: lines added and deleted where they are known, the last time in ms."""

    path: str
    actions: frozenset[FileAction]
    additions: int | None = None
    deletions: int | None = None
    at: int | None = None


def merged(one: FileChange, other: FileChange) -> FileChange:
    """Join two records of the same file: known counts add up."""
    return FileChange(
        one.path,
        one.actions | other.actions,
        _sum(one.additions, other.additions),
        _sum(one.deletions, other.deletions),
        max((at for at in (one.at, other.at) if at), default=None),
    )


def tidy(path: str) -> str:
    """Write a path with slashes, without a leading `./`."""
    return path.strip().replace("\\", "/").removeprefix("./")


def is_absolute(path: str) -> bool:
    """Return whether a normalized path starts at a root or a drive."""
    return path.startswith("/") or path[1:3] == ":/"


def comparable(path: str) -> str:
    """Fold the case of a path with a drive letter: it is a Windows path, where case does not matter."""
    return path.casefold() if path[1:2] == ":" else path


def relative(path: str, workspace: str) -> str:
    """Write a path with slashes, relative to the workspace if it is inside; empty for no path.

    `..` is resolved and links are not: the files may be gone, or on another machine.
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
