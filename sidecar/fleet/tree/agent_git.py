"""Find the repositories in the tree of a run: its submodules, and those that its agent created.

A commit leaves out the files of nested repositories, but no file of an agent may be lost.
"""

from collections.abc import Iterator
from pathlib import Path

from sidecar.fleet.tree import foreign_index
from sidecar.fleet.tree.private_git import PrivateGit
from sidecar.subagents.runners.remote.git import line

_LINK = "160000"


def submodules(top: Path, commit: str) -> list[str]:
    """Return the paths of the submodules of a commit. Blocking."""
    return _links(line(top, "ls-tree", "-r", "-z", commit).split("\0"))


def open_nested(private: PrivateGit, base: str, aside: Path) -> list[str]:
    """Turn the repositories that the agent created in its tree into plain folders; return their paths.

    Moves their `.git` folders to the folder `aside`, and those of the base's submodules too: git would run in
    them. What is in submodules stays there. Blocking.
    """
    linked = set(_links(private.listed("ls-files", "--stage")))
    known = linked & set(_links(private.listed("ls-tree", "-r", base)))
    for path in linked:
        _move_aside(private.top / path / ".git", aside)
    opened = sorted(linked - known)
    for path in opened:
        private.run("update-index", "--force-remove", "--", path)
    while found := list(_nested(private)):
        for path in found:
            own = foreign_index.git_folder(private.top / path)
            forced = foreign_index.marks(private, own, f"{path}/").added
            _move_aside(private.top / path / ".git", aside)
            private.force(forced)
        opened += found
    return opened


def _move_aside(repository: Path, aside: Path) -> None:
    if repository.exists() or repository.is_symlink():
        aside.mkdir(exist_ok=True)
        repository.rename(aside / f"{len(list(aside.iterdir()))}.git")


def _links(rows: list[str]) -> list[str]:
    """Return the paths of the repositories among the rows of a tree or an index."""
    return [row.partition("\t")[2] for row in rows if row.startswith(_LINK)]


def _nested(private: PrivateGit) -> Iterator[str]:
    """Yield the nested repositories that are neither ignored nor in the index; git adds a slash to them."""
    for path in private.listed("ls-files", "--others", "--exclude-standard"):
        if path.endswith("/") and (private.top / path / ".git").exists():
            yield path.rstrip("/")
