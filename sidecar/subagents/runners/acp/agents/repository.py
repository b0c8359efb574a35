"""Find the folders in which agents search for the settings of a repository."""

from collections.abc import Iterator
from pathlib import Path


def folders(workspace: Path) -> Iterator[Path]:
    """Yield the workspace and its parent folders, up to the root of its repository.

    Without a repository, continue to the root of the file system. Skip the home folder, whose settings are
    the user's own.
    """
    for folder in (workspace, *workspace.parents):
        if folder != Path.home():
            yield folder
        if (folder / ".git").exists():
            return
