"""The stored tasks of a set of roots: the history, its watchers and its worker processes."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sidecar.api.lifecycle import WatcherHealth
from sidecar.api.stored.tasks import Rules, TaskStatus
from sidecar.app.clock import history_clock_ms
from sidecar.app.outbound.changes import ChangeHub
from sidecar.app.roots import WantedRoots, index_dir
from sidecar.history import TaskHistory
from sidecar.history.catalog.root_catalog import RootCatalog
from sidecar.history.stores.contract import Store
from sidecar.history.stores.index_row import ReadRows
from sidecar.history.task_history import Changes

if TYPE_CHECKING:
    from sidecar.history.catalog.pool import WorkerPool
    from sidecar.history.live import LiveHistory

logger = logging.getLogger(__name__)

FOLLOW_AFTER_SECONDS = 0.2
"""The delay between `follow` and watching, so that the client's first requests are answered first."""
IDLE_WORKER_SECONDS = 60.0


class StoredTasks:
    """Own a history with its index, watchers and workers; `close` ends all of them.

    Create it in the event loop, which also notifies of changes.
    """

    def __init__(
        self,
        wanted: WantedRoots,
        changes: ChangeHub,
        ends: Callable[[], Mapping[str, TaskStatus]],
        kept: Path | None = None,
        opened: Callable[[], None] = lambda: None,
    ) -> None:
        """`ends` returns the statuses of ended runs whose stored tasks do not show their ends yet.

        `kept` is the folder of the kept copies of sessions. `opened` is called when there are other roots.
        """
        self._kept = kept
        self._opened = opened
        self._closed = False
        self._changes = changes
        self._ends = ends
        self._loop = asyncio.get_running_loop()
        self._pool: WorkerPool | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._live: list[LiveHistory] = []
        """The last one is current; the others are closing."""
        self.wanted = wanted
        self.roots = wanted.find()
        self.history = self._open(self.roots)

    @property
    def watcher(self) -> WatcherHealth:
        """The state of the file watcher."""
        return self._live[-1].state if self._live else WatcherHealth(mode="none", watches=0)

    def follow(self) -> None:
        """Start to watch the tasks after a short delay, and notify of changes."""
        if self._timer is None:
            self._timer = self._loop.call_later(FOLLOW_AFTER_SECONDS, self._follow)

    def reopen(self, wanted: WantedRoots) -> None:
        """Replace the roots."""
        self.wanted = wanted
        roots = wanted.find()
        self._show(roots, self._open(roots))

    def look_for_stores(self) -> None:
        """Add the stores that exist by now, and notify of their tasks. Blocking: call it in a thread."""
        former, known = self.history, self.roots
        roots = self.wanted.find(known)
        if roots == known:
            return
        history = self._open(roots, former.catalogs)
        changes = history.refresh()  # before any client sees them, so that no list waits for new stores
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._add, former, roots, history, changes)

    def close(self, seconds: float) -> None:
        """Close everything, in at most `seconds` for each part. Blocking: call it in a thread."""
        self._closed = True
        if self._timer is not None:
            self._loop.call_soon_threadsafe(self._timer.cancel)
        for live in self._live:
            live.stop()
        if self._pool is not None:
            self._pool.close()
        for live in self._live:
            live.close(seconds)
        if not self._live:
            self.history.close()

    def _open(self, roots: Sequence[Path], catalogs: Sequence[RootCatalog] = ()) -> TaskHistory:
        history = TaskHistory(
            list(roots),
            now=history_clock_ms,
            revision=self._revision,
            cache=index_dir(),
            read=self._read,
            kept=self._kept,
            catalogs=catalogs,
        )
        history.know_ends(self._ends)
        return history

    def _add(
        self, former: TaskHistory, roots: tuple[Path, ...], history: TaskHistory, changes: Changes
    ) -> None:
        """Replace the `former` history by one with more roots, unless it has been replaced meanwhile."""
        if not self._closed and self.history is former:
            self._show(roots, history)
        self._changes.stored_changed(changes)

    def _show(self, roots: tuple[Path, ...], history: TaskHistory) -> None:
        self.roots, self.history = roots, history
        if self._live:
            self._live[-1].stop()
            self._follow()
        self._opened()

    def _revision(self) -> int:
        return self._changes.revision

    def _read(self, store: Store, names: list[str], rules: Rules, now: int) -> ReadRows:
        if self._pool is None:
            from sidecar.history.catalog.pool import WorkerPool

            self._pool = WorkerPool()
        return self._pool.read(store, names, rules, now)

    def _follow(self) -> None:
        from sidecar.history.live import LiveHistory

        live = LiveHistory(self.history, self._announce_soon, after_scan=self._after_scan)
        self._live.append(live)
        live.start()

    def _announce_soon(self, changes: Changes) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._changes.stored_changed, changes)

    def _after_scan(self) -> None:
        """Stop idle workers, and look for new stores, after each scan of all tasks."""
        if self._pool is not None:
            self._pool.rest(IDLE_WORKER_SECONDS)
        try:
            self.look_for_stores()
        except OSError as error:
            logger.warning("cannot look for new stores: %s", error)
