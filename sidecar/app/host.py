"""The Host: the owner of one own root, whoever and however many its clients are."""

import asyncio
import logging
import uuid
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidecar.api.errors import StorageError
from sidecar.api.insight import HousekeepingResult
from sidecar.api.lifecycle import WatcherHealth
from sidecar.api.settings import Settings
from sidecar.app.clock import history_clock_ms, wall_clock_ms
from sidecar.app.launching.planner import Planner
from sidecar.app.launching.runs import STOP_SECONDS, Runs
from sidecar.app.outbound.news import News
from sidecar.app.outbound.reminders import Reminders
from sidecar.app.roots import history_roots, search_dir
from sidecar.app.settings import SettingsStore, user_config_dir
from sidecar.app.stored_tasks import StoredTasks
from sidecar.app.upkeep.foreign_runs import ForeignRuns
from sidecar.app.upkeep.housekeeping import Action, Housekeeping
from sidecar.app.upkeep.journal_retention import JournalRetention
from sidecar.app.upkeep.ownership import Ownership
from sidecar.app.upkeep.recovery import Recovery
from sidecar.history import TaskHistory
from sidecar.storage.layout import OwnRoot
from sidecar.subagents.journal.event_log import EventLog
from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.limits.budget import DaySpending
from sidecar.subagents.permissions.desk import PermissionDesk
from sidecar.subagents.permissions.memory import PermissionMemory
from sidecar.subagents.runners.contract import Runner
from sidecar.subagents.runners.registry import build_runners
from sidecar.subagents.runs.registry import RunRegistry
from sidecar.subagents.runs.run import Run
from sidecar.subagents.runs.scope import RunServices
from sidecar.subagents.runs.supervision import MonitorServices
from sidecar.subagents.tasks.manager import AsyncTaskManager
from sidecar.subagents.tasks.outcome import HOST_EXIT

if TYPE_CHECKING:
    from sidecar.history.search import SearchService
    from sidecar.subagents.runs.catalogue import Catalogue

logger = logging.getLogger(__name__)

CLOSE_SECONDS = 1.8
"""How long stopping a run may take at an orderly end, so that all of it stays below 3 s."""


