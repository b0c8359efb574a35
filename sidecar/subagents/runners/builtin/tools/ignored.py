"""Which paths a repository's rules leave out: `.gitignore` in all its folders, and `.git/info/exclude`.

See gitignore(5). Rules alone decide here: a file that is tracked although a rule fits it is left out too.
"""

from collections.abc import Iterable
from pathlib import Path

from pathspec import GitIgnoreSpec

from sidecar.subagents.runners.builtin.tools.faults import ToolFault
from sidecar.subagents.runners.builtin.tools.files import open_file

MAX_BYTES = 256 * 1024
"""A larger file of rules is not read: it is something else."""


class IgnoreRules:
    """The rules in force in one folder: its own come before those of the folders above it."""

    def __init__(self, folder: Path, above: "IgnoreRules | None" = None, files: Iterable[Path] = ()) -> None:
        self._folder = folder
        self._above = above
        lines = [line for file in (*files, folder / ".gitignore") for line in _lines(file)]
        self._spec = GitIgnoreSpec.from_lines(filter(_is_rule, lines)) if lines else None

    def below(self, folder: Path) -> "IgnoreRules":
        """Return the rules of a folder directly in this one."""
        return IgnoreRules(folder, self)

    def leave_out(self, path: Path, *, is_folder: bool) -> bool:
        """Return whether the rules leave out a path in this folder, none of whose folders they leave out."""
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
    """Return the rules in force in a folder, those of its repository included.

    A folder that the rules leave out, but that a caller names, has only rules of its own.
    """
    top = next((each for each in (folder, *folder.parents) if (each / ".git").exists()), folder)
    rules = IgnoreRules(top, files=[_git_folder(top) / "info" / "exclude"])
    for name in folder.relative_to(top).parts:
        inner = rules._folder / name
        if rules.leave_out(inner, is_folder=True):
            return IgnoreRules(folder)
        rules = rules.below(inner)
    return rules


def _git_folder(top: Path) -> Path:
    """Return the folder of a repository's own files; that of a linked work tree is named in a file."""
    git = top / ".git"
    for line in _lines(git):
        if line.startswith("gitdir: "):
            own = top / line.removeprefix("gitdir: ")
            return own / next(iter(_lines(own / "commondir")), ".")
    return git


def _is_rule(line: str) -> bool:
    """Return whether a line can be read; git skips those that cannot, and so does this."""
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _lines(path: Path) -> list[str]:
    try:
        with open_file(path) as file:
            data = file.read(MAX_BYTES + 1)
    except ToolFault:  # most folders have none
        return []
    return [] if len(data) > MAX_BYTES else data.decode("utf-8", "replace").splitlines()
