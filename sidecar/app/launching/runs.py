"""Launch, cancel and await the runs of one Host, for clients and for the model alike."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from sidecar.api.async_tasks import LaunchParams, ResumeMode, ResumeParams
from sidecar.api.errors import InvalidState, LimitReached, StorageError
from sidecar.app.launching import params as launch_params
from sidecar.app.launching.gate import LaunchGate, PendingLaunch
from sidecar.app.launching.planner import Planner
from sidecar.app.launching.workspace import Workspace
from sidecar.subagents.fold import RunFold
from sidecar.subagents.journal.event_log import EventLog
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.limits.runner_quota import RunnerQuota
from sidecar.subagents.runs.admission import Admission, Prepared
from sidecar.subagents.runs.background import BackgroundRuns, conclude
from sidecar.subagents.runs.driving import Patience
from sidecar.subagents.runs.orchestrator import RunOrchestrator
from sidecar.subagents.runs.registry import RunRegistry
from sidecar.subagents.runs.run import Run
from sidecar.subagents.runs.scope import RunServices
from sidecar.subagents.tasks.launching import Resumption
from sidecar.subagents.tasks.manager import AsyncTaskManager
from sidecar.subagents.tasks.outcome import HOST_EXIT, CancelledBy, cancelled
from sidecar.subagents.tasks.slots import Slot

if TYPE_CHECKING:
    from sidecar.subagents.runs.catalogue import Plan

STOP_SECONDS = 4.5
"""How long stopping a cancelled run may take: nothing of it is left 5 s after the cancel."""


class Runs:
    """Everything that starts or ends a run."""

    def __init__(
        self,
        planner: Planner,
        events: EventLog,
        manager: AsyncTaskManager,
        registry: RunRegistry,
        services: RunServices,
    ) -> None:
        self._planner = planner
        self._events = events
        self._manager = manager
        self._registry = registry
        self._services = services
        self.launches = LaunchGate()
        self.background = BackgroundRuns(
            patience=Patience(dispose=STOP_SECONDS + 1), conclude=registry.conclude, freed=self._free
        )
        self._slot_freed = asyncio.Event()
        self.room = RunnerQuota(lambda: planner.settings().async_tasks.per_runner_max)
        self.admission = Admission(manager, self._start, self._moved, self.room)

    async def launch(self, params: LaunchParams, workspace: Workspace) -> RunRecord:
        """Launch in the background, or wait in line if the limit is reached and that is wished.

        Raises LimitReached, SubagentNotFound, LaunchFailed, InvalidParams, TaskNotFound, AmbiguousTaskId and
        StorageError.
        """
        with self.launches.open() as gate:
            prepared = await self._planner.prepare(await self._planner.with_parent(params), workspace)
            return await self._admit(prepared, params.over_limit, gate)

    async def resume(self, params: ResumeParams, workspace: Workspace) -> tuple[RunRecord, ResumeMode]:
        """Launch a run that goes on with an ended one's work: in its agent's session, if that can be.

        Raises InvalidState for a run that has not ended, and what `launch` does.
        """
        with self.launches.open() as gate:
            ended = await self._registry.resolve(params.task_id)
            _require_resumable(ended)
            # The agent saves its session until it exits.
            await self._until_freed(lambda: ended.task.id not in self._manager.ended_with_slot)
            prepared, mode = await self._prepare_again(ended, params, workspace)
            return await self._admit(prepared, params.over_limit, gate), mode

    async def _prepare_again(
        self, ended: RunRecord, params: ResumeParams, workspace: Workspace
    ) -> tuple[Prepared, ResumeMode]:
        task = ended.task
        prepared = await self._planner.prepare(launch_params.again(ended), workspace)
        if params.notify_model is not None:
            prepared.record.notify_model = params.notify_model
        fold = RunFold(task.progress.last_activity_at, with_replay=True)
        async for event in self._events.all_of(task.id):
            fold.take(event)
        assert fold.replay is not None
        session_id = ended.session_id if prepared.plan.runner.name == task.runner else None
        cost = 0 if session_id is None else await self._session_cost(ended)
        resumption = Resumption(fold.replay.text(), session_id, cost, params.text)
        mode: ResumeMode = "replay" if session_id is None else "session"
        prepared.record.task.resumes, prepared.record.task.resume_mode = task.id, mode
        run = replace(prepared.run, request=replace(prepared.run.request, resumption=resumption))
        return replace(prepared, run=run), mode

    async def _session_cost(self, newest: RunRecord) -> float:
        """Return what all runs of a session have cost, up to this one."""
        cost, record = 0.0, newest
        while record.session_id == newest.session_id:
            cost += record.task.progress.cost or 0
            before = await self._registry.find(record.task.resumes) if record.task.resumes else None
            if before is None:
                break
            record = before
        return cost

    async def _admit(
        self, prepared: Prepared, over_limit: Literal["reject", "queue"] | None, gate: PendingLaunch
    ) -> RunRecord:
        task = prepared.record.task
        gate.check(task.subagent_name)
        gate.task_id = task.id
        rejects = (over_limit or self._planner.settings().async_tasks.over_limit) == "reject"
        if rejects:
            await self.until_slot(lambda: self.admission.can_take_slot(prepared))
        slot = self.admission.take_slot(prepared)
        if slot is not None:
            await self._start(prepared, slot)
        elif rejects:
            self.room.check(task.runner)
            running, maximum = self._manager.slots_taken, self._manager.max_async_tasks
            raise LimitReached(f"Max async tasks ({maximum}) reached", running=running, max=maximum)
        else:
            await self.enqueue(prepared)
        if gate.is_cancelled:
            await self.cancel(task.id, "user")
        return prepared.record

    def reorder(self, record: RunRecord, position: int) -> int:
        """Move a queued launch to a place in the line, from 1, or to its end; return the place it has now.

        Raises InvalidState for a run that does not wait.
        """
        task = self._registry.current(record)
        place = self.admission.move(task.id, position) if task.status == "queued" else None
        if place is None:
            raise InvalidState(
                f"task {task.id} is {task.status}: only a queued task has a place in the queue",
                taskId=task.id,
                status=task.status,
            )
        return place

    async def enqueue(self, prepared: Prepared) -> int:
        """Put a launch in line, durably, and return its place, counted from 1."""
        task = prepared.record.task
        task.status, task.launched_at, task.queued_at = "queued", None, self._planner.now()
        place = self.admission.enqueue(prepared)
        try:
            await self._registry.add(prepared.record)
        except BaseException:
            self.admission.remove(task.id)
            raise
        self.admission.make_ready(task.id)
        return place

    def orchestrator(self, plan: "Plan", record: RunRecord) -> RunOrchestrator:
        """Return what launches this record's run."""
        return RunOrchestrator(self._services, plan, record)

    async def cancel(self, task_id: str, by: CancelledBy, words: str | None = None) -> bool:
        """End a run or a place in the queue; True once the end is durable, False if it had ended.

        `words` of whoever cancels are kept with the run's last event. Raises StorageError when the run is
        stopped but the disk does not take its end yet.
        """
        is_ended_here = self.request_cancel(task_id, by, words)
        try:
            await self._registry.recorded(task_id)
        except StorageError as error:
            text = (
                f"task {task_id} is stopped, and its end is recorded once that is possible: {error.message}"
            )
            raise StorageError(text, **error.data) from None
        return is_ended_here

    def request_cancel(self, task_id: str, by: CancelledBy, words: str | None = None) -> bool:
        """End a run or a place in the queue without waiting for the journal; False if it had ended."""
        self.admission.remove(task_id)
        return self._registry.conclude(task_id, cancelled(by, words))

    async def cancel_all(self, by: CancelledBy) -> int:
        """End whatever runs or waits, and every launch asked for before; those in the queue go first."""
        live = [*self._registry.with_status("queued"), *self._registry.with_status("running")]
        count = self.launches.cancel(self._is_live)
        ended = await asyncio.gather(*(self.cancel(run.id, by) for run in live))
        return count + sum(ended)

    def send(self, record: RunRecord, text: str) -> None:
        """Give the agent of a live run a message. Raises InvalidState where it cannot take one."""
        run = self._registry.live(record.task.id)
        if run is None:
            task = record.task
            raise InvalidState(
                f"task {task.id} cannot receive messages: it is {task.status}",
                taskId=task.id,
                status=task.status,
            )
        run.send(text)

    async def wait(
        self, task_ids: Sequence[str], mode: Literal["all", "any"], limit_seconds: float | None
    ) -> bool:
        """Wait for ends; True if the time was over first."""
        waits = [asyncio.ensure_future(self._registry.settled(task_id)) for task_id in task_ids]
        when = asyncio.ALL_COMPLETED if mode == "all" else asyncio.FIRST_COMPLETED
        try:
            done, pending = await asyncio.wait(waits, timeout=limit_seconds, return_when=when)
        finally:
            for each in waits:
                each.cancel()
        return bool(pending) if mode == "all" else not done

    async def aclose(self, limit: float) -> None:
        """End everything that runs or waits as `hostExit`, and wait until that is durable."""
        self.launches.cancel(self._is_live)
        for run in self._registry.with_status("running"):
            self._registry.conclude(run.id, HOST_EXIT)
        for record in await self.admission.aclose(limit=0.5):
            self._registry.conclude(record.task.id, HOST_EXIT)
        for run in self._registry.with_status("running"):
            self._registry.conclude(run.id, HOST_EXIT)
        await self.background.aclose(limit)
        await self._registry.aclose(limit)

    async def until_slot(self, is_free: Callable[[], bool]) -> None:
        """Wait while no slot is free and runs that have ended keep some: their processes are gone in seconds.

        Whoever is told of an end may launch another run at once.
        """
        await self._until_freed(lambda: is_free() or not self._manager.ended_with_slot)

    async def _until_freed(self, is_done: Callable[[], bool]) -> None:
        while not is_done():
            self._slot_freed.clear()
            await self._slot_freed.wait()

    def ended(self, run: Run) -> None:
        """Take in an end that is durable: the manager learns of it, and its slot is free or soon will be."""
        if run.outcome is not None and self._manager.get_task(run.id) is not None:
            conclude(self._manager, run.id, run.outcome)
        if run.id not in self._manager.ended_with_slot:
            self._free(run.id)

    def _free(self, task_id: str) -> None:
        """Give the slot of a run to the next one, once its end is durable and its processes are gone."""
        if not self._is_live(task_id):
            self.room.release(task_id)
            self.admission.pump()
        self._slot_freed.set()

    async def _start(self, prepared: Prepared, slot: Slot) -> None:
        orchestrator = self.orchestrator(prepared.plan, prepared.record)
        try:
            await self.background.launch(self._manager, orchestrator, prepared.run, slot)
        except BaseException:
            self.room.release(prepared.record.task.id)
            raise
        reduction = prepared.run.timeout.sentence
        run = self._registry.live(prepared.record.task.id)
        if reduction is not None and run is not None:
            await self._registry.emit(run, {"type": "log", "stream": "stderr", "text": f"{reduction}\n"})

    def _is_live(self, task_id: str) -> bool:
        return self._registry.live(task_id) is not None

    def _moved(self, record: RunRecord) -> None:
        run = self._registry.live(record.task.id)
        if run is not None:
            run.record.task.queue_position = record.task.queue_position
            self._registry.touch(run)


def _require_resumable(ended: RunRecord) -> None:
    """Raise InvalidState for a run that has not ended, or whose record cannot be read."""
    task = ended.task
    if task.status in ("queued", "running"):
        text = f"task {task.id} is {task.status}: only an ended task can be resumed"
        raise InvalidState(text, taskId=task.id, status=task.status)
    if ended.unreadable:
        raise InvalidState(f"task {task.id}: {task.error}", taskId=task.id, status=task.status)
