"""Changes of stored tasks as they happen: watched where that is possible, looked for where it is not.

A watch may lose events without a word, so every root is also walked every few seconds, and what a walk
finds is announced like any other change. One thread does it all; readers never wait for it.
"""

import logging
import threading
import time
from collections.abc import Callable, Collection, Sequence
from typing import Final, Literal

import msgspec

from sidecar.api.lifecycle import WatcherHealth
from sidecar.history.catalog import RootCatalog
from sidecar.history.task_history import Changes, TaskHistory, clock_ms
from sidecar.history.watch_plan import TaskKey, WatchPlan, active_tasks
from sidecar.history.watch_source import NewsLost, OpenWatch, WatchUnavailable, open_watch

_log = logging.getLogger(__name__)

RECONCILE_SECONDS: Final = 8.0
"""From the end of one walk to the start of the next: with the walk itself, no change waits for 10 s."""
READ_SECONDS: Final = 0.25
"""The shortest time between two readings of one task or list, however often it is written."""
REWATCH_SECONDS: Final = 1.0
"""The shortest time between two sets of watches: a set of some hundred takes 30 ms to put up."""
POLL_SECONDS: Final = 1.0
RETRY_SECONDS: Final = 60.0
"""How often a platform that refused to watch is asked again."""

Mode = Literal["none", "watch", "poll"]


class LiveHistory:
    """Keeps a history up to date and tells of changes; `announce` is called in a thread of its own.

    `start` once, `close` at the end. `wall_ms` tells which tasks were touched lately; `after_walk` is
    called each time that all roots were walked.
    """

    def __init__(
        self,
        history: TaskHistory,
        announce: Callable[[Changes], None],
        open_watch: OpenWatch = open_watch,
        reconcile_seconds: float = RECONCILE_SECONDS,
        poll_seconds: float = POLL_SECONDS,
        wall_ms: Callable[[], int] = clock_ms,
        after_walk: Callable[[], None] = lambda: None,
    ) -> None:
        self.state = WatcherHealth(mode="none", watches=0)
        self._history = history
        self._announce = announce
        self._open_watch = open_watch
        self._reconcile_seconds = reconcile_seconds
        self._poll_seconds = poll_seconds
        self._wall_ms = wall_ms
        self._after_walk = after_walk
        self._plan = WatchPlan(history.catalogs)
        self._stop = threading.Event()
        self._due: dict[TaskKey | str, float] = {}
        """When to read which tasks, and the lists of which roots."""
        self._read_at: dict[TaskKey | str, float] = {}
        self._next_walk = 0.0
        self._thread = threading.Thread(target=self._run, name="history-live", daemon=True)

    def start(self) -> None:
        """Begin to follow; from now on lists may trust what is known."""
        self._history.followed = True
        self._thread.start()

    def stop(self) -> None:
        """Have the thread end soon."""
        self._history.followed = False
        self._stop.set()

    def close(self, seconds: float = 1.0) -> None:
        """Stop, and wait at most so long."""
        self.stop()
        if self._thread.is_alive():
            self._thread.join(seconds)

    @property
    def _catalogs(self) -> Sequence[RootCatalog]:
        return self._history.catalogs

    def _run(self) -> None:
        try:
            self._reconcile()
            while not self._stop.is_set():
                try:
                    self._watch()
                except FileNotFoundError:  # a folder went away while the watches were put up
                    self._poll(time.monotonic() + REWATCH_SECONDS)
                except NewsLost as lost:
                    _log.info("%s; all tasks are looked at", lost)
                    self._next_walk = 0.0
                except WatchUnavailable as error:
                    _log.warning("files cannot be watched (%s); they are looked at instead", error)
                    self._poll(time.monotonic() + RETRY_SECONDS)
        except Exception:  # without this thread lists are still right, only slower
            _log.exception("stored tasks are no longer followed")
        finally:
            self._history.followed = False
            self._set_mode("none", 0)
            self._history.close()

    def _watch(self) -> None:
        """Follow one set of watches until another one is needed."""
        folders = self._plan.folders(self._wall_ms())
        if not folders:
            self._poll(time.monotonic() + REWATCH_SECONDS)
            return
        with self._open_watch(list(folders), self._stop) as watch:
            stale = self._heed(watch.wait())  # by the first news or tick the watches stand
            self._set_mode("watch", len(folders))
            self._look_at_active()  # at what happened before they stood
            opened = time.monotonic()
            while not self._stop.is_set():
                stale = self._heed(watch.wait()) or stale
                self._read_due()
                if time.monotonic() >= self._next_walk:
                    self._reconcile()
                    stale = stale or self._is_short(folders)
                if stale and time.monotonic() - opened >= REWATCH_SECONDS:
                    return

    def _poll(self, until: float) -> None:
        """Look at the active tasks again and again."""
        self._set_mode("poll", 0)
        while not self._stop.wait(self._poll_seconds) and time.monotonic() < until:
            self._look_at_active()
            if time.monotonic() >= self._next_walk:
                self._reconcile()

    def _heed(self, paths: Collection[str]) -> bool:
        """Note what to read, and when; tell whether a task among it is not watched yet."""
        if not paths:
            return False
        news = self._plan.news(paths)
        now = time.monotonic()
        for each in news.tasks | news.lists:
            self._due.setdefault(each, max(now, self._read_at.get(each, 0) + READ_SECONDS))
        known = {catalog.root.path: catalog.rows("structural") for catalog in self._catalogs}
        return any(key.task_id not in known[key.root] for key in news.tasks)

    def _read_due(self) -> None:
        now = time.monotonic()
        due = [each for each, at in self._due.items() if at <= now]
        tasks = [each for each in due if isinstance(each, TaskKey)]
        for catalog in self._catalogs:
            if catalog.root.path in due:
                catalog.touch_listed(self._history.now())
            if names := [key.task_id for key in tasks if key.root == catalog.root.path]:
                catalog.touch(names, self._history.now())
        for each in due:
            del self._due[each]
            self._read_at[each] = time.monotonic()
        if due:
            self._tell()

    def _look_at_active(self) -> None:
        for catalog in self._catalogs:
            names = active_tasks(catalog.rows("structural").values(), self._wall_ms())
            catalog.touch(names, self._history.now())
        self._tell()

    def _reconcile(self) -> None:
        """Walk all roots, tell what changed, and keep it."""
        for catalog in self._catalogs:
            if not self._stop.is_set():
                catalog.reconcile(self._history.now())
        self._tell()
        for catalog in self._catalogs:
            catalog.save()
        self._after_walk()
        ended = time.monotonic()
        self._next_walk = ended + self._reconcile_seconds
        self._read_at = {each: at for each, at in self._read_at.items() if ended - at < READ_SECONDS}
        self.state = msgspec.structs.replace(self.state, last_reconcile_at=self._wall_ms())

    def _is_short(self, folders: dict[str, int]) -> bool:
        """Tell whether a folder that should be watched is not."""
        return not self._plan.folders(self._wall_ms()).items() <= folders.items()

    def _tell(self) -> None:
        changes = self._history.collect()
        if changes.any():
            self._announce(changes)

    def _set_mode(self, mode: Mode, watches: int) -> None:
        self.state = msgspec.structs.replace(self.state, mode=mode, watches=watches)
