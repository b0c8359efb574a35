"""Handle what agents do with git in their tree: replace its repository, or create others in it.

A commit leaves out the files of nested repositories, but no file of an agent may be lost.
"""

from collections.abc import Iterator
from pathlib import Path

from sidecar.subagents.runners.remote.git import GitError, git, line

_LINK = "160000"


def holds(top: Path, commit: str) -> bool:
    """Return whether the tree has a repository of its own that knows a commit. Blocking."""
    if not (top / ".git").exists():  # git would search the parent folders
        return False
    try:
        git(top, "cat-file", "-e", f"{commit}^{{commit}}")
    except GitError:
        return False
    return True


def head_after(top: Path, base: str) -> str:
    """Return the commit that is checked out if it descends from the base, else the base. Blocking."""
    try:
        head = line(top, "rev-parse", "--verify", "HEAD^{commit}")
        follows = line(top, "merge-base", head, base) == base
    except GitError:  # a branch without commits, or with none in common
        return base
    return head if follows else base


def index_from(top: Path, index: Path, head: str) -> None:
    """Make an index file of a commit. Blocking."""
    index.unlink(missing_ok=True)
    git(top, "read-tree", head, env={"GIT_INDEX_FILE": str(index)})


def is_readable(top: Path, index: Path) -> bool:
    """Return whether an index file is intact. Blocking."""
    try:
        git(top, "ls-files", "--stage", "-z", env={"GIT_INDEX_FILE": str(index)})
    except GitError:
        return False
    return True


def submodules(top: Path, commit: str) -> list[str]:
    """Return the paths of the submodules of a commit. Blocking."""
    rows = line(top, "ls-tree", "-r", "-z", commit).split("\0")
    return [row.partition("\t")[2] for row in rows if row.startswith(_LINK)]


def open_nested(top: Path, index: Path, base: str, aside: Path) -> list[str]:
    """Turn the repositories that the agent created in its tree into plain folders; return their paths.

    Moves their `.git` folders to the folder `aside`. Submodules of the base stay. Blocking.
    """
    private = {"GIT_INDEX_FILE": str(index)}
    known = set(submodules(top, base))
    opened: list[str] = []
    for path in set(_linked(top, private)) - known:
        git(top, "update-index", "--force-remove", "--", path, env=private)
    while found := [each for each in _nested(top, private) if each not in known]:
        for path in found:
            aside.mkdir(exist_ok=True)
            (top / path / ".git").rename(aside / f"{len(opened)}.git")
            opened.append(path)
    return opened


def _linked(top: Path, private: dict[str, str]) -> Iterator[str]:
    """Yield the nested repositories that the index lists in place of their files."""
    for row in _listed(top, private, "--stage"):
        if row.startswith(_LINK):
            yield row.partition("\t")[2]


def _nested(top: Path, private: dict[str, str]) -> Iterator[str]:
    """Yield the nested repositories that are neither ignored nor in the index; git adds a slash to them."""
    for path in _listed(top, private, "--others", "--exclude-standard"):
        if path.endswith("/") and (top / path / ".git").exists():
            yield path.rstrip("/")


def _listed(top: Path, private: dict[str, str], *options: str) -> list[str]:
    return git(top, "ls-files", "-z", *options, env=private).decode("utf-8", "surrogateescape").split("\0")
