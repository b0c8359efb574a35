"""Where the paths that an agent names lead: the only part of a decision that reads the file system."""

import os
from collections.abc import Sequence
from pathlib import Path

MAX_PATHS = 200
"""Paths followed for one question; resolving more would hold up everything else."""
MAX_CHARS = 4_096
"""Characters of one path: PATH_MAX of Linux."""
MAX_DEPTH = 256
"""Folders on the way to a file."""


def is_possible(path: str) -> bool:
    """Tell whether a path is within the bounds and holds neither NUL nor half a character."""
    if len(path) > MAX_CHARS or path.count("/") > MAX_DEPTH:
        return False
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def resolve(paths: Sequence[str], workspace: Path) -> list[str] | None:
    """Return the real paths, all links followed, relative ones taken from the workspace.

    None when one of them is too long, too deep or impossible, or when there are more than MAX_PATHS.
    """
    if len(paths) > MAX_PATHS or not all(map(is_possible, paths)):
        return None
    root = os.path.realpath(workspace)
    return [os.path.realpath(os.path.join(root, path)) for path in paths]  # noqa: PTH118 (links, as the system has them)


def inside(paths: Sequence[str], workspace: Path) -> tuple[str, ...] | None:
    """Return the real paths relative to the workspace, with slashes.

    None unless there are paths and all of them are in the workspace.
    """
    real = resolve(paths, workspace)
    if not real:
        return None
    root = Path(os.path.realpath(workspace))
    try:
        return tuple(Path(path).relative_to(root).as_posix() for path in real)
    except ValueError:
        return None
