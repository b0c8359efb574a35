"""The work tree of a run on its node: made from a cache of the repository, committed at the end."""

import shutil
import tempfile
from pathlib import Path

from sidecar.fleet.node_cache import NodeCache
from sidecar.subagents.runners.remote.git import LARGE_SECONDS, bundle, git, line, snapshot


class NodeTree:
    """The tree of one run below its folder; its objects come from the node's cache of the repository."""

    def __init__(self, fleet: Path, folder: Path, repository: str, prefix: str, base: str) -> None:
        self.path = folder / "tree"
        self._cache = NodeCache(fleet / "cache" / f"{repository}.git")
        self._incoming = folder / "incoming.bundle"
        self._folder = folder
        self._prefix = prefix
        self._base = base

    @property
    def working_directory(self) -> Path:
        """The directory in which the agent works."""
        return self.path / self._prefix if self._prefix else self.path

    def known(self) -> list[str]:
        """Return the commits that the cache holds, from now until the end of this process. Blocking."""
        return self._cache.known()

    def write(self, offset: int, data: bytes) -> None:
        """Write a piece of the bundle; offset 0 starts it again. Blocking."""
        write_piece(self._incoming, offset, data)

    def check_out(self, task_id: str) -> None:
        """Take over the bundle, if one came, and make the work tree. Blocking."""
        self._cache.take(self._incoming if self._incoming.exists() else None, self._base)
        self._incoming.unlink(missing_ok=True)
        shutil.rmtree(self.path, ignore_errors=True)
        self.path.mkdir(mode=0o700)
        git(self.path, "init", "--quiet", ".")
        alternates = self.path / ".git" / "objects" / "info" / "alternates"
        alternates.write_text(f"{self._cache.objects}\n")
        git(self.path, "config", "core.autocrlf", "false")
        git(self.path, "update-ref", "refs/heads/" + branch(task_id), self._base)
        git(self.path, "symbolic-ref", "HEAD", "refs/heads/" + branch(task_id))
        git(self.path, "reset", "--quiet", "--hard", timeout=LARGE_SECONDS)

    def submodules(self) -> list[str]:
        """Return the paths of submodules, which are empty here. Blocking."""
        rows = line(self.path, "ls-tree", "-r", "-z", "HEAD").split("\0")
        return [row.partition("\t")[2] for row in rows if row.startswith("160000")]

    def save(self, task_id: str) -> tuple[str, bytes]:
        """Commit the changes; return the commit and a bundle of what the base lacks, b"" for none. Blocking.

        An agent's own commits are kept if they follow the base.
        """
        if not (self.path / ".git").exists():
            return self._base, b""
        self._cache.hold()
        head = self._head()
        with tempfile.TemporaryDirectory(dir=self._folder, prefix="snapshot-") as folder:
            index = Path(folder) / "index"  # its own: a killed git leaves a lock
            own = self.path / ".git" / "index"
            if own.exists():
                shutil.copy2(own, index)  # git compares its time with those of the files
            commit = snapshot(self.path, index, [head], f"Changes of run {task_id}")
        if commit == self._base:
            return commit, b""
        return commit, bundle(self.path, f"refs/sidecar/{task_id}", commit, [self._base])

    def _head(self) -> str:
        head = line(self.path, "rev-parse", "--verify", "HEAD")
        follows = line(self.path, "merge-base", head, self._base) == self._base
        return head if follows else self._base

    def release(self) -> None:
        """Need the cache no more, after the end of the run."""
        self._cache.release()

    def remove(self) -> None:
        """Remove the work tree. Blocking."""
        shutil.rmtree(self.path, ignore_errors=True)


def write_piece(path: Path, offset: int, data: bytes) -> None:
    """Write a piece of a file that comes in order; offset 0 starts it again. Blocking."""
    with path.open("wb" if offset == 0 else "r+b") as file:
        file.seek(offset)
        file.write(data)
        file.truncate()


def branch(task_id: str) -> str:
    """Return the name of the branch of a run."""
    return f"sidecar/{task_id[:8]}"
