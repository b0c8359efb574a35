"""Which files a workspace holds: a bounded walk that follows no links, and patterns of names."""

import os
from collections.abc import Iterator
from pathlib import Path, PurePath

from sidecar.subagents.paths import pattern as path_pattern
from sidecar.subagents.runners.builtin.tools.ignored import IgnoreRules, rules_for

MAX_VISITED = 50_000
"""Files that a walk visits at most, so that it ends in a folder of any size."""
MAX_LISTED = 1_000
SKIPPED = frozenset({".git", ".hg", ".svn", ".venv", "node_modules", "__pycache__"})
"""Folders with what others made; a command can look into them."""


class TooMany(Exception):
    """A bound was met; what was found before holds."""


def matching_files(folder: Path, pattern: str) -> Iterator[str]:
    """Yield the files below `folder` whose path from there fits `pattern`. Raises TooMany at a bound."""
    listed = 0
    for path in files_below(folder):
        if not fits(path, pattern):
            continue
        if listed == MAX_LISTED:
            raise TooMany(f"only {MAX_LISTED:,} are listed; narrow the pattern")
        listed += 1
        yield path


def files_below(folder: Path) -> Iterator[str]:
    """Yield the regular files below a folder as paths from there with slashes, sorted folder by folder.

    Leaves out what the repository's ignore rules name. Raises TooMany where it would leave out more.
    """
    visited = 0
    rules: dict[Path, IgnoreRules] = {folder: rules_for(folder)}
    for parent, folders, names in os.walk(folder):
        here = Path(parent)
        in_force = rules.pop(here)
        folders[:] = [name for name in sorted(folders) if _is_entered(here / name, in_force)]
        rules |= {here / name: in_force.below(here / name) for name in folders}
        for name in sorted(names):
            visited += 1
            if visited > MAX_VISITED:
                raise TooMany(f"only {MAX_VISITED:,} files are visited; name a folder")
            path = here / name
            if path.is_symlink() or not path.is_file() or in_force.leave_out(path, is_folder=False):
                continue
            yield path.relative_to(folder).as_posix()


def fits(path: str, pattern: str) -> bool:
    """Return whether a path fits a pattern: `*` within a name, `**` over folders; a bare name anywhere."""
    wanted = tuple(part for part in pattern.split("/") if part not in ("", "."))
    return path_pattern.fits(PurePath(path).parts, wanted if len(wanted) > 1 else ("**", *wanted))


def _is_entered(folder: Path, rules: IgnoreRules) -> bool:
    # A walk does not follow links to folders; there is nothing to read below them.
    return (
        folder.name not in SKIPPED and not folder.is_symlink() and not rules.leave_out(folder, is_folder=True)
    )
