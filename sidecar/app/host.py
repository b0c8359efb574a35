"""The Host: runs subagents and reads stored tasks for one own root, with any number of clients."""

import asyncio
import logging
import os
import uuid
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidecar.api.errors import StorageError
from sidecar.api.settings import Settings
from sidecar.api.stored.housekeeping import HousekeepingResult
from sidecar.app.clock import history_clock_ms, wall_clock_ms
from sidecar.app.delegation.delegations import Delegations
from sidecar.app.history_views import HistoryViews
from sidecar.app.launching.control import RunControl
from sidecar.app.launching.gate import LaunchGate
from sidecar.app.launching.launcher import Launcher
from sidecar.app.launching.planner import Planner
from sidecar.app.launching.resuming import Resumptions
from sidecar.app.outbound.changes import ChangeHub
from sidecar.app.outbound.reminders import Reminders
from sidecar.app.roots import search_dir
from sidecar.app.session_usage import read_session_usage
from sidecar.app.settings import SettingsStore
from sidecar.app.upkeep.awaited_changes import await_changes
from sidecar.app.upkeep.fleet_leftovers import FleetLeftovers
from sidecar.app.upkeep.foreign_runs import ForeignRuns
from sidecar.app.upkeep.found_runs import FoundRuns
from sidecar.app.upkeep.housekeeping import Action, Housekeeping
from sidecar.app.upkeep.journal_retention import JournalRetention
from sidecar.app.upkeep.keeping import Keeping
from sidecar.app.upkeep.ownership import Ownership
from sidecar.app.upkeep.recovery import Recovery
from sidecar.storage.layout import OwnRoot
from sidecar.subagents.journal.event_log import EventLog
from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.limits.budget import DaySpending
from sidecar.subagents.limits.runner_quota import RunnerQuota
from sidecar.subagents.open_requests import OpenRequests
from sidecar.subagents.permissions.broker import PermissionBroker
from sidecar.subagents.permissions.memory import PermissionMemory
from sidecar.subagents.questions.broker import QuestionBroker
from sidecar.subagents.runners.process.unswept import unswept
from sidecar.subagents.runners.shared_starts import SharedStarts
from sidecar.subagents.runs.admission import Admission
from sidecar.subagents.runs.background import BackgroundRuns
from sidecar.subagents.runs.holds import RunnerHolds
from sidecar.subagents.runs.launch import RunStarter
from sidecar.subagents.runs.lifecycle import ShutdownTimeouts
from sidecar.subagents.runs.registry.registry import RunRegistry
from sidecar.subagents.runs.scope import RunServices, StopLimit
from sidecar.subagents.runs.store_usage import StoreUsages
from sidecar.subagents.runs.supervision import MonitorServices
from sidecar.subagents.tasks.manager import AsyncTaskManager
from sidecar.subagents.tasks.outcome import HOST_EXIT

if TYPE_CHECKING:
    from sidecar.history.search import SearchService

logger = logging.getLogger(__name__)

STOP_SECONDS = 4.5
"""How long stopping a cancelled run may take, so that its processes exit within 5 s."""
CLOSE_SECONDS = 1.8
"""How long stopping a run may take at shutdown, so that the whole shutdown takes less than 3 s."""
KILL_SECONDS = 2.0
"""The limit for killing what is left after that, which only a very busy machine needs."""


