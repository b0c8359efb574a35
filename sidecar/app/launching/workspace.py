"""The workspace of a client: its folders and whether they are trusted."""

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sidecar.api.errors import InvalidParams


@dataclass(frozen=True)
class Workspace:
    """The open folders of a client, and whether the user trusts their contents."""

    folders: tuple[Path, ...] = ()
    trusted: bool = False

    @cached_property
    def real_folders(self) -> frozenset[str]:
        """The paths of the folders with links resolved, as of the first call."""
        return frozenset(map(os.path.realpath, self.folders))

    def working_directory(self, named: str | None) -> Path:
        """Return the named working directory of a run, else the first open folder.

        Raises InvalidParams if there is none, or it is not an absolute path to a directory.
        """
        if named is None and not self.folders:
            raise InvalidParams("workspaceDir is missing and no workspace folder is open; name a directory")
        path = Path(named) if named is not None else self.folders[0]
        if not path.is_absolute():
            raise InvalidParams(f"workspaceDir: {str(path)!r} is not an absolute path")
        if not os.path.isdir(path):  # noqa: PTH112 # unlike Path.is_dir() it never raises, as for a long name
            raise InvalidParams(f"workspaceDir: {path} is not a directory")
        return path


def parse_folders(paths: list[str] | None, member: str) -> tuple[Path, ...]:
    """Return the paths that a client sent in `member`. Raises InvalidParams for a relative path."""
    for path in paths or ():
        if not Path(path).is_absolute():
            raise InvalidParams(f"{member}: {path!r} is not an absolute path")
    return tuple(Path(path) for path in paths or ())
