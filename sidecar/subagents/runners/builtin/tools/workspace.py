"""Resolve the paths that a model names, and keep them inside the agent's folder."""

import os
from pathlib import Path


class ToolError(Exception):
    """A tool cannot do what the model asked. The text tells the model the cause and the remedy."""


class Workspace:
    """One folder; `root` is its real path."""

    def __init__(self, root: Path) -> None:
        self.root = Path(os.path.realpath(root))

    def resolve(self, name: str) -> Path:
        """Resolve `name` and its links to a path, which need not exist.

        Raises ToolError for a path outside the workspace. Resolve again after every wait, because links
        may change.
        """
        try:
            path = Path(os.path.realpath(self.root / name))
        except ValueError as error:  # a NUL character
            raise ToolError(f"{name!r} cannot be a file name") from error
        except OSError as error:  # a parent folder is changing, or a name is too long
            raise ToolError(f"cannot resolve {name!r}: {error.strerror}; try again") from error
        if not path.is_relative_to(self.root):
            raise ToolError(f"{name!r} leads out of the workspace {self.root}; name a file inside it")
        return path
