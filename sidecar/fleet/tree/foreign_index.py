"""Read the index of a repository that an agent can change, with a repository of the sidecar's own."""

import contextlib
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sidecar.subagents.runners.remote.git import GitError

if TYPE_CHECKING:
    from sidecar.fleet.tree.private_git import PrivateGit

_LINK, _LEFT_OUT = "160000", "S"
"""The mode of a nested repository, and the mark of a file that a sparse checkout left out."""
_MOST_BYTES = 1 << 30
"""A larger file is not read."""
_POINTER = "gitdir: "
_MOST_POINTER_BYTES = 4096


@dataclass
class Marks:
    """Files that the agent added although they are ignored, and those that its sparse checkout removed."""

    added: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)


def git_folder(top: Path) -> Path:
    """Return the folder of the repository of a tree, which may be elsewhere. Blocking."""
    own = top / ".git"
    with contextlib.suppress(OSError, UnicodeDecodeError):
        if own.is_file() and 0 < own.stat().st_size <= _MOST_POINTER_BYTES:
            content = own.read_text("utf-8")
            if content.startswith(_POINTER) and "\0" not in content:
                return top / content.removeprefix(_POINTER).strip()
    return own


def is_inside(top: Path, path: str) -> bool:
    """Return whether no link leads from the tree to a path. Blocking."""
    try:
        return (top / path).parent.resolve() == top.resolve() / Path(path).parent
    except (OSError, ValueError):
        return False


def copy(source: Path, target: Path) -> bool:
    """Copy a file of the agent's repository; return False if that is not possible. Blocking."""
    try:
        if not source.is_file() or not 0 < source.stat().st_size <= _MOST_BYTES:
            return False  # files of the system, which may have no end, have no size
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(source, target)
    except OSError:
        return False
    return True


def marks(private: "PrivateGit", folder: Path, prefix: str) -> Marks:
    """Read what the index of a repository below `prefix` says about files of the tree. Blocking."""
    copied = private.folder / "foreign" / "index"
    if not copy(folder / "index", copied):
        return Marks()
    for shared in folder.glob("sharedindex.*"):
        copy(shared, private.folder / shared.name)
    try:
        rows = private.listed("ls-files", "-t", "--stage", index=copied)
        known = set(private.listed("ls-files"))
    except GitError:  # it is damaged
        return Marks()
    found = Marks()
    for row in rows:
        described, _, name = row.partition("\t")
        tag, mode, *_ = described.split()
        path = prefix + name
        full = private.top / path
        if path not in known and mode != _LINK and (full.is_symlink() or full.is_file()):
            found.added.append(path)
        elif path in known and tag == _LEFT_OUT and not os.path.lexists(full):
            found.absent.append(path)
    return found
