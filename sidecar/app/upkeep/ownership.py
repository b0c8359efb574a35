"""Track which process owns the root."""

import asyncio
import logging
from pathlib import Path
from typing import Protocol

from sidecar.api.errors import StorageError
from sidecar.storage.layout import OwnRoot
from sidecar.storage.root_lock import HeldBy, RootLock, Unavailable

logger = logging.getLogger(__name__)

CHECK_SECONDS = 1.0
"""The interval in which an owner checks its lock, and a reader checks whether there is an owner."""


class OwnershipWatcher(Protocol):
    """Acts on who owns the root."""

    async def became_owner(self) -> None:
        """Take over from an owner that has exited."""

    async def still_reading(self) -> None:
        """Read what the owner, another process, has changed. Called after each check."""

    def lost_root(self) -> None:
        """Stop using a root that was removed or replaced."""


class Ownership:
    """Hold the lock of a root, or wait for it as a reader.

    A reader becomes the owner when the owner has exited. An owner whose root, lock file or journal was
    removed or replaced stops launching and releases the root: its data would be lost, or mixed with that of
    another process.
    """

    def __init__(self, root: OwnRoot, lock: RootLock | HeldBy | Unavailable) -> None:
        self._root = root
        self._lock = lock
        self._replaced: Path | None = None
        self._watch: asyncio.Task[None] | None = None

    @classmethod
    async def claim(cls, root: OwnRoot) -> "Ownership":
        """Take the lock if it is free."""
        return cls(root, await asyncio.to_thread(RootLock.acquire, root))

    @property
    def is_owner(self) -> bool:
        """Whether this process holds the lock, and the root was not replaced."""
        return isinstance(self._lock, RootLock) and self._replaced is None

    @property
    def replaced(self) -> Path | None:
        """The root, its lock file or its journal if it was removed or replaced since it was claimed."""
        return self._replaced

    @property
    def was_abandoned(self) -> bool:
        """Whether the previous owner ended without releasing the root."""
        return isinstance(self._lock, RootLock) and self._lock.was_abandoned

    def require(self) -> None:
        """Raise StorageError, with the remedy, unless this process owns the root."""
        self._renew()
        if not self.is_owner:
            reason, remedy = self._why_not()
            raise StorageError(
                f"{self._root.path}: {reason}; {remedy}", path=str(self._root.path), reason=reason
            )

    def watch(self, watcher: OwnershipWatcher) -> None:
        """Start to check who owns the root, and notify `watcher`."""
        self._watch = asyncio.create_task(self._check(watcher), name=f"owner of {self._root.path}")

    def expect_journal(self, path: Path) -> None:
        """Accept that the file at `path` replaces the journal."""
        if isinstance(self._lock, RootLock):
            self._lock.expect_journal(path)

    async def aclose(self) -> None:
        """Stop checking and release the root."""
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.wait({self._watch}, timeout=CHECK_SECONDS)
        if isinstance(self._lock, RootLock):
            self._lock.release()

    async def _check(self, watcher: OwnershipWatcher) -> None:
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            if not isinstance(self._lock, RootLock):
                lock = await asyncio.to_thread(RootLock.try_again, self._root)
                if lock is not None:
                    self._lock = lock
                    await watcher.became_owner()
                else:
                    await watcher.still_reading()
            elif not self._renew():
                logger.error("%s was removed or replaced: this sidecar stops launching runs", self._replaced)
                watcher.lost_root()
                self._lock.release()  # another process may use what is there now
                return

    def _renew(self) -> bool:
        """Return whether a lock is still valid. Recreate a lock file that was only removed."""
        if not isinstance(self._lock, RootLock) or self._replaced is not None:
            return False
        replaced = self._lock.replaced()
        if replaced == self._root.lock and self._lock.renew():
            replaced = self._lock.replaced()
        self._replaced = replaced
        return replaced is None

    def _why_not(self) -> tuple[str, str]:
        if self._replaced is not None:
            return f"{self._replaced} was removed or replaced while in use", "restart the sidecar"
        if isinstance(self._lock, HeldBy):
            owner = "another process" if self._lock.pid is None else f"pid {self._lock.pid}"
            return f"root in use by {owner}", "launch and cancel there, or use another storage root"
        assert isinstance(self._lock, Unavailable)
        reason, _, remedy = self._lock.reason.partition("; ")
        usual = "check the permissions and free space, or use another storage root"
        return f"{self._lock.path} cannot be used: {reason}", remedy or usual
