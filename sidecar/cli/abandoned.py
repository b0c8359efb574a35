"""Detect runs whose sidecar was killed, so that no command waits for them forever."""

import time
from pathlib import Path

from sidecar.api.errors import StorageError
from sidecar.storage.layout import OwnRoot
from sidecar.storage.root_lock import living_owner

TAKEOVER_SECONDS = 2.0
"""How long a root may have no owner: another open sidecar takes over in about a second."""


class OwnerWatch:
    """Detect that a root has no owner anymore. Call `update` each time before the journal is read."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._last_seen = time.monotonic()
        self._is_gone = False

    def update(self) -> None:
        """Check whether the root has an owner."""
        now = time.monotonic()
        if living_owner(OwnRoot(self._root)) is not None:
            self._last_seen = now
        self._is_gone = now - self._last_seen >= TAKEOVER_SECONDS

    def require(self, task_id: str) -> None:
        """Raise StorageError with the remedy if no sidecar can end this run."""
        if self._is_gone:
            reason = f"run {task_id} was left by a sidecar that was killed"
            remedy = "`cancel` stops its remaining processes"
            raise StorageError(f"{reason}; {remedy}", path=str(self._root), reason=reason)
