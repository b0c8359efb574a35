"""The work tree of a run on its node: made from a cache of the repository, committed at the end."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sidecar.fleet.access import make_readable, remove_tree
from sidecar.fleet.tree import agent_git, files_alone
from sidecar.fleet.tree.marks import Marks, is_file, marks_of
from sidecar.fleet.tree.node_cache import NodeCache
from sidecar.fleet.tree.private_git import PrivateGit
from sidecar.subagents.runners.remote.git import (
    LARGE_SECONDS,
    WITHOUT_SETTINGS,
    GitError,
    bundle,
    check_complete,
    commit_index,
    git,
    line,
)

MOST_FILE_BYTES = 1 << 30
"""A larger file is not brought back: git would take long, and the bundle much memory."""
_TREE_SETTINGS = (
    ("core.autocrlf", "false"),
    # Git LFS on the node has no files, and would store those of the agent in a folder that is not sent back.
    ("filter.lfs.process", ""),
    ("filter.lfs.required", "false"),
)


class NodeTree:
    """The tree of one run below its folder; its objects come from the node's cache of the repository."""

    def __init__(self, fleet: Path, folder: Path, repository: str, prefix: str, base: str) -> None:
        self.path = folder / "tree"
        self._cache = NodeCache(fleet / "cache" / f"{repository}.git")
        self._incoming = folder / "incoming.bundle"
        self._folder = folder
        self._prefix = prefix
        self._base = base
        self._making = folder / "tree-in-the-making"
        self._start = folder / "index-at-start"
        self.opened: list[str] = []
        """Repositories in the tree that `save` turned into plain folders."""
        self._large: list[str] = []
        self.left_out: list[str] = []
        """Files that `save` could not store."""

    @property
    def working_directory(self) -> Path:
        """The directory in which the agent works."""
        return self.path / self._prefix if self._prefix else self.path

    def known(self) -> list[str]:
        """Return the commits in the cache, which keeps them until this process ends. Blocking."""
        return self._cache.known()

    def write(self, offset: int, data: bytes) -> None:
        """Write a piece of the bundle; offset 0 starts over. Blocking."""
        write_piece(self._incoming, offset, data)

    def check_out(self, task_id: str) -> None:
        """Import the bundle, if one was sent, and make the work tree. Blocking."""
        self._cache.take(self._incoming if self._incoming.exists() else None, self._base)
        self._incoming.unlink(missing_ok=True)
        self._making.touch()
        remove_tree(self.path)
        self.path.mkdir(mode=0o700)
        self._make_repository(task_id)
        git(self.path, "reset", "--quiet", "--hard", env=WITHOUT_SETTINGS, timeout=LARGE_SECONDS)
        shutil.copy2(self.path / ".git" / "index", self._start)
        self._making.unlink()

    def _make_repository(self, task_id: str) -> None:
        """Make the repository of the tree, on a branch at the base."""
        git(self.path, "init", "--quiet", ".", env=WITHOUT_SETTINGS)
        alternates = self.path / ".git" / "objects" / "info" / "alternates"
        alternates.write_text(f"{self._cache.objects}\n")
        for setting in _TREE_SETTINGS:
            git(self.path, "config", *setting)
        git(self.path, "update-ref", "refs/heads/" + branch(task_id), self._base)
        git(self.path, "symbolic-ref", "HEAD", "refs/heads/" + branch(task_id))

    @property
    def is_whole(self) -> bool:
        """Whether the tree was made completely, so that its files are those of an agent."""
        return self.path.is_dir() and not self.path.is_symlink() and not self._making.exists()

    def submodules(self) -> list[str]:
        """Return the paths of submodules, which are empty here. Blocking."""
        return agent_git.submodules(self.path, self._base)

    def large_files(self) -> list[str]:
        """Return the paths of files that Git LFS stores elsewhere; the tree has their pointers. Blocking."""
        return line(self.path, "ls-files", "-z", ":(attr:filter=lfs)").split("\0")[:-1]

    def save(self, task_id: str) -> tuple[str, bytes]:
        """Commit the changes; return the commit and a bundle of what the base lacks, b"" for none. Blocking.

        An agent's own commits are kept if they descend from the base and can be read. If the node's objects
        of the base are damaged too, the files alone are saved.
        """
        if not self.is_whole:
            return self._base, b""
        self._cache.hold()
        unreadable, self._large = make_readable(self.path, MOST_FILE_BYTES)
        with self._private() as private:
            head = private.head_after(self._base)
            try:
                saved = self._saved(private, head, task_id)
            except GitError as error:
                if private.is_temporary(error):
                    raise
                saved = self._saved_otherwise(private, head, task_id)
        self.left_out += unreadable
        return saved

    @contextmanager
    def _private(self, *, is_alone: bool = False) -> Iterator[PrivateGit]:
        objects = None if is_alone else self._cache.objects
        with tempfile.TemporaryDirectory(dir=self._folder, prefix="snapshot-") as folder:
            yield PrivateGit(Path(folder) / "private.git", self.path, objects)

    def _saved_otherwise(self, first: PrivateGit, head: str, task_id: str) -> tuple[str, bytes]:
        """Save without the agent's commits, or else without any object made before: they may be damaged."""
        added = Marks(added=[each for each in first.listed("ls-files") if is_file(self.path / each)])
        if head != self._base:
            with self._private() as private:
                try:
                    return self._saved(private, self._base, task_id, added)
                except GitError as error:
                    if private.is_temporary(error):
                        raise
        with self._private(is_alone=True) as private:
            rows = files_alone.begin(private, self._start)
            self._add(private, set(agent_git.links(rows)), added)
            return files_alone.save(private, self._base, task_id)

    def _saved(
        self, private: PrivateGit, head: str, task_id: str, added: Marks | None = None
    ) -> tuple[str, bytes]:
        private.begin(self._start, head)
        self._add(private, set(agent_git.links(private.listed("ls-tree", "-r", self._base))), added)
        environment = private.environment
        commit = commit_index(self.path, [head], f"Changes of run {task_id}", environment)
        if commit == self._base:
            return commit, b""
        data = bundle(private.folder, f"refs/sidecar/{task_id}", commit, [self._base], environment)
        if head != self._base:
            self._check(commit, data)
        return commit, data

    def _add(self, private: PrivateGit, submodules: set[str], added: Marks | None) -> None:
        """Add all files, and those that an attempt before found in the indexes of the agent."""
        marks = marks_of(private)
        marks.added = [each for each in marks.added if each not in self._large]
        marks.apply(private)
        if added is not None:
            added.apply(private)
        self.opened += agent_git.open_nested(private, submodules, self._folder / "aside")
        self.left_out = private.add_all(self._large)

    def _check(self, commit: str, data: bytes) -> None:
        """Raise GitError if the agent's objects are not what their names say, so that others are missing."""
        with self._private() as private:
            file = private.folder / "changes.bundle"
            file.write_bytes(data)
            private.run("bundle", "unbundle", str(file))
            check_complete(self.path, commit, self._base, private.environment)

    def release(self) -> None:
        """Release the cache after the end of the run."""
        self._cache.release()

    def remove(self) -> None:
        """Remove the work tree. Blocking."""
        remove_tree(self.path)


def write_piece(path: Path, offset: int, data: bytes) -> None:
    """Write the next piece of a file; offset 0 starts over. Blocking."""
    with path.open("wb" if offset == 0 else "r+b") as file:
        file.seek(offset)
        file.write(data)
        file.truncate()


def branch(task_id: str) -> str:
    """Return the name of the branch of a run."""
    return f"sidecar/{task_id[:8]}"
