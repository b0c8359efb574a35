"""List the files of a workspace with a bounded walk that does not follow links, and match patterns."""

from collections.abc import Iterator
from pathlib import Path, PurePath

from sidecar.subagents.paths import pattern as path_pattern
from sidecar.subagents.runners.builtin.tools.ignored import IgnoreRules, rules_for
from sidecar.subagents.runners.builtin.tools.place import walk

MAX_VISITED = 50_000
"""The most files that a walk visits, so that it ends in a folder of any size."""
MAX_LISTED = 1_000
SKIPPED = frozenset({".git", ".hg", ".svn", ".venv", "node_modules", "__pycache__"})
"""Folders with packages and caches. The model can read them with a command."""


class TooMany(Exception):
    """A limit was reached. Earlier results are valid."""


def matching_files(folder: Path, pattern: str) -> Iterator[str]:
    """Yield the files below `folder` whose relative path fits `pattern`. Raises TooMany at a limit."""
    listed = 0
    for path in files_below(folder):
        if not fits(path, pattern):
            continue
        if listed == MAX_LISTED:
            raise TooMany(f"only the first {MAX_LISTED:,} are listed; narrow the pattern")
        listed += 1
        yield path


def files_below(folder: Path) -> Iterator[str]:
    """Yield the regular files below a folder as relative paths with slashes, sorted by folder.

    Skip files that the repository ignores. Raises TooMany at a limit.
    """
    visited = 0
    rules: dict[Path, IgnoreRules] = {folder: rules_for(folder)}
    for here, folders, names in walk(folder):
        in_force = rules.pop(here)
        folders[:] = [name for name in sorted(folders) if _is_entered(here / name, in_force)]
        rules |= {here / name: in_force.below(here / name) for name in folders}
        for name in sorted(names):
            visited += 1
            if visited > MAX_VISITED:
                raise TooMany(f"only the first {MAX_VISITED:,} files are visited; name a folder")
            path = here / name
            if path.is_symlink() or not path.is_file() or in_force.ignore(path, is_folder=False):
                continue
            yield path.relative_to(folder).as_posix()


def fits(path: str, pattern: str) -> bool:
    """Return whether a path fits a pattern.

    `*` matches within a name, `**` matches folders, and a pattern without a slash matches at any depth.
    """
    wanted = tuple(part for part in pattern.split("/") if part not in ("", "."))
    return path_pattern.fits(PurePath(path).parts, wanted if len(wanted) > 1 else ("**", *wanted))


def _is_entered(folder: Path, rules: IgnoreRules) -> bool:
    # The walk does not follow links to folders, so it needs no rules for them.
    return folder.name not in SKIPPED and not folder.is_symlink() and not rules.ignore(folder, is_folder=True)
