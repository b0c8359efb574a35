"""A private repository whose work tree is the agent's.

What the agent set in git does not apply: its settings, attributes and filters, which can run programs or name
another tree, and the marks in its index, which hide changes.
"""

import contextlib
import os
import shutil
from collections.abc import Collection, Sequence
from pathlib import Path

from sidecar.fleet.tree import agent_files
from sidecar.subagents.runners.remote.full_disk import is_full
from sidecar.subagents.runners.remote.git import LARGE_SECONDS, WITHOUT_SETTINGS, GitError, GitTimeout, git

_HEAD_SECONDS = 10.0
_SPARE_BYTES = 16 << 20
"""With less space, a failure is put down to a full disk."""
_MOST_FAILURES = 64
"""How many paths that a command fails for are found one by one, which takes several commands for each."""


class PrivateGit:
    """A repository without settings of an agent or a user. It borrows the objects of others."""

    def __init__(self, folder: Path, top: Path, objects: Path | None) -> None:
        """Make it in a new folder, with the objects of the base unless None. Raises GitError. Blocking."""
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
        if objects is not None:
            self._alternates.write_text(f"{objects}\n")
        agent_files.copy(agent_files.git_folder(top) / "info" / "exclude", folder / "info" / "exclude")

    def run(self, *args: str, stdin: bytes | None = None, index: Path | None = None) -> bytes:
        """Run git and return its stdout, with another index if one is given. Raises GitError. Blocking."""
        given = {} if index is None else {"GIT_INDEX_FILE": str(index)}
        environment = {**self.environment, **given}
        return git(self.top, *args, env=environment, stdin=stdin, timeout=LARGE_SECONDS)

    def listed(self, command: str, *args: str, index: Path | None = None) -> list[str]:
        """Return the entries that a command prints with `-z`. Raises GitError. Blocking."""
        return self.run(command, "-z", *args, index=index).decode("utf-8", "surrogateescape").split("\0")[:-1]

    def head_after(self, base: str) -> str:
        """Return the agent's commit if it descends from the base, else the base. Blocking.

        Only its own commits need the objects of its repository, which it may have damaged.
        """
        own = agent_files.git_folder(self.top)
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
        """Create the index for a commit; read no file again that is as in the index `start`. Blocking."""
        index = self.folder / "index"
        if start.exists():
            shutil.copy2(start, index)  # git compares its time with those of the files
            try:
                self.run("read-tree", "-m", head)
            except GitError:
                index.unlink()
        if not index.exists():
            self.run("read-tree", head)

    def add_all(self, without: Collection[str] = ()) -> list[str]:
        """Add everything that git does not ignore, `without` some files.

        Returns the changed paths that were not added: those, and what git cannot store. Raises GitError if
        the disk is full or git does not end in time: then all must wait. Blocking.
        """
        if not without:
            try:
                self.run("add", "--all", "--ignore-errors", "--", ".")
                return []
            except GitError as error:
                if self.is_temporary(error):
                    raise
        changed = self._changed()
        skipped = sorted(set(changed) & set(without))
        command = ("add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul")
        added = [path for path in changed if path not in without]
        return [*skipped, *self._keep_raw(self.each(command, added))]

    def each(self, command: Sequence[str], entries: Sequence[str]) -> list[str]:
        """Run a command for all entries, in parts if it fails; return the others. Blocking."""
        failed: list[str] = []
        waiting = [list(entries)] if entries else []
        while waiting and len(failed) < _MOST_FAILURES:
            part = waiting.pop()
            try:
                self.run(*command, stdin=_joined(part))
            except GitError as error:
                if self.is_temporary(error):
                    raise
                (self.folder / "index.lock").unlink(missing_ok=True)
                if len(part) == 1:
                    failed += part
                else:
                    waiting += [part[: len(part) // 2], part[len(part) // 2 :]]
        return [*failed, *(entry for part in waiting for entry in part)]

    def is_temporary(self, error: GitError) -> bool:
        """Return whether a failure may be over later: git took too long, or the disk is full."""
        is_low = shutil.disk_usage(self.folder).free < _SPARE_BYTES
        return is_low or isinstance(error, GitTimeout) or is_full(str(error))

    def _changed(self) -> list[str]:
        """Return the paths whose files differ from the index."""
        others = self.listed("ls-files", "--others", "--exclude-standard")
        return [*others, *self.listed("diff-files", "--name-only", "--ignore-submodules=all")]

    def _keep_raw(self, paths: Sequence[str]) -> list[str]:
        """Add files unconverted, in case a conversion rejects them; return the paths that cannot be added."""
        entries: dict[str, str] = {}
        for path in paths:
            full = self.top / path
            if full.is_file() and not full.is_symlink() and agent_files.is_inside(self.top, path):
                with contextlib.suppress(GitError):
                    name = self.run("hash-object", "-w", "--no-filters", "--", path).decode().strip()
                    mode = "100755" if os.access(full, os.X_OK) else "100644"
                    entries[path] = f"{mode} {name} 0\t{path}"
        self.each(("update-index", "-z", "--index-info"), [*entries.values()])
        stored = set(self.listed("ls-files", "--stage"))
        return sorted(path for path in paths if entries.get(path) not in stored)


def _joined(entries: Sequence[str]) -> bytes:
    return "".join(f"{each}\0" for each in entries).encode("utf-8", "surrogateescape")
