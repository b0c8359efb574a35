"""Cancel, reorder, message and await the runs of one Host."""

import asyncio
from collections.abc import Sequence
from typing import Literal

from sidecar.api.errors import InvalidState, StorageError
from sidecar.app.launching.gate import LaunchGate
from sidecar.app.launching.run_selection import EVERYTHING, RunSelection
from sidecar.subagents.agent_text import require_whole
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.runs.admission import Admission
from sidecar.subagents.runs.background import BackgroundRuns, conclude
from sidecar.subagents.runs.registry.registry import RunRegistry
from sidecar.subagents.runs.run import Run
from sidecar.subagents.tasks.manager import AsyncTaskManager
from sidecar.subagents.tasks.outcome import HOST_EXIT, CancelledBy, Outcome, cancelled

OVER_LIMIT = "started over the limit"


class RunControl:
    """Control runs after their launch."""

    def __init__(
        self,
        manager: AsyncTaskManager,
        registry: RunRegistry,
        admission: Admission,
        background: BackgroundRuns,
        gate: LaunchGate,
    ) -> None:
        self._manager = manager
        self._registry = registry
        self._admission = admission
        self._background = background
        self._gate = gate

    def set_max(self, maximum: int) -> None:
        """Change the limit of running tasks, and start queued launches that it allows."""
        self._manager.set_max_async_tasks(maximum)
        self._admission.pump()

    def reorder(self, record: RunRecord, position: int) -> int:
        """Move a queued launch to a position, counted from 1, and return its new position.

        A position after the end means the end. Raises InvalidState for a run that is not queued.
        """
        task = self._registry.current(record)
        moved_to = self._admission.move(task.id, position) if task.status == "queued" else None
        if moved_to is None:
            raise InvalidState(
                f"task {task.id} is {task.status}: only a queued task can be moved in the queue",
                taskId=task.id,
                status=task.status,
            )
        return moved_to

    async def start_now(self, record: RunRecord) -> None:
        """Start a queued launch over the limit. Raises InvalidState for a run that is not queued."""
        task = self._registry.current(record)
        if not await self._admission.start_over_limit(task.id):
            raise InvalidState(
                f"task {task.id} is {task.status}: only a queued task can be started now",
                taskId=task.id,
                status=task.status,
            )
        run = self._registry.live(task.id)
        if run is not None:
            await self._registry.emit(run, {"type": "log", "stream": "stderr", "text": f"{OVER_LIMIT}\n"})

    async def cancel(
        self, task_id: str, by: CancelledBy, words: str | None = None, client_id: str = ""
    ) -> bool:
        """Cancel a running or queued run; return True when the end is durable, False if it had ended before.

        `words` are the reason, which the run's last event keeps. `client_id` identifies the connection whose
        model cancels. Raises StorageError if the run is stopped but its end cannot be recorded yet.
        """
        is_ended_here = self.request_cancel(task_id, by, words, client_id)
        try:
            await self._registry.recorded(task_id)
        except StorageError as error:
            text = f"task {task_id} is stopped, but its end cannot be recorded yet: {error.message}"
            raise StorageError(text, **error.data) from None
        return is_ended_here

    def request_cancel(
        self, task_id: str, by: CancelledBy, words: str | None = None, client_id: str = ""
    ) -> bool:
        """Cancel a run without waiting for the journal; return False if it had ended before."""
        self._admission.remove(task_id)
        return self._registry.conclude(task_id, cancelled(by, words, client_id))

    async def cancel_all(self, by: CancelledBy, selection: RunSelection = EVERYTHING) -> int:
        """Cancel the queued and running runs and the pending launches that are covered, queued ones first."""
        every = [*self._registry.with_status("queued"), *self._registry.with_status("running")]
        live = [run for run in every if selection.covers(run.record.client_id, run.record.task.owner)]
        count = self._gate.cancel(self._is_live, selection)
        ended = await asyncio.gather(*(self.cancel(run.id, by) for run in live))
        return count + sum(ended)

    def end_all(self, outcome: Outcome) -> None:
        """End all queued and running runs with an outcome; the Host can still launch others."""
        self._gate.cancel(self._is_live)
        for run in self._registry.with_status("queued"):
            self._admission.remove(run.id)
            self._registry.conclude(run.id, outcome)
        self._end_running(outcome)

    async def send(self, record: RunRecord, text: str) -> Literal["now", "nextTurn"]:
        """Send a message to the agent of a live run, and return when it gets it.

        Raises InvalidState if it cannot accept one, and InvalidParams for an unpaired surrogate.
        """
        require_whole("text", text)
        run = self._registry.live(record.task.id)
        if run is None:
            task = record.task
            raise InvalidState(
                f"task {task.id} cannot receive messages: it is {task.status}",
                taskId=task.id,
                status=task.status,
            )
        if await run.steer(text):
            return "now"
        run.send(text)
        return "nextTurn"

    async def wait(
        self, task_ids: Sequence[str], mode: Literal["all", "any"], limit_seconds: float | None
    ) -> bool:
        """Wait for ends; return True after a timeout."""
        waits = [asyncio.ensure_future(self._registry.settled(task_id)) for task_id in task_ids]
        when = asyncio.ALL_COMPLETED if mode == "all" else asyncio.FIRST_COMPLETED
        try:
            done, pending = await asyncio.wait(waits, timeout=limit_seconds, return_when=when)
        finally:
            for each in waits:
                each.cancel()
        return bool(pending) if mode == "all" else not done

    def run_ended(self, run: Run) -> None:
        """Pass a durable end to the manager, and free the slot unless processes remain."""
        if run.outcome is not None and self._manager.get_task(run.id) is not None:
            conclude(self._manager, run.id, run.outcome)
        if run.id not in self._manager.ended_with_slot:
            self.slot_freed(run.id)

    def slot_freed(self, task_id: str) -> None:
        """Give the slot of a run to the next launch if the end of the run is durable."""
        if not self._is_live(task_id):
            self._admission.release(task_id)
        self._admission.slot_freed()

    async def aclose(self, limit: float) -> None:
        """End all running and queued runs with the reason `hostExit`, and wait until the ends are durable."""
        self._gate.cancel(self._is_live)
        self._end_running(HOST_EXIT)
        for record in await self._admission.aclose(limit=0.5):
            self._registry.conclude(record.task.id, HOST_EXIT)
        self._end_running(HOST_EXIT)
        await self._background.aclose(limit)
        await self._registry.aclose(limit)

    def _end_running(self, outcome: Outcome) -> None:
        for run in self._registry.with_status("running"):
            self._registry.conclude(run.id, outcome)

    def _is_live(self, task_id: str) -> bool:
        return self._registry.live(task_id) is not None
