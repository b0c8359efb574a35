"""Where the paths that an agent names lead: the only part of a decision that reads the file system."""

import os
from collections.abc import Sequence
from pathlib import Path

from sidecar.subagents.paths.real_path import real_path

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

    None when one of them is too long, too deep, behind too many links or impossible, when there are more
    than MAX_PATHS, or when one begins with a tilde: some agents read that as a home folder. Blocking.
    """
    if len(paths) > MAX_PATHS or not all(is_possible(path) and path[:1] != "~" for path in paths):
        return None
    real = [real_path(os.path.join(workspace, path)) for path in paths]  # noqa: PTH118 (a Path drops "..")
    known = [path for path in real if path is not None]
    return known if len(known) == len(real) else None


def inside(paths: Sequence[str], workspace: Path) -> tuple[str, ...] | None:
    """Return the real paths relative to the workspace, with slashes.

    None unless there are paths and all of them are in the workspace. Blocking.
    """
    real, root = resolve(paths, workspace), real_path(workspace)
    if not real or root is None:
        return None
    try:
        return tuple(Path(path).relative_to(root).as_posix() for path in real)
    except ValueError:
        return None
