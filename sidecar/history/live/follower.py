"""Follow stored tasks: watch active tasks, and sweep for changes that no watch reports.

A single thread does this; readers never wait for it.
"""

import logging
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

from sidecar.api.lifecycle import WatcherHealth
from sidecar.history.catalog.root_catalog import RootCatalog
from sidecar.history.live.read_schedule import ReadSchedule
from sidecar.history.live.sweep import ROUND_SECONDS, Sweep
from sidecar.history.live.watch_plan import MAX_WATCHES, NEWEST, Folders, TaskKey, WatchPlan
from sidecar.history.live.watcher import ChangesLost, OpenWatch, WatchUnavailable, open_watch
from sidecar.history.task_history import Changes, TaskHistory, clock_ms

_log = logging.getLogger(__name__)

ROOT_CHECK_SECONDS: Final = 1.0
"""How often the folders of the roots are checked: a root may be deleted or replaced at any time."""
FOLDERS_A_SECOND: Final = 100
"""How many of these folders are checked in a second: Codex has one for each day."""
REWATCH_SECONDS: Final = 1.0
"""The shortest time between two sets of watches: opening a few hundred takes 50 ms."""
POLL_SECONDS: Final = 1.0
RETRY_SECONDS: Final = 60.0
"""How long to poll before trying again to watch on a platform that refused."""

Mode = Literal["none", "watch", "poll"]


