"""Launch, cancel and await the runs of one Host, for clients and for the model alike."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from sidecar.api.async_tasks import EndReason, LaunchParams, ResumeMode, ResumeParams
from sidecar.api.errors import InvalidState, LimitReached
from sidecar.app import launch_params
from sidecar.app.planner import Planner
from sidecar.app.workspace import Workspace
from sidecar.subagents.admission import Admission, Prepared
from sidecar.subagents.background import BackgroundRuns
from sidecar.subagents.driving import HOST_EXIT, Patience
from sidecar.subagents.endings import HOST_EXIT_TEXT
from sidecar.subagents.event_log import EventLog
from sidecar.subagents.launching import Resumption
from sidecar.subagents.manager import AsyncTaskManager
from sidecar.subagents.model import AsyncTaskInfo
from sidecar.subagents.orchestrator import RunOrchestrator
from sidecar.subagents.records import RunRecord
from sidecar.subagents.replay import Replay
from sidecar.subagents.run_registry import RunRegistry
from sidecar.subagents.run_scope import RunServices
from sidecar.subagents.runner_room import RunnerRoom
from sidecar.subagents.slots import Slot

if TYPE_CHECKING:
    from sidecar.subagents.catalogue import Plan

CancelledBy = Literal["user", "model"]
STOP_SECONDS = 4.5
"""How long stopping a cancelled run may take: nothing of it is left 5 s after the cancel."""
_USUAL_REASONS: Mapping[str, EndReason] = {
    "completed": "goal",
    "failed": "error",
    "cancelled": "cancelledByUser",
}
_CANCEL_REASONS: Mapping[CancelledBy, EndReason] = {"user": "cancelledByUser", "model": "cancelledByModel"}


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
        self._reasons: dict[str, EndReason] = {}
        self.background = BackgroundRuns(
            patience=Patience(dispose=STOP_SECONDS + 1), on_end=self._reasons.__setitem__
        )
        self.room = RunnerRoom(lambda: planner.settings().async_tasks.per_runner_max)
        self.admission = Admission(manager, self._start, registry.touch, self.room)
        for subscribe in (manager.on_task_completed, manager.on_task_failed, manager.on_task_cancelled):
            subscribe(self._ended)

    async def launch(self, params: LaunchParams, workspace: Workspace) -> RunRecord:
        """Launch in the background, or wait in line if the limit is reached and that is wished.

        Raises LimitReached, SubagentNotFound, LaunchFailed, InvalidParams and StorageError.
        """
        return await self._admit(await self._planner.prepare(params, workspace), params.over_limit)

    async def resume(
        self, ended: RunRecord, params: ResumeParams, workspace: Workspace
    ) -> tuple[RunRecord, ResumeMode]:
        """Launch a run that goes on with an ended one's work: in its agent's session, if that can be.

        Raises InvalidState for a run that has not ended, and what `launch` does.
        """
        task = ended.task
        if task.status in ("queued", "running"):
            raise InvalidState(
                f"task {task.id} is {task.status}: only an ended one is resumed",
                taskId=task.id,
                status=task.status,
            )
        prepared = await self._planner.prepare(launch_params.again(ended), workspace)
        said = Replay()
        async for event in self._events.all_of(task.id):
            said.take(event)
        session_id = ended.session_id if prepared.plan.runner.name == task.runner else None
        cost = 0 if session_id is None else await self._session_cost(ended)
        resumption = Resumption(said.text(), session_id, cost, params.text)
        mode: ResumeMode = "replay" if session_id is None else "session"
        prepared.record.task.resumes, prepared.record.task.resume_mode = task.id, mode
        run = replace(prepared.run, request=replace(prepared.run.request, resumption=resumption))
        return await self._admit(replace(prepared, run=run), params.over_limit), mode

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

    async def _admit(self, prepared: Prepared, over_limit: Literal["reject", "queue"] | None) -> RunRecord:
        slot = self.admission.take_slot(prepared)
        if slot is not None:
            with slot:
                await self._start(prepared, slot)
            return prepared.record
        if (over_limit or self._planner.settings().async_tasks.over_limit) == "reject":
            self.room.check(prepared.record.task.runner)
            running, maximum = self._manager.slots_taken, self._manager.max_async_tasks
            raise LimitReached(f"Max async tasks ({maximum}) reached", running=running, max=maximum)
        await self.enqueue(prepared)
        return prepared.record

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

    async def cancel(self, task_id: str, by: CancelledBy, why: str | None = None) -> bool:
        """End a run or a place in line; True once the end is durable, False if it had ended.

        `why`, in words of the one who cancels, is kept with the run's last event.
        """
        cancelled = self.request_cancel(task_id, by, why)
        await self._registry.settled(task_id)
        return cancelled

    def request_cancel(self, task_id: str, by: CancelledBy, why: str | None = None) -> bool:
        """End a run or a place in line without waiting for the journal; False if it had ended."""
        record = self._registry.live(task_id)
        if record is None:
            return False
        record.cancel_reason = why
        reason = _CANCEL_REASONS[by]
        if self._manager.get_task(task_id) is not None:
            self._reasons[task_id] = reason
            return self._manager.cancel_task(task_id)
        if record.sync and self._registry.stop(task_id, reason):
            return True
        # In line, or on the way from there to the manager: the record ends, and what launches it gives up.
        self.admission.remove(task_id)
        ended = self._registry.end(task_id, "cancelled", reason, wants_notice=by == "user")
        self._registry.stop(task_id, reason)
        return ended

    async def cancel_all(self, by: CancelledBy) -> int:
        """End whatever runs or waits; those in line first, so that none of them starts."""
        live = [*self._registry.with_status("queued"), *self._registry.with_status("running")]
        ended = await asyncio.gather(*(self.cancel(record.task.id, by) for record in live))
        return sum(ended)

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
        # First of all: a caller that goes away with the client would make its run a cancelled one.
        for record in self._registry.with_status("running"):
            if record.sync:
                self._registry.stop(record.task.id, HOST_EXIT)
        for record in await self.admission.aclose(limit=0.5):
            self._registry.end(record.task.id, "failed", "hostExit", error=HOST_EXIT_TEXT)
        for record in self._registry.with_status("running"):
            self._reasons[record.task.id] = "hostExit"
            if not record.sync:
                self._manager.fail_task(record.task.id, HOST_EXIT_TEXT)
        await self.background.aclose(limit)
        await self._registry.aclose(limit)

    async def _start(self, prepared: Prepared, slot: Slot) -> None:
        orchestrator = self.orchestrator(prepared.plan, prepared.record)
        try:
            await self.background.launch(self._manager, orchestrator, prepared.run, slot)
        except BaseException:
            self.room.give_back(prepared.record.task.id)
            raise
        reduction = prepared.run.timeout.sentence
        if reduction is not None:
            event = {"type": "log", "stream": "stderr", "text": f"{reduction}\n"}
            await self._registry.emit(prepared.record.task.id, event)

    def _ended(self, task: AsyncTaskInfo) -> None:
        reason = self._reasons.pop(task.id, _USUAL_REASONS[task.status])
        self._registry.end(
            task.id,
            task.status,
            reason,
            output=task.output,
            error=task.error,
            wants_notice=reason == "cancelledByUser",
        )
        self.room.give_back(task.id)
        self.admission.pump()
