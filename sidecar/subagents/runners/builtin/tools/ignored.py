"""Apply a repository's ignore rules: `.gitignore` in all its folders, and `.git/info/exclude`.

See gitignore(5). Unlike git, ignore tracked files too if a rule matches them.
"""

import os
import warnings
from collections.abc import Iterable
from pathlib import Path

from pathspec import GitIgnoreSpec

from sidecar.subagents.runners.builtin.tools.files import open_file
from sidecar.subagents.runners.builtin.tools.workspace import ToolError

MAX_BYTES = 256 * 1024
"""Skip larger files of rules, which are probably something else."""


class IgnoreRules:
    """The rules that apply in one folder. Its own rules take precedence over those of its parents."""

    def __init__(self, folder: Path, above: "IgnoreRules | None" = None, files: Iterable[Path] = ()) -> None:
        self._folder = folder
        self._above = above
        lines = [line for file in (*files, folder / ".gitignore") for line in _lines(file)]
        self._spec = _compiled(filter(_is_rule, lines)) if lines else None

    def below(self, folder: Path) -> "IgnoreRules":
        """Return the rules of a direct subfolder."""
        return IgnoreRules(folder, self)

    def ignore(self, path: Path, *, is_folder: bool) -> bool:
        """Return whether the rules ignore a path in this folder, which they do not ignore itself."""
        rules: IgnoreRules | None = self
        while rules is not None:
            if rules._spec is not None:
                name = path.relative_to(rules._folder).as_posix()
                decided = rules._spec.check_file(f"{name}/" if is_folder else name).include
                if decided is not None:
                    return decided
            rules = rules._above
        return False


def rules_for(folder: Path) -> IgnoreRules:
    """Return the rules that apply in a folder, including those of its repository.

    If the repository ignores the folder itself, only the folder's own rules apply.
    """
    top = next((each for each in (folder, *folder.parents) if (each / ".git").exists()), folder)
    rules = IgnoreRules(top, files=[_git_folder(top) / "info" / "exclude"])
    for name in folder.relative_to(top).parts:
        inner = rules._folder / name
        if rules.ignore(inner, is_folder=True):
            return IgnoreRules(folder)
        rules = rules.below(inner)
    return rules


def _git_folder(top: Path) -> Path:
    """Return the folder of a repository's own files. A linked work tree names it in a file."""
    git = top / ".git"
    for line in _lines(git):
        if line.startswith("gitdir: "):
            own = _real(top / line.removeprefix("gitdir: "))
            return _real(own / next(iter(_lines(own / "commondir")), "."))
    return _real(git)


def _real(path: Path) -> Path:
    """Follow the links of a path. Return the path itself if that fails, such as for a NUL character."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError):
        return path


def _is_rule(line: str) -> bool:
    """Return whether a line is a valid rule; like git, callers skip the others."""
    try:
        _compiled([line])
    except ValueError:
        return False
    return True


def _compiled(lines: Iterable[str]) -> GitIgnoreSpec:
    with warnings.catch_warnings():  # of brackets in brackets, which Python may read in another way one day
        warnings.simplefilter("ignore", FutureWarning)
        return GitIgnoreSpec.from_lines(lines)


def _lines(path: Path) -> list[str]:
    try:
        with open_file(path) as file:
            data = file.read(MAX_BYTES + 1)
    except ToolError:  # most folders have no such file
        return []
    return [] if len(data) > MAX_BYTES else data.decode("utf-8", "replace").splitlines()
