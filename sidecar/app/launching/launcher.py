"""Launch runs for clients, the terminal and the model: check, plan, admit, start."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Literal

from sidecar.api.errors import InvalidState
from sidecar.api.runs.async_tasks import ResumeMode
from sidecar.api.runs.launches import LaunchParams, ResumeParams
from sidecar.app.clients.context import Caller
from sidecar.app.launching.control import RunControl
from sidecar.app.launching.gate import LaunchGate, PendingLaunch
from sidecar.app.launching.launch_record import from_record
from sidecar.app.launching.planner import Planner
from sidecar.app.launching.resuming import Resumptions
from sidecar.subagents.agent_text import require_whole
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.runs.admission import Admission
from sidecar.subagents.runs.background import BackgroundRuns, ForegroundEnd
from sidecar.subagents.runs.launch import launch_run
from sidecar.subagents.runs.prepared import PreparedLaunch
from sidecar.subagents.runs.registry.registry import RunRegistry
from sidecar.subagents.runs.scope import RunScope, RunServices
from sidecar.subagents.tasks.launching import Abort
from sidecar.subagents.tasks.timeouts import TimeoutChoice

OverLimit = Literal["reject", "queue"] | None


class Launcher:
    """Launch the runs of one Host."""

    def __init__(
        self,
        planner: Planner,
        admission: Admission,
        background: BackgroundRuns,
        services: RunServices,
        control: RunControl,
        gate: LaunchGate,
        resumptions: Resumptions,
    ) -> None:
        self._planner = planner
        self._admission = admission
        self._background = background
        self._services = services
        self._registry: RunRegistry = services.registry
        self._control = control
        self._resumptions = resumptions
        self.gate = gate

    async def launch(self, params: LaunchParams, caller: Caller) -> RunRecord:
        """Launch a client's run in the background, or queue it at the limit if the caller requests that.

        Raises LimitReached, SubagentNotFound, LaunchFailed, InvalidParams, TaskNotFound, AmbiguousTaskId and
        StorageError.
        """
        with self.gate.open(caller.client_id, caller.workspace_owner()) as pending:
            prepared = await self._planner.prepare(params, caller, origin="client")
            await self.start(prepared, pending)
            return prepared.record

    async def resume(self, params: ResumeParams, caller: Caller) -> tuple[RunRecord, ResumeMode]:
        """Launch a run that continues an ended one, in the session of its agent if possible.

        Raises InvalidState if the run has not ended, and the same errors as `launch`.
        """
        with self.gate.open(caller.client_id, caller.workspace_owner()) as pending:
            require_whole("text", params.text)
            ended = await self._registry.resolve(params.task_id)
            _require_resumable(ended)
            await self._background.until_gone(ended.task.id)  # an agent saves its session until it exits
            again = from_record(ended, params.notify_model)
            again.over_limit = params.over_limit
            prepared = await self._planner.prepare(again, caller, origin="client")
            same_runner = prepared.runner_name == ended.task.runner
            resumption = await self._resumptions.of(ended, params.text, same_runner=same_runner)
            mode: ResumeMode = "replay" if resumption.session_id is None else "session"
            prepared.record.task.resumes, prepared.record.task.resume_mode = ended.task.id, mode
            await self.start(replace(prepared, resumption=resumption), pending)
            return prepared.record, mode

    async def prepare(
        self,
        params: LaunchParams,
        caller: Caller,
        *,
        sync: bool,
        update_output: Callable[[str], object] | None,
    ) -> PreparedLaunch:
        """Check and plan a launch of the model for `start` or `run`. Raises the same errors as `launch`."""
        return await self._planner.prepare(
            params, caller, origin="model", sync=sync, update_output=update_output
        )

    def timeout(self, requested: float | None, caller: Caller) -> TimeoutChoice:
        """Return the time limit of a run for a requested limit in seconds."""
        return self._planner.timeout(requested, caller)

    async def start(self, prepared: PreparedLaunch, pending: PendingLaunch) -> int | None:
        """Start a run in the background, or queue it at the limit or while its runner is held.

        Returns the position in the queue, counted from 1, or None if the run starts. Raises LimitReached at
        the limit if the launch or the settings choose that, and any error of the launch.
        """
        rejects = _over_limit(prepared) == "reject"
        if rejects:
            await self._admission.until_can_start(prepared)
        pending.enter(prepared.task_id, prepared.subagent_name)
        position = None
        if not await self._admission.start_now(prepared):
            if rejects and not self._admission.is_held(prepared):
                raise self._admission.limit_reached(prepared)
            position = await self._enqueue(prepared)
        if pending.is_cancelled:
            await self._control.cancel(prepared.task_id, "user")
        return position

    async def run(self, prepared: PreparedLaunch, pending: PendingLaunch) -> ForegroundEnd:
        """Execute a run in the foreground, without a slot. Raises any error of the launch.

        A child of a run takes its parent's slot, or else one of its own; raises LimitReached without either.
        """
        pending.enter(prepared.task_id, prepared.subagent_name)
        launch = partial(self._launch_pending, prepared, pending)
        if not prepared.record.delegated:
            return await self._background.run(prepared, launch)
        with self._admission.place_of_parent(prepared):
            return await self._background.run(prepared, launch)

    async def _launch_pending(
        self, prepared: PreparedLaunch, pending: PendingLaunch, abort: Abort
    ) -> RunScope:
        scope = await launch_run(self._services, prepared, abort)
        if pending.is_cancelled:
            self._control.request_cancel(prepared.task_id, "user")
        return scope

    async def _enqueue(self, prepared: PreparedLaunch) -> int:
        """Queue a launch durably and return its position."""
        task = prepared.record.task
        task.status, task.launched_at, task.queued_at = "queued", None, self._planner.now()
        position = self._admission.enqueue(prepared)
        try:
            await self._registry.add(prepared.record)
        except BaseException:
            self._admission.remove(task.id)
            raise
        self._admission.make_ready(task.id)
        return position


def _over_limit(prepared: PreparedLaunch) -> OverLimit:
    return prepared.params.over_limit or prepared.settings.current.async_tasks.over_limit


def _require_resumable(ended: RunRecord) -> None:
    """Raise InvalidState if a run has not ended or its record cannot be read."""
    task = ended.task
    if task.status in ("queued", "running"):
        text = f"task {task.id} is {task.status}: only an ended task can be resumed"
        raise InvalidState(text, taskId=task.id, status=task.status)
    if ended.unreadable:
        raise InvalidState(f"task {task.id}: {task.error}", taskId=task.id, status=task.status)
