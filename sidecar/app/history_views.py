"""The stored tasks that clients see: one history for each set of wanted roots, which clients share."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from sidecar.api.stored.tasks import TaskStatus
from sidecar.app.outbound.changes import ChangeHub
from sidecar.app.roots import WantedRoots
from sidecar.app.stored_tasks import StoredTasks
from sidecar.history import TaskHistory


class HistoryViews:
    """Open and close the histories of one Host. Use it in the event loop."""

    def __init__(
        self,
        changes: ChangeHub,
        ends: Callable[[], Mapping[str, TaskStatus]],
        kept: Path | None = None,
    ) -> None:
        """`kept` is the folder of the kept copies of sessions."""
        self._kept = kept
        self.opened: Callable[[], None] = lambda: None
        """Called after a history was opened, or got more roots."""
        self._changes = changes
        self._ends = ends
        self._open: list[StoredTasks] = []
        self._users: dict[StoredTasks, int] = {}
        self._entered = asyncio.Event()
        self._closing: set[asyncio.Future[None]] = set()

    async def entered(self) -> None:
        """Wait for the first client."""
        await self._entered.wait()

    @property
    def history(self) -> TaskHistory:
        """A history that includes the own root, once a client has entered one."""
        return self._open[0].history

    @property
    def histories(self) -> Sequence[TaskHistory]:
        """All open histories."""
        return [stored.history for stored in self._open]

    def enter(self, wanted: WantedRoots) -> StoredTasks:
        """Return the stored tasks of these roots; the caller leaves them later."""
        stored = self._of(wanted)
        if stored is None:
            stored = StoredTasks(wanted, self._changes, self._ends, self._kept, lambda: self.opened())
            self._open.append(stored)
            self.opened()
        self._users[stored] = self._users.get(stored, 0) + 1
        self._entered.set()
        self._close_unused()
        return stored

    def change(self, stored: StoredTasks, wanted: WantedRoots) -> StoredTasks:
        """Leave stored tasks for those of other roots, and return these."""
        if stored.wanted == wanted:
            return stored
        if self._users[stored] == 1 and self._of(wanted) is None:
            stored.reopen(wanted)
            return stored
        self._users[stored] -= 1
        entered = self.enter(wanted)
        entered.follow()
        return entered

    async def leave(self, stored: StoredTasks) -> None:
        """Close stored tasks that nobody uses any more, except the last, which the Host itself needs."""
        self._users[stored] -= 1
        self._close_unused()
        await self._closed()

    def touch(self, root: str, task_ids: list[str]) -> None:
        """Check tasks again in every history. Blocking: call it in a thread."""
        for stored in list(self._open):
            stored.history.touch(root, task_ids)

    async def aclose(self) -> None:
        """Close everything, in about half a second."""
        await asyncio.gather(*(asyncio.to_thread(stored.close, 0.5) for stored in self._open))
        await self._closed()

    def _of(self, wanted: WantedRoots) -> StoredTasks | None:
        return next((each for each in self._open if each.wanted == wanted), None)

    def _close_unused(self) -> None:
        for stored in [each for each in self._open if not self._users[each]]:
            if len(self._open) > 1:
                self._open.remove(stored)
                del self._users[stored]
                closing = asyncio.get_running_loop().run_in_executor(None, stored.close, 0.5)
                self._closing.add(closing)
                closing.add_done_callback(self._closing.discard)

    async def _closed(self) -> None:
        if self._closing:
            await asyncio.wait(set(self._closing))
