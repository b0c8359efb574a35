"""One run from its start to its end: executed by its runner, streamed, written as history."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from sidecar.api.async_tasks import AsyncTask, EndReason, PartialResult
from sidecar.subagents.catalogue import Plan
from sidecar.subagents.driving import TIMEOUT, RunEnd
from sidecar.subagents.endings import ending_of
from sidecar.subagents.event_log import Watcher
from sidecar.subagents.launching import Abort, LaunchRequest, RunStopped
from sidecar.subagents.model import Output
from sidecar.subagents.partial import PartialFold
from sidecar.subagents.prompts import build_prompt
from sidecar.subagents.records import RunRecord
from sidecar.subagents.run_limits import LimitWatch
from sidecar.subagents.run_registry import RunRegistry
from sidecar.subagents.runners.contract import RunHandle, RunSpec
from sidecar.subagents.timeouts import TimeoutChoice
from sidecar.subagents.transcript import Outcome, Transcript, TranscriptHead

_OUTCOMES: dict[str, Outcome] = {"completed": "completed", "failed": "failed", "cancelled": "cancelled"}


class RunFailed(Exception):
    """The agent ended without reaching its goal; the text is for people and models."""


@dataclass(frozen=True)
class RunServices:
    """What every run of one Host uses."""

    root: Path
    registry: RunRegistry
    now: Callable[[], int]
    stop_seconds: Callable[[], float]
    """How long stopping a run may take: less when the Host itself is ending."""
    watch: Callable[[str, Watcher], Callable[[], None]]
    """Follows a run's events as they were logged; returns the call that ends it."""
    history_changed: Callable[[str, Literal["added", "changed"]], None]
    """Called with a run's id whenever its stored task is made or changed."""
    watch_limits: Callable[[bool], LimitWatch]
    """Begins to look at the limits of a run; told whether it reports what it does."""


