"""The stored tasks that clients see: one history for each set of roots, which clients share."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from sidecar.api.stored.tasks import TaskStatus
from sidecar.app.outbound.changes import ChangeHub
from sidecar.app.stored_tasks import StoredTasks
from sidecar.history import TaskHistory


class HistoryViews:
    """Open and close the histories of one Host. Use it in the event loop."""

    def __init__(self, changes: ChangeHub, ends: Callable[[], Mapping[str, TaskStatus]]) -> None:
        self._changes = changes
        self._ends = ends
        self._open: list[StoredTasks] = []
        self._users: dict[StoredTasks, int] = {}
        self._entered = asyncio.Event()

    async def entered(self) -> None:
        """Wait for the first client."""
        await self._entered.wait()

    @property
    def history(self) -> TaskHistory:
        """A history that includes the own root, once a client has entered one."""
        return self._open[0].history

    def enter(self, roots: Sequence[Path]) -> StoredTasks:
        """Return the stored tasks of these roots; the caller leaves them later."""
        stored = next((each for each in self._open if each.roots == tuple(roots)), None)
        if stored is None:
            stored = StoredTasks(roots, self._changes, self._ends)
            self._open.append(stored)
        self._users[stored] = self._users.get(stored, 0) + 1
        self._entered.set()
        return stored

    def change(self, stored: StoredTasks, roots: Sequence[Path]) -> StoredTasks:
        """Leave stored tasks for those of other roots, and return these."""
        if self._users[stored] == 1 and not any(each.roots == tuple(roots) for each in self._open):
            stored.reopen(roots)
            return stored
        self._users[stored] -= 1
        entered = self.enter(roots)
        entered.follow()
        return entered

    async def leave(self, stored: StoredTasks) -> None:
        """Close stored tasks that nobody uses any more, except the last, which the Host itself needs."""
        self._users[stored] -= 1
        if self._users[stored] == 0 and len(self._open) > 1:
            self._open.remove(stored)
            del self._users[stored]
            await asyncio.to_thread(stored.close, 0.5)

    def touch(self, root: str, task_ids: list[str]) -> None:
        """Check tasks again in every history. Blocking: call it in a thread."""
        for stored in list(self._open):
            stored.history.touch(root, task_ids)

    async def aclose(self) -> None:
        """Close everything, in about half a second."""
        await asyncio.gather(*(asyncio.to_thread(stored.close, 0.5) for stored in self._open))
