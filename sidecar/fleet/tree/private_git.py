"""A repository of the sidecar's own over the tree of an agent.

What the agent set in git does not apply: its settings, attributes and filters, which can run programs or name
another tree, and the marks in its index, which hide changes.
"""

import contextlib
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from sidecar.subagents.runners.remote.full_disk import is_full
from sidecar.subagents.runners.remote.git import LARGE_SECONDS, GitError, git

WITHOUT_SETTINGS: Mapping[str, str] = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
}
"""Leaves out the settings of the user and the system, which an agent can change too."""
_HEAD_SECONDS = 10.0
_SPARE_BYTES = 16 << 20
"""With less space, a failure is put down to a full disk."""
_LINK, _LEFT_OUT = "160000", "S"
"""The mode of a nested repository, and the mark of a file that a sparse checkout left out."""


class PrivateGit:
    """A repository whose work tree is that of an agent. It borrows the objects of others."""

    def __init__(self, folder: Path, top: Path, objects: list[Path]) -> None:
        """Make it in a new folder. Raises GitError. Blocking."""
        self.folder = folder
        self.top = top
        self.index = folder / "index"
        self.environment = {
            **WITHOUT_SETTINGS,
            "GIT_DIR": str(folder),
            "GIT_WORK_TREE": str(top),
            "GIT_INDEX_FILE": str(self.index),
        }
        git(folder.parent, "init", "--quiet", "--bare", str(folder), env=WITHOUT_SETTINGS)
        self.run("config", "core.bare", "false")
        (folder / "objects" / "info" / "alternates").write_text("".join(f"{each}\n" for each in objects))
        self._copy(top / ".git" / "info" / "exclude", folder / "info" / "exclude")

    def run(self, *args: str, stdin: bytes | None = None, index: Path | None = None) -> bytes:
        """Run git and return its stdout, with another index if one is given. Raises GitError. Blocking."""
        given = {} if index is None else {"GIT_INDEX_FILE": str(index)}
        environment = {**self.environment, **given}
        return git(self.top, *args, env=environment, stdin=stdin, timeout=LARGE_SECONDS)

    def listed(self, *args: str) -> list[str]:
        """Return the entries that a command prints with `-z`. Raises GitError. Blocking."""
        return self.run(*args, "-z").decode("utf-8", "surrogateescape").split("\0")[:-1]

    def head_after(self, base: str) -> str:
        """Return the agent's commit if it descends from the base, else the base. Blocking."""
        try:
            given = {**WITHOUT_SETTINGS, "GIT_DIR": str(self.top / ".git")}
            named = git(self.top, "rev-parse", "--verify", "HEAD", env=given, timeout=_HEAD_SECONDS)
            head = named.decode().strip()
            self.run("merge-base", "--is-ancestor", base, head)
        except GitError:  # no repository, a branch without commits, or none in common
            return base
        return head

    def begin(self, start: Path, head: str) -> None:
        """Make the index of a commit. Files that are as in the index `start` are not read again. Blocking."""
        if start.exists():
            shutil.copy2(start, self.index)  # git compares its time with those of the files
            try:
                self.run("read-tree", "-m", head)
            except GitError:
                self.index.unlink()
        if not self.index.exists():
            self.run("read-tree", head)
        self._take_marks()

    def add_all(self) -> list[str]:
        """Add everything that git does not ignore; return the paths that git cannot store.

        Raises GitError if the disk is full, and nothing may be left out. Blocking.
        """
        try:
            self.run("add", "--all", "--ignore-errors", "--", ".")
        except GitError as error:
            if is_full(str(error)) or shutil.disk_usage(self.folder).free < _SPARE_BYTES:
                raise
        others = self.listed("ls-files", "--others", "--exclude-standard")
        return sorted({*others, *self.listed("diff-files", "--name-only")})

    def _take_marks(self) -> None:
        """Take over from the agent's index which ignored files it added, and which a sparse tree lacks."""
        copied = self.folder / "index-of-the-agent"
        if not self._copy(self.top / ".git" / "index", copied):
            return
        try:
            rows = list(self._rows(copied))
        except GitError:  # it is damaged
            return
        known = set(self.listed("ls-files"))
        new = [path for _, mode, path in rows if path not in known and mode != _LINK]
        added = [path for path in new if self._is_file(path)]
        sparse = [path for tag, _, path in rows if tag == _LEFT_OUT and path in known]
        absent = [path for path in sparse if not os.path.lexists(self.top / path)]
        with contextlib.suppress(GitError):
            self.run("update-index", "--add", "-z", "--stdin", stdin=_paths(added))
            self.run("update-index", "--skip-worktree", "-z", "--stdin", stdin=_paths(absent))

    def _rows(self, index: Path) -> Iterator[tuple[str, str, str]]:
        """Yield the mark, the mode and the path of each file in an index."""
        listed = self.run("ls-files", "-t", "--stage", "-z", index=index).decode("utf-8", "surrogateescape")
        for row in listed.split("\0")[:-1]:
            described, _, path = row.partition("\t")
            tag, mode, *_ = described.split()
            yield tag, mode, path

    def _is_file(self, path: str) -> bool:
        full = self.top / path
        return full.is_symlink() or full.is_file()

    @staticmethod
    def _copy(source: Path, target: Path) -> bool:
        """Copy a plain file of the agent's repository; return False if there is none."""
        if source.is_symlink() or not source.is_file():
            return False
        target.parent.mkdir(exist_ok=True)
        shutil.copy2(source, target)
        return True


def _paths(names: list[str]) -> bytes:
    return "".join(f"{each}\0" for each in names).encode("utf-8", "surrogateescape")
