"""A change of an agent's configuration, with a backup that undoes it exactly."""

import difflib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sidecar.api.errors import StorageError
from sidecar.cli.install import files

Backup = Literal["write", "keep", "drop"]
BACKUP_SUFFIX = ".before-subagent-sidecar"


@dataclass(frozen=True)
class Change:
    """The new text of a file, None to delete it, and whether to write, keep or drop the backup."""

    path: Path
    before: str | None
    after: str | None
    backup: Backup

    @property
    def removed_backup(self) -> Path | None:
        """The backup that this change deletes without restoring it, if any."""
        is_needless = self.backup == "drop" and (self.before is None or self.before == self.after)
        return backup_path(self.path) if is_needless and backup_path(self.path).exists() else None

    def diff(self) -> str:
        """Return the change as a unified diff; empty if only the backup goes."""
        old, new = (self.before or "").splitlines(), (self.after or "").splitlines()
        was, becomes = (os.devnull if text is None else str(self.path) for text in (self.before, self.after))
        return "\n".join(difflib.unified_diff(old, new, was, becomes, n=2, lineterm=""))

    def apply(self) -> None:
        """Make the change. Raises StorageError if the file has changed since, or cannot be written."""
        if self.before != self.after:
            files.check_writable(self.path)
        try:
            if self.after is not None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            with files.locked(self.path):
                self._apply(backup_path(self.path))
        except OSError as error:
            raise StorageError(f"{self.path} cannot be written: {error.strerror or error}") from None

    def _apply(self, backup: Path) -> None:
        if files.read(self.path) != self.before:
            raise StorageError(f"{self.path} changed in the meantime; run the command again")
        if self.backup == "write" and self.before is not None:
            files.write(backup, self.before, self.path)
        if self.after is None:
            self.path.unlink(missing_ok=True)
        elif self.after != self.before:
            files.write(self.path, self.after, self.path)
        if self.backup == "drop":
            backup.unlink(missing_ok=True)


def remove_unfinished(places: Sequence[Path]) -> None:
    """Remove what a command left next to these files when it was killed. Raises StorageError."""
    for path in map(files.resolved, places):
        files.remove_unfinished(path)
        files.remove_unfinished(backup_path(path))


def backup_path(path: Path) -> Path:
    """Return where the text before the installation is kept."""
    return path.with_name(path.name + BACKUP_SUFFIX)