class LiveHistory:
    """Keep a history up to date and announce changes; `announce` is called in a thread of its own.

    Call `start` once and `close` at the end. `reconcile_seconds` is the length of a sweep over few tasks,
    `wall_ms` returns the time that decides which tasks are recent, and `after_scan` is called after each
    sweep over all roots.
    """

    def __init__(
        self,
        history: TaskHistory,
        announce: Callable[[Changes], None],
        open_watch: OpenWatch = open_watch,
        reconcile_seconds: float = ROUND_SECONDS,
        poll_seconds: float = POLL_SECONDS,
        wall_ms: Callable[[], int] = clock_ms,
        after_scan: Callable[[], None] = lambda: None,
    ) -> None:
        self.state = WatcherHealth(mode="none", watches=0)
        self._history = history
        self._announce = announce
        self._open_watch = open_watch
        self._poll_seconds = poll_seconds
        self._newest_seconds = reconcile_seconds
        self._wall_ms = wall_ms
        self._after_scan = after_scan
        self._plan = WatchPlan(history.catalogs)
        self._sweep = Sweep(history.catalogs, reconcile_seconds)
        self._schedule: ReadSchedule[TaskKey | str] = ReadSchedule()
        """Tasks to read, and paths of roots whose lists to read."""
        self._shared: dict[str, Folders] = {}
        self._roots_checked_at = self._roots_checked_next = 0.0
        self._newest_at = time.monotonic() + reconcile_seconds
        """When to check the newest tasks; they are checked often, even during a long round."""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="history-live", daemon=True)

    def start(self) -> None:
        """Start to follow; from now on lists may use the kept rows without a scan."""
        self._history.followed = True
        self._thread.start()

    def stop(self) -> None:
        """Ask the thread to end."""
        self._history.followed = False
        self._stop.set()

    def close(self, seconds: float = 1.0) -> None:
        """Stop, and wait up to `seconds` for the thread to end."""
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
                except ChangesLost as lost:
                    _log.info("changes were missed (%s); all watched tasks are read again", lost)
                    self._poll(REWATCH_SECONDS)
                except WatchUnavailable as error:
                    _log.warning("cannot watch files (%s); polling them instead", error)
                    self._poll(RETRY_SECONDS)
        except Exception:  # without this thread lists are still correct, only slower
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
            self._check_watched()  # for changes made before the watches were open
            self._set_mode("watch", len(folders))
            renewal = time.monotonic() + REWATCH_SECONDS
            stale = False
            while not (self._stop.is_set() or (stale and time.monotonic() >= renewal)):
                stale = self._note(watch.wait(self._pause(renewal if stale else math.inf)), folders) or stale
                self._read_due()
                stale = self._check_roots() or stale
                if self._step_sweep():
                    stale = stale or self._lacks_watches(folders)

    def _poll(self, seconds: float) -> None:
        """Check the active tasks for `seconds`, at least once."""
        self._set_mode("poll", 0)
        until = time.monotonic() + seconds
        while not self._stop.wait(self._poll_seconds):
            self._check_roots()
            self._check_watched()
            self._step_sweep()
            if time.monotonic() >= until:
                return

    def _pause(self, until: float) -> float:
        """Return how many seconds to wait for changes, at most until a time of the monotonic clock."""
        now = time.monotonic()
        due = min(self._roots_checked_next, until) - now
        return max(0.0, min(self._schedule.wait(now), self._sweep.wait(), due))

    def _note(self, paths: set[str], folders: Folders) -> bool:
        """Schedule changed tasks for reading; return whether the folder of one is not watched yet."""
        if not paths:
            return False
        if any(path not in folders and Path(path).is_dir() for path in paths):  # it may get sessions
            soon = self._roots_checked_at + ROOT_CHECK_SECONDS
            self._roots_checked_next = min(self._roots_checked_next, soon)
        changed = self._plan.changed(paths)
        self._schedule.add(changed.tasks | changed.lists, time.monotonic())
        return self._plan.unwatched(changed, folders, self._wall_ms())

    def _read_due(self) -> None:
        due = self._schedule.take(time.monotonic())
        tasks = [each for each in due if isinstance(each, TaskKey)]
        for catalog in self._catalogs:
            if catalog.root.path in due:
                catalog.touch_listed(self._history.now())
            if names := [key.task_id for key in tasks if key.root == catalog.root.path]:
                catalog.touch(names, self._history.now())
        if due:
            self._announce_changes()

    def _check_watched(self) -> None:
        """Find changes in everything that is watched."""
        self._sweep.list_folders(self._history.now())
        self._check_active({each.root.path: MAX_WATCHES for each in self._catalogs})

    def _check_active(self, most: Mapping[str, int]) -> None:
        for catalog in self._catalogs:
            names = self._plan.active(catalog, self._wall_ms())[: most[catalog.root.path]]
            if changed := catalog.changed(names, self._history.now()):
                catalog.touch(changed, self._history.now())
        self._announce_changes()

    def _check_roots(self) -> bool:
        """Reconcile the roots whose folders were replaced, once a second; return whether there are any.

        A check that is due soon is made together with a step of the sweep, because waking up takes time too.
        """
        early = 0.0 if self._sweep.wait() else ROOT_CHECK_SECONDS / 2
        if time.monotonic() < self._roots_checked_next - early:
            return False
        before, self._shared = self._shared, self._plan.shared()
        count = sum(map(len, self._shared.values()))
        self._roots_checked_at = time.monotonic()
        self._roots_checked_next = self._roots_checked_at + max(ROOT_CHECK_SECONDS, count / FOLDERS_A_SECOND)
        replaced = [each for each in self._catalogs if self._shared[each.root.path] != before[each.root.path]]
        for catalog in replaced:
            catalog.reconcile(self._history.now())
            self._announce_changes()
        return bool(replaced)

    def _step_sweep(self) -> bool:
        """Take the next step of the sweep if it is due; return whether a round ended."""
        if time.monotonic() >= self._newest_at:
            self._newest_at = time.monotonic() + self._newest_seconds
            self._check_active(self._plan.shares(NEWEST, self._wall_ms()))
        if self._sweep.wait() > 0:
            return False
        ended = self._sweep.step(self._history.now())
        self._announce_changes()
        if ended:
            self._save()
        return ended

    def _reconcile(self) -> None:
        """Scan all roots."""
        self._shared = self._plan.shared()
        for catalog in self._catalogs:
            if not self._stop.is_set():
                catalog.reconcile(self._history.now())
        self._announce_changes()
        self._sweep.restart()
        self._save()

    def _save(self) -> None:
        """Save the rows after a scan of all roots."""
        for catalog in self._catalogs:
            catalog.save()
        try:
            self._after_scan()
        except Exception:  # tasks are followed whatever fails afterwards
            _log.exception("a task that follows each scan failed")
        self.state = msgspec.structs.replace(self.state, last_reconcile_at=self._wall_ms())

    def _lacks_watches(self, folders: Folders) -> bool:
        """Return whether a folder that should be watched is not."""
        return not self._plan.folders(self._wall_ms(), self._shared).items() <= folders.items()

    def _announce_changes(self) -> None:
        changes = self._history.collect()
        if changes.any():
            self._announce(changes)

    def _set_mode(self, mode: Mode, watches: int) -> None:
        self._sweep.set_watched(mode == "watch")
        self.state = msgspec.structs.replace(self.state, mode=mode, watches=watches)
