"""A change of an agent's configuration, with a backup that undoes it exactly."""

import difflib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sidecar.api.errors import StorageError
from sidecar.cli.install import files

BACKUP_SUFFIX = ".before-subagent-sidecar"


@dataclass(frozen=True)
class Change:
    """The new text of a file, None to delete it, and whether to write, keep or drop the backup."""

    path: Path
    before: str | None
    after: str | None
    backup: Literal["write", "keep", "drop"]

    def diff(self) -> str:
        """Return the change as a unified diff; empty if only the backup goes."""
        old, new = (self.before or "").splitlines(), (self.after or "").splitlines()
        was, becomes = (os.devnull if text is None else str(self.path) for text in (self.before, self.after))
        return "\n".join(difflib.unified_diff(old, new, was, becomes, n=2, lineterm=""))

    def apply(self) -> None:
        """Make the change. Raises StorageError if the file has changed since, or cannot be written."""
        if self.before != self.after:
            files.check_writable(self.path)
        if files.read(self.path) != self.before:
            raise StorageError(f"{self.path} has changed meanwhile; run the command again")
        try:
            self._apply(backup_path(self.path))
        except OSError as error:
            raise StorageError(f"{self.path} cannot be written: {error.strerror or error}") from None

    def _apply(self, backup: Path) -> None:
        if self.backup == "write" and self.before is not None:
            files.write(backup, self.before, self.path)
        if self.after is None:
            self.path.unlink(missing_ok=True)
        elif self.after != self.before:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            files.write(self.path, self.after, self.path)
        if self.backup == "drop":
            backup.unlink(missing_ok=True)


def backup_path(path: Path) -> Path:
    """Return where the text before the installation is kept."""
    return path.with_name(path.name + BACKUP_SUFFIX)
