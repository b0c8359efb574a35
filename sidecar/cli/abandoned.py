"""Runs whose sidecar was killed: whoever waits for one has to look for the owner of the root."""

import time
from pathlib import Path

from sidecar.api.errors import StorageError
from sidecar.storage.layout import OwnRoot
from sidecar.storage.root_lock import living_owner

PATIENCE_SECONDS = 2.0
"""How long a root may be without an owner: another sidecar that is open takes it over in about a second."""


class OwnerWatch:
    """Notice that nobody owns a root any more. `look` comes before the journal is read each time."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._last_seen = time.monotonic()
        self._is_gone = False

    def look(self) -> None:
        """Look for the owner."""
        now = time.monotonic()
        if living_owner(OwnRoot(self._root)) is not None:
            self._last_seen = now
        self._is_gone = now - self._last_seen >= PATIENCE_SECONDS

    def require(self, task_id: str) -> None:
        """Raise StorageError, with the remedy, if nobody is left who could end this run."""
        if self._is_gone:
            reason = f"run {task_id} was left by a sidecar that was killed"
            remedy = "`cancel` stops its remaining processes"
            raise StorageError(f"{reason}; {remedy}", path=str(self._root), reason=reason)
