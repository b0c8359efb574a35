"""What the index of an agent's repository says: files added although ignored, or left out on purpose."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from sidecar.fleet.tree import agent_files
from sidecar.fleet.tree.private_git import PrivateGit
from sidecar.subagents.runners.remote.git import GitError

LINK = "160000"
"""The mode of a nested repository."""
_LEFT_OUT = "S"
"""The mark of a file that a sparse checkout left out."""


@dataclass
class Marks:
    """Files that the agent added although they are ignored, and those that its sparse checkout removed."""

    added: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)

    def apply(self, private: PrivateGit) -> None:
        """Mark the files in the private index. Blocking."""
        private.each(("update-index", "--skip-worktree", "-z", "--stdin"), self.absent)
        private.each(("update-index", "--add", "-z", "--stdin"), self.added)


def marks_of(private: PrivateGit, folder: str = "") -> Marks:
    """Read the index of the repository in a folder of the tree, by default at its top. Blocking."""
    repository = agent_files.git_folder(private.top / folder)
    copied = private.folder / "of-the-agent" / "index"
    if not agent_files.copy(repository / "index", copied):
        return Marks()
    for shared in repository.glob("sharedindex.*"):
        agent_files.copy(shared, private.folder / shared.name)
    try:
        rows = private.listed("ls-files", "-t", "--stage", index=copied)
        known = set(private.listed("ls-files", "--", folder or "."))
    except GitError:  # it is damaged
        return Marks()
    found = Marks()
    for row in rows:
        described, _, name = row.partition("\t")
        tag, mode, *_ = described.split()
        path = f"{folder}/{name}" if folder else name
        if path not in known and mode != LINK and is_file(private.top / path):
            found.added.append(path)
        elif path in known and tag == _LEFT_OUT and not os.path.lexists(private.top / path):
            found.absent.append(path)
    return found


def is_file(path: Path) -> bool:
    """Return whether a path is a file or a link. Blocking."""
    return path.is_symlink() or path.is_file()
