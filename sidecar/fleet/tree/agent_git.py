"""Find the repositories in the tree of a run: its submodules, and those that its agent created.

A commit leaves out the files of nested repositories, but no file of an agent may be lost.
"""

from collections.abc import Iterator
from pathlib import Path

from sidecar.fleet.tree.private_git import PrivateGit
from sidecar.subagents.runners.remote.git import line

_LINK = "160000"


def submodules(top: Path, commit: str) -> list[str]:
    """Return the paths of the submodules of a commit. Blocking."""
    return _links(line(top, "ls-tree", "-r", "-z", commit).split("\0"))


def open_nested(private: PrivateGit, base: str, aside: Path) -> list[str]:
    """Turn the repositories that the agent created in its tree into plain folders; return their paths.

    Moves their `.git` folders to the folder `aside`. Submodules of the base stay. Blocking.
    """
    known = set(_links(private.listed("ls-tree", "-r", base)))
    opened: list[str] = []
    for path in set(_links(private.listed("ls-files", "--stage"))) - known:
        private.run("update-index", "--force-remove", "--", path)
    while found := [each for each in _nested(private) if each not in known]:
        for path in found:
            aside.mkdir(exist_ok=True)
            (private.top / path / ".git").rename(aside / f"{len(opened)}.git")
            opened.append(path)
    return opened


def _links(rows: list[str]) -> list[str]:
    """Return the paths of the repositories among the rows of a tree or an index."""
    return [row.partition("\t")[2] for row in rows if row.startswith(_LINK)]


def _nested(private: PrivateGit) -> Iterator[str]:
    """Yield the nested repositories that are neither ignored nor in the index; git adds a slash to them."""
    for path in private.listed("ls-files", "--others", "--exclude-standard"):
        if path.endswith("/") and (private.top / path / ".git").exists():
            yield path.rstrip("/")
