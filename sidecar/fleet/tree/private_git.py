"""A repository of the sidecar's own over the tree of an agent.

What the agent set in git does not apply: its settings, attributes and filters, which can run programs or name
another tree, and the marks in its index, which hide changes.
"""

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from sidecar.fleet.tree import foreign_index
from sidecar.subagents.runners.remote.full_disk import is_full
from sidecar.subagents.runners.remote.git import LARGE_SECONDS, GitError, git

WITHOUT_SETTINGS: Mapping[str, str] = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "XDG_CONFIG_HOME": os.devnull,
}
"""Leaves out the settings of the user and the system, which an agent can change too."""
_HEAD_SECONDS = 10.0
_SPARE_BYTES = 16 << 20
"""With less space, a failure is put down to a full disk."""
_MOST_FAILURES = 20_000
"""How many files that git cannot add are tried one by one before the changes count as unsaved."""


class PrivateGit:
    """A repository whose work tree is that of an agent. It borrows the objects of others."""

    def __init__(self, folder: Path, top: Path, objects: Path) -> None:
        """Make it in a new folder with the objects of the base. Raises GitError. Blocking."""
        self.folder = folder
        self.top = top
        self.environment = {
            **WITHOUT_SETTINGS,
            "GIT_DIR": str(folder),
            "GIT_WORK_TREE": str(top),
            "GIT_INDEX_FILE": str(folder / "index"),
            "GIT_LITERAL_PATHSPECS": "1",
        }
        self._alternates = folder / "objects" / "info" / "alternates"
        self._objects = objects
        git(folder.parent, "init", "--quiet", "--bare", str(folder), env=WITHOUT_SETTINGS)
        self.run("config", "core.bare", "false")
        self._alternates.write_text(f"{objects}\n")
        foreign_index.copy(foreign_index.git_folder(top) / "info" / "exclude", folder / "info" / "exclude")

    def run(self, *args: str, stdin: bytes | None = None, index: Path | None = None) -> bytes:
        """Run git and return its stdout, with another index if one is given. Raises GitError. Blocking."""
        given = {} if index is None else {"GIT_INDEX_FILE": str(index)}
        environment = {**self.environment, **given}
        return git(self.top, *args, env=environment, stdin=stdin, timeout=LARGE_SECONDS)

    def listed(self, *args: str, index: Path | None = None) -> list[str]:
        """Return the entries that a command prints with `-z`. Raises GitError. Blocking."""
        return self.run(*args, "-z", index=index).decode("utf-8", "surrogateescape").split("\0")[:-1]

    def head_after(self, base: str) -> str:
        """Return the agent's commit if it descends from the base, else the base. Blocking.

        Only its own commits need the objects of its repository, which it may have damaged.
        """
        own = foreign_index.git_folder(self.top)
        try:
            given = {**WITHOUT_SETTINGS, "GIT_DIR": str(own)}
            named = git(self.top, "rev-parse", "--verify", "HEAD", env=given, timeout=_HEAD_SECONDS)
            head = named.decode().strip()
            if head != base:
                self._alternates.write_text(f"{self._objects}\n{own / 'objects'}\n")
                self.run("merge-base", "--is-ancestor", base, head)
        except GitError:  # no repository, a branch without commits, or none in common
            self._alternates.write_text(f"{self._objects}\n")
            return base
        return head

    def begin(self, start: Path, head: str) -> None:
        """Make the index of a commit. Files that are as in the index `start` are not read again. Blocking."""
        index = self.folder / "index"
        if start.exists():
            shutil.copy2(start, index)  # git compares its time with those of the files
            try:
                self.run("read-tree", "-m", head)
            except GitError:
                index.unlink()
        if not index.exists():
            self.run("read-tree", head)
        marks = foreign_index.marks(self, foreign_index.git_folder(self.top), "")
        self.each(("update-index", "--skip-worktree", "-z", "--stdin"), marks.absent)
        self.force(marks.added)

    def force(self, paths: Sequence[str]) -> None:
        """Add files, even ignored ones; one that git cannot add does not prevent the others. Blocking."""
        self.each(("update-index", "--add", "-z", "--stdin"), paths)

    def add_all(self) -> list[str]:
        """Add everything that git does not ignore; return the paths that git cannot store.

        Raises GitError if the disk is full or git does not end in time: then all must wait. Blocking.
        """
        try:
            self.run("add", "--all", "--ignore-errors", "--", ".")
            return []
        except GitError as error:
            self._check(error)
        options = ("add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul")
        return sorted({each for each in self.each(options, self._unlike()) if not self._keep_raw(each)})

    def each(self, command: Sequence[str], paths: Sequence[str]) -> list[str]:
        """Run a command for all paths, in parts if it fails; return the paths that it fails for. Blocking."""
        failed: list[str] = []
        waiting = [list(paths)] if paths else []
        while waiting:
            part = waiting.pop()
            try:
                self.run(*command, stdin=_joined(part))
            except GitError as error:
                self._check(error)
                (self.folder / "index.lock").unlink(missing_ok=True)
                if len(part) > 1:
                    waiting += [part[: len(part) // 2], part[len(part) // 2 :]]
                    continue
                failed += part
                if len(failed) > _MOST_FAILURES:
                    raise
        return failed

    def _unlike(self) -> list[str]:
        """Return the paths whose files differ from the index."""
        others = self.listed("ls-files", "--others", "--exclude-standard")
        return [*others, *self.listed("diff-files", "--name-only", "--ignore-submodules=all")]

    def _keep_raw(self, path: str) -> bool:
        """Add a file without conversions, for which it may be invalid; return whether that works."""
        full = self.top / path
        if full.is_symlink() or not full.is_file() or not foreign_index.is_inside(self.top, path):
            return False
        mode = "100755" if os.access(full, os.X_OK) else "100644"
        try:
            name = self.run("hash-object", "-w", "--no-filters", "--", path).decode().strip()
            self.run("update-index", "--add", "--cacheinfo", f"{mode},{name},{path}")
        except GitError as error:
            self._check(error)
            return False
        return True

    def _check(self, error: GitError) -> None:
        """Raise an error that may be over later, when everything can be saved."""
        is_late = "did not end within" in str(error)
        if is_late or is_full(str(error)) or shutil.disk_usage(self.folder).free < _SPARE_BYTES:
            raise error


def _joined(paths: Sequence[str]) -> bytes:
    return "".join(f"{each}\0" for each in paths).encode("utf-8", "surrogateescape")
