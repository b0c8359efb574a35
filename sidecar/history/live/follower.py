"""Follows stored tasks: what is active is watched, and a sweep finds what no watch announced.

One thread does it all; readers never wait for it.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final, Literal

import msgspec

from sidecar.api.lifecycle import WatcherHealth
from sidecar.history.catalog.root_catalog import RootCatalog
from sidecar.history.live.due import Due
from sidecar.history.live.plan import MAX_WATCHES, NEWEST, Folders, TaskKey, WatchPlan
from sidecar.history.live.source import NewsLost, OpenWatch, WatchUnavailable, open_watch
from sidecar.history.live.sweep import ROUND_SECONDS, Sweep
from sidecar.history.task_history import Changes, TaskHistory, clock_ms

_log = logging.getLogger(__name__)

LOOK_SECONDS: Final = 1.0
"""From one look at the roots' own folders to the next: a root may be deleted or replaced at any time."""
REWATCH_SECONDS: Final = 1.0
"""The shortest time between two sets of watches: a set of some hundred takes 50 ms to open."""
POLL_SECONDS: Final = 1.0
RETRY_SECONDS: Final = 60.0
"""How often a platform that refused to watch is asked again."""

Mode = Literal["none", "watch", "poll"]


class LiveHistory:
    """Keeps a history up to date and announces changes; `announce` is called in a thread of its own.

    `start` once, `close` at the end. `reconcile_seconds` is the time for a sweep over few tasks, `wall_ms`
    tells which tasks were touched lately; `after_walk` is called after each sweep over all roots.
    """

    def __init__(
        self,
        history: TaskHistory,
        announce: Callable[[Changes], None],
        open_watch: OpenWatch = open_watch,
        reconcile_seconds: float = ROUND_SECONDS,
        poll_seconds: float = POLL_SECONDS,
        wall_ms: Callable[[], int] = clock_ms,
        after_walk: Callable[[], None] = lambda: None,
    ) -> None:
        self.state = WatcherHealth(mode="none", watches=0)
        self._history = history
        self._announce = announce
        self._open_watch = open_watch
        self._poll_seconds = poll_seconds
        self._newest_seconds = reconcile_seconds
        self._wall_ms = wall_ms
        self._after_walk = after_walk
        self._plan = WatchPlan(history.catalogs)
        self._sweep = Sweep(history.catalogs, reconcile_seconds)
        self._due: Due[TaskKey | str] = Due()
        """The tasks, and the roots whose lists, are to be read."""
        self._shared: dict[str, Folders] = {}
        self._look_at = 0.0
        self._newest_at = time.monotonic() + reconcile_seconds
        """Check the newest tasks often, however long a round takes."""
        self._stop = threading.Event()
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
                except FileNotFoundError:  # a folder was removed while the watches were opened
                    self._poll(REWATCH_SECONDS)
                except NewsLost as lost:
                    _log.info("changes were missed (%s); everything watched is read again", lost)
                    self._poll(REWATCH_SECONDS)
                except WatchUnavailable as error:
                    _log.warning("files cannot be watched (%s); they are polled instead", error)
                    self._poll(RETRY_SECONDS)
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
            self._poll(REWATCH_SECONDS)
            return
        with self._open_watch([*folders], self._stop) as watch:
            self._look_at_all_watched()  # for what happened before the watches were open
            self._set_mode("watch", len(folders))
            opened = time.monotonic()
            stale = False
            while not (self._stop.is_set() or (stale and time.monotonic() >= opened + REWATCH_SECONDS)):
                stale = self._heed(watch.wait(self._pause()), folders) or stale
                self._read_due()
                stale = self._look_at_roots() or stale
                if self._sweep_on():
                    stale = stale or self._is_short(folders)

    def _poll(self, seconds: float) -> None:
        """Look at the active tasks for so long, and once at least."""
        self._set_mode("poll", 0)
        until = time.monotonic() + seconds
        while not self._stop.wait(self._poll_seconds):
            self._look_at_roots()
            self._look_at_all_watched()
            self._sweep_on()
            if time.monotonic() >= until:
                return

    def _pause(self) -> float:
        """How long to wait for news, in seconds."""
        now = time.monotonic()
        return max(0.0, min(self._due.wait(now), self._sweep.wait(), self._look_at - now))

    def _heed(self, paths: set[str], folders: Folders) -> bool:
        """Note what to read; tell whether the folder of a task among it is not watched yet."""
        if not paths:
            return False
        news = self._plan.news(paths)
        self._due.add(news.tasks | news.lists, time.monotonic())
        return self._plan.unwatched(news, folders, self._wall_ms())

    def _read_due(self) -> None:
        due = self._due.take(time.monotonic())
        tasks = [each for each in due if isinstance(each, TaskKey)]
        for catalog in self._catalogs:
            if catalog.root.path in due:
                catalog.touch_listed(self._history.now())
            if names := [key.task_id for key in tasks if key.root == catalog.root.path]:
                catalog.touch(names, self._history.now())
        if due:
            self._tell()

    def _look_at_all_watched(self) -> None:
        """Look for changes at everything that watches announce."""
        self._sweep.list_folders(self._history.now())
        self._look_at_active(MAX_WATCHES)

    def _look_at_active(self, most: int) -> None:
        for catalog in self._catalogs:
            names = self._plan.active(catalog, self._wall_ms())[:most]
            catalog.touch(catalog.changed(names, self._history.now()), self._history.now())
        self._tell()

    def _look_at_roots(self) -> bool:
        """Every second, reconcile the roots whose own folders were replaced; tell whether there are any."""
        if time.monotonic() < self._look_at:
            return False
        before, self._shared = self._shared, self._plan.shared()
        self._look_at = time.monotonic() + LOOK_SECONDS
        replaced = [each for each in self._catalogs if self._shared[each.root.path] != before[each.root.path]]
        for catalog in replaced:
            catalog.reconcile(self._history.now())
            self._tell()
        return bool(replaced)

    def _sweep_on(self) -> bool:
        """Do the next step of the sweep if it is time; tell whether a round ended."""
        if time.monotonic() >= self._newest_at:
            self._newest_at = time.monotonic() + self._newest_seconds
            self._look_at_active(NEWEST)
        if self._sweep.wait() > 0:
            return False
        ended = self._sweep.step(self._history.now())
        self._tell()
        if ended:
            self._keep()
        return ended

    def _reconcile(self) -> None:
        """Walk all roots."""
        self._shared = self._plan.shared()
        for catalog in self._catalogs:
            if not self._stop.is_set():
                catalog.reconcile(self._history.now())
        self._tell()
        self._sweep.restart()
        self._keep()

    def _keep(self) -> None:
        """Keep what a walk over all roots has found."""
        for catalog in self._catalogs:
            catalog.save()
        self._after_walk()
        self.state = msgspec.structs.replace(self.state, last_reconcile_at=self._wall_ms())

    def _is_short(self, folders: Folders) -> bool:
        """Tell whether a folder that should be watched is not."""
        return not self._plan.folders(self._wall_ms()).items() <= folders.items()

    def _tell(self) -> None:
        changes = self._history.collect()
        if changes.any():
            self._announce(changes)

    def _set_mode(self, mode: Mode, watches: int) -> None:
        self.state = msgspec.structs.replace(self.state, mode=mode, watches=watches)