class RunScope:
    """Drive one run; whoever launched it calls `run_non_interactive` once, then `dispose`."""

    def __init__(
        self, services: RunServices, plan: Plan, record: RunRecord, request: LaunchRequest, abort: Abort
    ) -> None:
        self.task_id = record.task.id
        self.output: Output | None = None
        self._services = services
        self._plan = plan
        self._record = record
        self._request = request
        self._abort = abort
        self._transcript: Transcript | None = None
        self._handle: RunHandle | None = None
        self._partial = PartialFold()
        self._unwatch: Callable[[], None] = lambda: None
        self._error: str | None = None
        self._stopped: RunStopped | None = None
        self._limits: LimitWatch | None = None

    async def open(self) -> None:
        """Make the run's folder. Raises StorageError."""
        task = self._record.task
        head = TranscriptHead(
            task_id=task.id,
            goal=task.goal_prompt,
            subagent_name=task.subagent_name,
            workspace_dir=task.workspace_dir,
            started_at=task.launched_at or self._services.now(),
            parent_task_id=task.parent_task_id,
        )
        self._services.registry.attach(task.id, self)
        transcript = await Transcript.start(self._services.root, head, self._services.now)
        self._transcript = transcript
        self._unwatch = self._services.watch(task.id, transcript.record)
        self._services.history_changed(task.id, "added")

    async def run_non_interactive(self, context: dict[str, Any]) -> None:
        """Run to the natural end, or return soon after an abort; `dispose` then stops what is left.

        The prompt takes the launch's own context: what the task tool adds for other surroundings, such
        as the goal once more, is no part of it. Raises RunFailed, RunStopped, and what the runner's start
        raises.
        """
        prompts = self._request.behaviour_prompts
        prompt = build_prompt(
            self._plan.definition.system_prompt,
            prompts[0],
            prompts[1:],
            self._record.request.get("context"),
        )
        spec = RunSpec(self.task_id, prompt, Path(self._record.task.workspace_dir))
        self._limits = self._services.watch_limits(self._plan.runner.reports_work)
        try:
            self._handle = await self._plan.runner.start(spec, self._emit)
            self._record.pid = self._handle.pid
            await self._first_end(self._handle, self._limits)
        finally:
            self._limits.close()

    def partial(self) -> PartialResult:
        """Return what the run has produced so far."""
        return self._partial.result()

    def stop(self, reason: str) -> None:
        """Abort the run; one that its caller waits for ends so, as there is no manager to cancel it."""
        self._abort.abort(reason)

    async def finish(self, task: AsyncTask) -> None:
        """Write the run's end into its stored task."""
        if self._transcript is None:
            return
        self._unwatch()
        message = (task.output or {}).get("final_message")
        await self._transcript.finish(_OUTCOMES[task.status], final_message=message, error=task.error)
        self._services.history_changed(task.id, "changed")

    async def dispose(self) -> None:
        """Leave nothing of the run: no process, and no record that says it still runs."""
        if self._handle is not None:
            await self._handle.stop(self._services.stop_seconds())
        registry = self._services.registry
        live = registry.live(self.task_id)
        if live is not None and live.task.status == "running":
            self._end_unmanaged()
        await registry.settled(self.task_id)

    async def _first_end(self, handle: RunHandle, limits: LimitWatch) -> None:
        aborted = asyncio.Event()
        unsubscribe = self._abort.on_abort(aborted.set)
        ended = asyncio.ensure_future(handle.result())
        stopped = asyncio.ensure_future(aborted.wait())
        try:
            waits: set[asyncio.Future[Any]] = {ended, stopped, limits.overrun}
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            unsubscribe()
            stopped.cancel()
            if not ended.done():
                ended.cancel()
        overrun = limits.overrun.done() and not self._abort.aborted
        if self._abort.aborted or overrun or not ended.done():
            partial = self.partial()
            reason = "TIMEOUT" if self._abort.reason == TIMEOUT else "ERROR"
            self.output = _output(reason, partial.emitted_vars, partial.final_message)
            if overrun:
                self._stopped = limits.overrun.result()
                raise self._stopped
            return
        result = ended.result()
        self.output = _output(result.terminate_reason, result.emitted_vars, result.final_message)
        if result.terminate_reason != "GOAL":
            self._error = result.error or f"Subagent ended with {result.terminate_reason}."
            raise RunFailed(self._error)

    async def _emit(self, event: dict[str, Any]) -> None:
        self._partial.take(event)
        if self._limits is not None:
            self._limits.take(event)
        await self._services.registry.emit(self.task_id, event)
        self._services.history_changed(self.task_id, "changed")

    def _end_unmanaged(self) -> None:
        """End the record of a run that no manager knows: its caller had it in hand."""
        task = self._record.task
        end = RunEnd(self._how(), self.output, *self._why())
        ending = ending_of(end, TimeoutChoice(task.timeout_seconds))
        self._services.registry.end(
            task.id,
            ending.status,
            ending.end_reason or _cancel_reason(self._abort.reason),
            output=ending.output,
            error=ending.error,
        )

    def _how(self) -> Literal["returned", "raised", "timeout", "aborted"]:
        if self._abort.aborted:
            return "timeout" if self._abort.reason == TIMEOUT else "aborted"
        return "raised" if self._error is not None or self._stopped is not None else "returned"

    def _why(self) -> tuple[str | None, str | None]:
        """Return the error's text and the reason, as `RunEnd` has them."""
        if self._stopped is not None and not self._abort.aborted:
            return str(self._stopped), self._stopped.end_reason
        return self._error, self._abort.reason


def _output(reason: str, emitted_vars: dict[str, Any], final_message: str | None) -> Output:
    output = {"terminate_reason": reason, "emitted_vars": emitted_vars}
    return output if final_message is None else {**output, "final_message": final_message}


def _cancel_reason(reason: str | None) -> EndReason:
    return "cancelledByModel" if reason == "cancelledByModel" else "cancelledByUser"
