"""Find the repositories in the tree of a run: its submodules, and those that its agent created.

A commit leaves out the files of nested repositories, but no file of an agent may be lost.
"""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from sidecar.fleet.tree import agent_files
from sidecar.fleet.tree.marks import LINK, marks_of
from sidecar.fleet.tree.private_git import PrivateGit
from sidecar.subagents.runners.remote.git import line


def submodules(top: Path, commit: str) -> list[str]:
    """Return the paths of the submodules of a commit. Blocking."""
    return links(line(top, "ls-tree", "-r", "-z", commit).split("\0"))


def open_nested(private: PrivateGit, known: set[str], aside: Path) -> list[str]:
    """Turn the repositories that the agent created in its tree into plain folders; return their paths.

    Moves their `.git` folders to the folder `aside`, and those of the `known` submodules too, because git
    would run in them. The files in submodules are not committed. Blocking.
    """
    linked = set(links(private.listed("ls-files", "--stage")))
    for path in linked & known:
        _move_aside(private, path, aside)
    opened = sorted(linked - known)
    for path in opened:
        private.run("update-index", "--force-remove", "--", path)
        _open(private, path, aside)
    stuck: set[str] = set()
    while found := [each for each in _nested(private) if each not in stuck]:
        stuck |= {path for path in found if not _open(private, path, aside)}
        opened += found
    return opened


def _open(private: PrivateGit, path: str, aside: Path) -> bool:
    """Turn a repository into a plain folder and keep the ignored files that it tracks.

    Returns whether that was possible.
    """
    marks = marks_of(private, path)
    is_open = _move_aside(private, path, aside)
    marks.apply(private)
    return is_open


def _move_aside(private: PrivateGit, path: str, aside: Path) -> bool:
    """Move the `.git` of a repository in the tree away; return False if that is not possible."""
    own = private.top / path / ".git"
    if not own.exists() and not own.is_symlink():
        return True
    if not agent_files.is_inside(private.top, f"{path}/.git"):
        return False
    aside.mkdir(exist_ok=True)
    try:
        own.rename(aside / f"{len(list(aside.iterdir()))}.git")
    except OSError:  # it belongs to another user, or is on another disk
        return False
    return True


def links(rows: list[str]) -> list[str]:
    """Return the paths of the repositories among the rows of a tree or an index."""
    return [row.partition("\t")[2] for row in rows if row.startswith(LINK)]


def _nested(private: PrivateGit) -> Iterator[str]:
    """Yield the nested repositories that are neither ignored nor links in the index."""
    for folder in _tracked_folders(private):
        if agent_files.is_inside(private.top, f"{folder}/.git") and (private.top / folder / ".git").exists():
            yield folder  # git lists the files in it like those of a plain folder
    for path in private.listed("ls-files", "--others", "--exclude-standard"):  # it adds a slash to the others
        if path.endswith("/") and (private.top / path / ".git").exists():
            yield path.rstrip("/")


def _tracked_folders(private: PrivateGit) -> list[str]:
    """Return the folders below the top that have files in the index."""
    parents = {parent for path in private.listed("ls-files") for parent in PurePosixPath(path).parents}
    return sorted(str(each) for each in parents if each.name)
