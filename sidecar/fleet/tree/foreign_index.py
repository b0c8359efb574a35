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
_POINTER = b"gitdir: "


@dataclass
class Marks:
    """Files that the agent added although they are ignored, and those that its sparse checkout removed."""

    added: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)


def git_folder(top: Path) -> Path:
    """Return the folder of the repository of a tree, which may be elsewhere. Blocking."""
    own = top / ".git"
    with contextlib.suppress(OSError):
        if own.is_file() and own.stat().st_size < _MOST_BYTES:
            content = own.read_bytes()[:4096]
            if content.startswith(_POINTER):
                return top / os.fsdecode(content.removeprefix(_POINTER).strip())
    return own


def copy(source: Path, target: Path) -> bool:
    """Copy a file of the agent's repository; return False if that is not possible. Blocking."""
    try:
        if not source.is_file() or source.stat().st_size > _MOST_BYTES:
            return False
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
