"""The folders in which agents look for settings of a repository."""

from collections.abc import Iterator
from pathlib import Path


def folders(workspace: Path) -> Iterator[Path]:
    """Yield the workspace and the folders above it, up to the root of its repository.

    Without a repository, up to the root of the disk; the home folder, whose settings are the user's own, is
    left out.
    """
    for folder in (workspace, *workspace.parents):
        if folder != Path.home():
            yield folder
        if (folder / ".git").exists():
            return
