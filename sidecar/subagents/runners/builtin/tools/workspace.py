"""The folder an agent works in: names a model gives become paths that do not lead out of it."""

import os
from pathlib import Path

from sidecar.subagents.runners.builtin.tools.faults import ToolFault


class Workspace:
    """One folder; `root` is its real path."""

    def __init__(self, root: Path) -> None:
        self.root = Path(os.path.realpath(root))

    def resolve(self, name: str) -> Path:
        """Return the path that `name` means, links followed, whether or not it exists.

        Raises ToolFault for one outside the workspace. A path is as good as the moment it was asked for:
        whoever waits in between asks again.
        """
        try:
            path = Path(os.path.realpath(self.root / name))
        except ValueError as fault:  # a zero character
            raise ToolFault(f"{name!r} cannot be a file name") from fault
        except OSError as fault:  # a folder on the way changes at this moment, or a name is too long
            raise ToolFault(f"cannot follow {name!r}: {fault.strerror}; try again") from fault
        if not path.is_relative_to(self.root):
            raise ToolFault(f"{name!r} leads out of the workspace {self.root}; name a file inside it")
        return path