class Host:
    """Own a root: its lock, journal, runs and history. Made by `open`, ended by `aclose`."""

    def __init__(
        self,
        root: OwnRoot,
        ownership: Ownership,
        journal: Journal,
        settings: SettingsStore,
        foreign_roots: tuple[Path, ...],
    ) -> None:
        self.root = root
        self.instance_id = str(uuid.uuid4())
        self.journal = journal
        self.ownership = ownership
        self._recovering: asyncio.Task[None] | None = None
        self._store = settings
        self.news = News()
        self._foreign = foreign_roots
        self._stop_seconds = STOP_SECONDS
        self.runners: Mapping[str, Runner] = build_runners(self.settings.runners)
        self.events = EventLog(journal, wall_clock_ms)
        self.spending = DaySpending(wall_clock_ms)
        self.manager = AsyncTaskManager(self.settings.async_tasks.max, wall_clock_ms)
        self.registry = RunRegistry(journal, self.events, wall_clock_ms, self._run_changed, self._run_ended)
        self._stored = StoredTasks(
            self._history_roots(), lambda: self.revision, self.news.stored_changed, self.registry.untold_ends
        )
        self.permissions = PermissionMemory(journal, wall_clock_ms)
        self.desk = PermissionDesk(
            lambda: self.settings.permissions,
            self.permissions,
            attended=lambda: self.news.is_attended,
            changed=self._attention_changed,
        )
        self.planner = Planner(
            lambda: self.settings,
            lambda: self.runners,
            lambda: self.catalogue,
            self.spending,
            self.registry,
            wall_clock_ms,
        )
        self.runs = self._build_runs()
        self.housekeeping = Housekeeping(
            root,
            lambda: self.history,
            lambda: self.settings.history,
            lambda task_id: self.registry.live(task_id) is not None,
            history_clock_ms,
        )
        self.journal_retention = JournalRetention(journal, lambda: self.settings.history, wall_clock_ms)
        self.reminders = Reminders(self.manager, journal, self.runs.admission, self.settings.reminders)

    @classmethod
    async def open(cls, root: Path, settings: SettingsStore, foreign_roots: tuple[Path, ...] = ()) -> "Host":
        """Take the root, end what a crash left, and be ready to launch.

        With the root in the hands of another process, or one that cannot be written, everything can be read
        and nothing launched; the same with a damaged journal, until it is moved away.
        """
        own = OwnRoot(root)
        ownership = await Ownership.claim(own)
        journal = await Journal.open(own.database, read_only=not ownership.is_owner, required=False)
        host = cls(own, ownership, journal, settings, foreign_roots)
        if ownership.is_owner:
            await host._begin_owning()
        foreign = ForeignRuns(journal, host.news.run_changed)
        if not ownership.is_owner:
            await foreign.look()
        ownership.watch(host._take_over, host._lose_root, foreign.look)
        return host

    async def _begin_owning(self) -> None:
        recovery = Recovery(self.root, self.journal, self.reminders, wall_clock_ms, self.registry)
        if not await recovery.run(after_kill=self.ownership.was_abandoned):
            self._recovering = asyncio.create_task(self._recover_rest(recovery), name="recovery")
        try:
            self.spending.add(*await self.journal.spent_since(self.spending.midnight))
        except StorageError as error:
            logger.error("what was spent today is not known: %s", error.message)
        self.housekeeping.start(lambda gone: self.news.note_all(gone, "removed"))
        self.journal_retention.start()

    async def _recover_rest(self, recovery: Recovery) -> None:
        ended = await recovery.again()
        await self._notify_of(ended)

    async def _take_over(self) -> None:
        """Become the owner after another process: its runs are lost, and new ones can be launched here."""
        logger.warning("%s: its owner is gone, this sidecar takes over", self.root.path)
        left = await self.journal.live_ids()
        self.journal.take_over()
        await self._begin_owning()
        await self._notify_of(left)

    async def _notify_of(self, task_ids: list[str]) -> None:
        for task_id in task_ids:
            record = await self.journal.get(task_id)
            if record is not None:
                self.news.run_changed(record.task)

    def _lose_root(self) -> None:
        self.journal.give_up()
        self.runs.admission.close()
        self.registry.abandon(HOST_EXIT)

    @property
    def revision(self) -> int:
        """The number of changes so far; every answer carries it."""
        return self.news.revision

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._store.current

    def update_settings(self, changes: Mapping[str, Any]) -> None:
        """Put changed settings in force at once. Raises InvalidParams naming the key."""
        before = self.settings
        after = self._store.update(changes)
        if after.async_tasks.max != before.async_tasks.max:
            self.set_max(after.async_tasks.max)
        if after.runners != before.runners:
            self.find_runners()
        if _roots_of(after) != _roots_of(before):
            self._stored.reopen(self._history_roots())
        self.reminders.configure(after.reminders)
        self.runs.admission.pump()

    def find_runners(self) -> None:
        """Look again for installed agents; runs under way keep the runner they have."""
        self.runners = build_runners(self.settings.runners)

    def set_max(self, maximum: int) -> None:
        """Change the limit of running tasks; what waits may start."""
        self.manager.set_max_async_tasks(maximum)
        self.runs.admission.pump()

    def require_ownership(self) -> None:
        """Raise StorageError unless this process owns the root: only the owner launches and cancels."""
        self.ownership.require()

    @property
    def history(self) -> TaskHistory:
        """The stored tasks of the own root and the foreign ones."""
        return self._stored.history

    @property
    def watcher(self) -> WatcherHealth:
        """How changes of stored tasks are seen."""
        return self._stored.watcher

    def follow_history(self) -> None:
        """Begin to watch the stored tasks; called when the first client has its answer."""
        self._stored.follow()

    async def refresh_history(self) -> None:
        """Look at every stored task again and announce what changed."""
        self.news.stored_changed(await asyncio.to_thread(self.history.refresh))

    async def put_away(self, action: Action, task_ids: list[str]) -> HousekeepingResult:
        """Delete, archive or restore tasks of the own root and announce it.

        Raises StorageError when another process owns the root.
        """
        self.require_ownership()
        result = await asyncio.to_thread(self.housekeeping.apply, action, task_ids)
        self.news.note_all(result.done, "added" if action == "restore" else "removed")
        return result

    @cached_property
    def catalogue(self) -> "Catalogue":
        """The definitions there are; imported when first needed."""
        from sidecar.subagents.runs.catalogue import Catalogue

        return Catalogue(user_config_dir())

    @cached_property
    def search(self) -> "SearchService":
        """The full-text search, opened when it is first asked for."""
        from sidecar.history.search import SearchService

        return SearchService(search_dir())

    async def end_runs(self) -> None:
        """End every run, and leave no process of one; what they said last can still be read."""
        self._stop_seconds = CLOSE_SECONDS
        self.news.close_history()
        self.reminders.stop_turns()
        await self.runs.aclose(CLOSE_SECONDS + 0.3)

    async def aclose(self) -> None:
        """End every run and give the root up. Takes 3 s at most."""
        await self.end_runs()
        if self._recovering is not None:
            self._recovering.cancel()
        await self.housekeeping.aclose()
        await self.journal_retention.aclose()
        await self.reminders.aclose()
        if "search" in vars(self):
            await asyncio.to_thread(self.search.close)
        await asyncio.to_thread(self._stored.close, 0.5)
        await self.journal.aclose(0.5)
        await self.ownership.aclose()

    def _build_runs(self) -> Runs:
        services = RunServices(
            root=self.root.path,
            registry=self.registry,
            now=wall_clock_ms,
            stop_seconds=lambda: self._stop_seconds,
            watch=self.events.watch,
            history_changed=self.news.note,
            monitoring=MonitorServices(
                settings=lambda: self.settings,
                spending=self.spending,
                desk=self.desk,
                remember=self.registry.remember,
                show_session=self.registry.show_session,
            ),
        )
        return Runs(self.planner, self.events, self.manager, self.registry, services)

    def _history_roots(self) -> list[Path]:
        return history_roots(self.root.path, self._foreign, self.settings.history)

    def _attention_changed(self, record: RunRecord) -> None:
        run = self.registry.live(record.task.id)
        if run is not None:
            self.registry.show(run)

    def _run_ended(self, run: Run) -> None:
        self.runs.ended(run)
        self.reminders.run_ended(run.record)

    def _run_changed(self, record: RunRecord) -> None:
        task = self.registry.current(record)
        self.news.run_changed(task)


def _roots_of(settings: Settings) -> tuple[list[str], bool]:
    return settings.history.foreign_roots, settings.history.auto_discover