class Host:
    """Own a root with its lock, journal, runs and history. Use `open` to create and `aclose` to end it."""

    def __init__(
        self,
        root: OwnRoot,
        ownership: Ownership,
        journal: Journal,
        settings: SettingsStore,
    ) -> None:
        """Construct each service after those that it uses, without starting any."""
        self.root = root
        self.instance_id = str(uuid.uuid4())
        self.journal = journal
        self.ownership = ownership
        self._recovering: asyncio.Task[None] | None = None
        self._following: asyncio.Task[None] | None = None
        self.store = settings
        self._stop = StopLimit(STOP_SECONDS)
        self.changes = ChangeHub()
        self.starts = SharedStarts()
        self.events = EventLog(journal, wall_clock_ms)
        self.spending = DaySpending(wall_clock_ms)
        self.manager = AsyncTaskManager(self.settings.async_tasks.max, wall_clock_ms, trim_past_pending=True)
        self.registry = RunRegistry(journal, self.events, wall_clock_ms, self.changes.run_changed)
        self._foreign_runs = ForeignRuns(journal, self.changes.run_changed)
        self.views = HistoryViews(self.changes, self.registry.pending_ends, root.kept)
        self.permissions = PermissionMemory(journal, wall_clock_ms)
        requests = OpenRequests(self.registry.show_attention)
        self.broker = PermissionBroker(self.permissions, self.changes, requests)
        self.questions = QuestionBroker(requests, self.changes)
        self.holds = RunnerHolds()
        services = self._run_services()
        background = BackgroundRuns(
            timeouts=ShutdownTimeouts(dispose=STOP_SECONDS + 1), conclude=self.registry.conclude
        )
        self.admission = Admission(
            self.manager,
            RunnerQuota(settings),
            self.holds,
            RunStarter(self.manager, background, services),
            self.registry.show_position,
            self.registry.show_waiting,
        )
        gate = LaunchGate()
        self.control = RunControl(self.manager, self.registry, self.admission, background, gate)
        self.reminders = Reminders(self.manager, journal, self.admission, self.registry, settings)
        self.delegations = Delegations(
            str(root.path), self.registry, self.control, gate, self.admission, self.reminders
        )
        self._found_runs = FoundRuns(
            services,
            background,
            self.manager,
            self.admission,
            settings,
            self.starts.fleet,
            lambda: os.environ,
        )
        self.starts.fleet.slots_changed = self.admission.pump
        self.leftovers = FleetLeftovers(self.registry)
        self.starts.fleet.clean = self.leftovers.clean
        planner = Planner(self.spending, self.registry, wall_clock_ms, self.delegations)
        self.launcher = Launcher(
            planner,
            self.admission,
            background,
            services,
            self.control,
            gate,
            Resumptions(self.events, self.registry),
        )
        self.journal_retention = JournalRetention(
            journal,
            settings,
            wall_clock_ms,
            is_idle=self.registry.is_idle,
            expect_journal=ownership.expect_journal,
            removed=self.changes.runs_removed,
        )
        self.keeping = Keeping(
            self.views,
            settings,
            history_clock_ms,
            lambda task_ids: self.changes.record_all(task_ids, "changed"),
        )
        self.views.opened = self.keeping.rounds.due
        self.housekeeping = Housekeeping(
            root,
            self.views,
            settings,
            self.registry,
            history_clock_ms,
            self._tasks_deleted,
            self.keeping.remove,
        )
        self.registry.concluded.subscribe(self.holds.run_concluded)
        self.registry.concluded.subscribe(self.delegations.run_concluded)
        self.registry.ended.subscribe(self.control.run_ended)
        self.registry.ended.subscribe(self.reminders.run_ended)
        background.freed.subscribe(self.control.slot_freed)

    @classmethod
    async def open(cls, root: Path, settings: SettingsStore) -> "Host":
        """Claim the root, recover from a crash, and get ready to launch.

        If another process owns the root, or the root is not writable, the Host can read but not launch. The
        same applies to a damaged journal until it is moved away.
        """
        own = OwnRoot(root)
        ownership = await Ownership.claim(own)
        journal = await Journal.open(own.database, read_only=not ownership.is_owner, required=False)
        host = cls(own, ownership, journal, settings)
        if ownership.is_owner:
            await host._begin_owning()
        else:
            await host.still_reading()
        ownership.watch(host)
        return host

    async def _begin_owning(self) -> None:
        recovery = Recovery(self.root, self.journal, self.reminders, wall_clock_ms, self.registry)
        if self.journal.is_newer:
            await recovery.show_lost()
            return
        if not await recovery.run(after_kill=self.ownership.was_abandoned):
            self._recovering = asyncio.create_task(self._recover_rest(recovery), name="recovery")
        following = self._follow_clusters(recovery.found)
        self._following = asyncio.create_task(following, name="runs on clusters")
        try:
            self.spending.add(*await self.journal.spent_since(self.spending.midnight))
        except StorageError as error:
            logger.error(
                "cannot read today's usage from the journal, so the daily limits start at 0: %s",
                error.message,
            )
        self.housekeeping.rounds.start()
        self.keeping.rounds.start()
        self.journal_retention.rounds.start()

    async def _follow_clusters(self, found: Sequence[RunRecord]) -> None:
        await self._found_runs.follow(found)
        await await_changes(self.journal, self.starts.fleet, os.environ)

    async def _recover_rest(self, recovery: Recovery) -> None:
        ended = await recovery.again()
        await self._notify_of(ended)

    async def became_owner(self) -> None:
        """Become the owner after another process has exited. Its runs are lost."""
        logger.warning("%s: its owner has exited; this sidecar takes over", self.root.path)
        left = await self.journal.live_ids()
        await self.journal.take_over()
        await self._begin_owning()
        await self._notify_of(left)

    async def still_reading(self) -> None:
        """Notify of changed runs of the process that owns the root."""
        await self._foreign_runs.check()

    async def _notify_of(self, task_ids: list[str]) -> None:
        for task_id in task_ids:
            record = await self.journal.get(task_id)
            if record is not None:
                self.changes.run_changed(record.task)

    def lost_root(self) -> None:
        """End the runs of a root that was removed or replaced, without saving them."""
        self.journal.give_up()
        self.admission.close()
        self.housekeeping.rounds.stop()
        self.keeping.stop()
        self.journal_retention.rounds.stop()
        self.registry.abandon(HOST_EXIT)

    @property
    def revision(self) -> int:
        """The number of changes so far, which every answer carries."""
        return self.changes.revision

    @property
    def settings(self) -> Settings:
        """The current settings."""
        return self.store.current

    def update_settings(self, changes: Mapping[str, Any]) -> None:
        """Apply changed settings at once. Raises InvalidParams naming the key."""
        before = self.settings
        after = self.store.update(changes)
        if after.async_tasks.max != before.async_tasks.max:
            self.control.set_max(after.async_tasks.max)
        if after.history != before.history:
            self.housekeeping.rounds.settings_changed()
            self.keeping.rounds.due()
            self.journal_retention.rounds.settings_changed()
        self.reminders.configure(after.reminders)
        self.admission.pump()

    def require_ownership(self) -> None:
        """Raise StorageError unless this process owns the root, since only the owner launches and cancels."""
        self.ownership.require()

    async def move_tasks(self, action: Action, task_ids: list[str]) -> HousekeepingResult:
        """Delete, archive or restore tasks of the own root and notify of it.

        Raises StorageError if another process owns the root.
        """
        self.require_ownership()
        result = await asyncio.to_thread(self.housekeeping.apply, action, task_ids)
        if action == "delete":
            listed = await asyncio.to_thread(self.keeping.still_listed, result.done)
            self.changes.record_all(listed, "changed")
            await self._tasks_deleted([task_id for task_id in result.done if task_id not in listed])
        else:
            self.changes.record_all(result.done, "added" if action == "restore" else "removed")
        return result

    async def _tasks_deleted(self, task_ids: list[str]) -> None:
        await self.journal_retention.forget(task_ids)
        self.changes.record_all(task_ids, "removed")

    @cached_property
    def search(self) -> "SearchService":
        """The full-text search, which opens on first use."""
        from sidecar.history.search import SearchService

        return SearchService(search_dir())

    async def end_runs(self) -> None:
        """Stop all runs and kill their processes; their final output stays readable."""
        self._stop.seconds = CLOSE_SECONDS
        self.changes.close_history()
        self.reminders.stop_turns()
        closing = asyncio.create_task(self.control.aclose(CLOSE_SECONDS + 0.3), name="end of all runs")
        await asyncio.wait({closing}, timeout=CLOSE_SECONDS + 0.5)
        await unswept.kill(KILL_SECONDS)
        await closing
        await self.leftovers.aclose()
        await self.starts.fleet.aclose()

    async def aclose(self) -> None:
        """End every run and release the root, within 3 s."""
        await self.end_runs()
        for work in (self._recovering, self._following):
            if work is not None:
                work.cancel()
        await self.housekeeping.rounds.aclose()
        await self.keeping.aclose()
        await self.journal_retention.rounds.aclose()
        await self.reminders.aclose()
        if "search" in vars(self):
            await asyncio.to_thread(self.search.close)
        await self.views.aclose()
        await self.journal.aclose(0.5)
        await self.ownership.aclose()

    def _run_services(self) -> RunServices:
        return RunServices(
            root=self.root.path,
            registry=self.registry,
            now=wall_clock_ms,
            stop=self._stop,
            holds=self.holds,
            events=self.events,
            history_changed=self.changes.record,
            store_usages=StoreUsages(
                self.registry,
                self.root.path,
                partial(read_session_usage, self.views, history_clock_ms),
                lambda task_id: self.changes.record(task_id, "changed"),
            ),
            monitoring=MonitorServices(
                spending=self.spending,
                broker=self.broker,
                questions=self.questions,
                remember=self.registry.remember,
                show=self.registry.show,
                show_session=self.registry.show_session,
                show_changes=self.registry.show_changes,
                left_cluster=self.registry.left_cluster,
                keep=self.registry.keep,
                now=wall_clock_ms,
            ),
        )
