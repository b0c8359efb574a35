"""Which files a workspace holds: a bounded walk that follows no links, and patterns of names."""

import os
from collections.abc import Iterator
from pathlib import Path, PurePath

from sidecar.subagents import path_pattern
from sidecar.subagents.runners.builtin.tools.faults import ToolFault

MAX_VISITED = 50_000
"""Files that are looked at, so that a walk ends in a folder of any size."""
MAX_LISTED = 1_000
SKIPPED = frozenset({".git", ".hg", ".svn", ".venv", "node_modules", "__pycache__"})
"""Folders that hold what others made; a command can look into them."""


class TooMany(Exception):
    """A bound was met; what was found before holds."""


def list_files(folder: Path, pattern: str) -> str:
    """Return the files below `folder` whose path from there fits `pattern`, one a line."""
    if not folder.is_dir():
        raise ToolFault(f"{folder.name!r} is not a folder")
    shown: list[str] = []
    try:
        for path in files_below(folder):
            if len(shown) == MAX_LISTED:
                raise TooMany(f"only {MAX_LISTED:,} are listed; narrow the pattern")
            if fits(path, pattern):
                shown.append(path)
    except TooMany as fault:
        shown.append(f"[there may be more: {fault}]")
    return "\n".join(shown) or "[no file fits]"


def files_below(folder: Path) -> Iterator[str]:
    """Yield the regular files below a folder as paths from there with slashes, sorted folder by folder.

    Raises TooMany instead of leaving files out.
    """
    visited = 0
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        for name in sorted(names):
            visited += 1
            if visited > MAX_VISITED:
                raise TooMany(f"only {MAX_VISITED:,} files are looked at; name a folder")
            path = Path(parent, name)
            if not path.is_symlink() and path.is_file():
                yield path.relative_to(folder).as_posix()


def fits(path: str, pattern: str) -> bool:
    """Tell whether a path fits a pattern: `*` within a name, `**` over folders; a name alone anywhere."""
    wanted = tuple(part for part in pattern.split("/") if part not in ("", "."))
    return path_pattern.fits(PurePath(path).parts, wanted if len(wanted) > 1 else ("**", *wanted))
