"""Runs of subagents and the tasks that drive them: the part every way of launching shares."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from sidecar.api.async_tasks import EndReason
from sidecar.subagents.driving import (
    CALLER,
    CANCEL_SECONDS,
    CANCELLED,
    HOST_EXIT,
    DrivenRun,
    LaunchAborted,
    Patience,
    RunEnd,
    RunPlan,
)
from sidecar.subagents.endings import ending_of
from sidecar.subagents.launching import Orchestrator
from sidecar.subagents.manager import AsyncTaskManager
from sidecar.subagents.model import AsyncTaskInfo
from sidecar.subagents.slots import Slot

log = logging.getLogger(__name__)

ANSWER_SECONDS = 0.002
"""A head start for the answer to a launch: making a process holds the loop for several milliseconds."""


@dataclass(frozen=True)
class ForegroundEnd:
    """How a run that its caller waited for ended."""

    agent_id: str
    end: RunEnd


class BackgroundRuns:
    """Owns the asyncio task of every run; `aclose` ends them all in bounded time.

    `on_end(task_id, end_reason)` is called just before a background task leaves `running` because of
    its run, so that a subscriber of the manager knows why; a cancelled task is not reported.
    """

    def __init__(
        self,
        *,
        patience: Patience | None = None,
        on_end: Callable[[str, EndReason], object] | None = None,
    ) -> None:
        self._patience = patience or Patience()
        self._on_end = on_end
        self._work: dict[asyncio.Task[Any], DrivenRun] = {}
        self._runs: dict[str, DrivenRun] = {}
        self._closed = False

    async def launch(
        self, manager: AsyncTaskManager, orchestrator: Orchestrator, plan: RunPlan, slot: Slot
    ) -> AsyncTaskInfo:
        """Launch a run, enter it into the manager, and drive it in the background.

        Takes over the slot. A caller cancelled meanwhile stops the launch and the run. Raises LaunchTimedOut,
        LaunchAborted, or what the orchestrator raised; nothing is registered then.
        """
        try:
            run = self._new_run(orchestrator, plan)
        except LaunchAborted:
            slot.release()
            raise
        registered: asyncio.Future[AsyncTaskInfo] = asyncio.get_running_loop().create_future()
        registered.add_done_callback(lambda future: future.exception())
        self._own(self._drive(run, manager, slot, registered), run)
        try:
            return await asyncio.shield(registered)
        except asyncio.CancelledError:
            run.abort.abort(CALLER)
            raise

    async def run(self, orchestrator: Orchestrator, plan: RunPlan) -> ForegroundEnd:
        """Launch a run and wait for its end; it ends with its caller's cancellation.

        Raises what `launch` does; a run that fails is in the result.
        """
        run = self._new_run(orchestrator, plan)
        work = self._own(self._attend(run), run)
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            run.abort.abort(CALLER)
            await asyncio.wait({work}, timeout=self._patience.wind_down + self._patience.dispose)
            raise

    def pause(self, task_id: str) -> None:
        """Let a run's clock stand still, while a question to a person is open; unknown ids are ignored."""
        if task_id in self._runs:
            self._runs[task_id].clock.pause()

    def resume(self, task_id: str) -> None:
        """Let a run's clock go on."""
        if task_id in self._runs:
            self._runs[task_id].clock.resume()

    async def aclose(self, limit: float) -> None:
        """Abort every run and wait `limit` seconds for them to end; the rest is cancelled."""
        self._closed = True
        for run in tuple(self._work.values()):
            run.abort.abort(HOST_EXIT)
            self._own(run.hasten(), run)
        if self._work:
            await asyncio.wait(tuple(self._work), timeout=limit)
        for work in self._work:
            work.cancel()
        if self._work:
            await asyncio.wait(tuple(self._work), timeout=2 * CANCEL_SECONDS)

    def _new_run(self, orchestrator: Orchestrator, plan: RunPlan) -> DrivenRun:
        if self._closed:
            name = plan.request.name
            raise LaunchAborted(
                f"Subagent '{name}' is not launched: the sidecar is ending.", subagentName=name
            )
        return DrivenRun(orchestrator, plan, self._patience)

    def _own(self, work: Coroutine[Any, Any, Any], run: DrivenRun) -> asyncio.Task[Any]:
        task = asyncio.create_task(work, name=f"run of {run.plan.request.name}")
        self._work[task] = run
        task.add_done_callback(self._work.pop)
        return task

    async def _attend(self, run: DrivenRun) -> ForegroundEnd:
        agent_id = ""
        try:
            agent_id = (await run.start()).agent_id
            self._runs[agent_id] = run
            return ForegroundEnd(agent_id, await run.finish())
        finally:
            self._runs.pop(agent_id, None)
            await run.aclose()

    async def _drive(
        self,
        run: DrivenRun,
        manager: AsyncTaskManager,
        slot: Slot,
        registered: "asyncio.Future[AsyncTaskInfo]",
    ) -> None:
        try:
            task = await self._register(run, manager, slot)
            registered.set_result(task)
            await self._see_through(run, manager, task.id)
        except Exception as error:
            if registered.done():
                log.exception("driving a run of %s failed", run.plan.request.name)
            else:
                registered.set_exception(error)
        finally:
            if not registered.done():
                registered.set_exception(LaunchAborted("The launch was cancelled."))
            await run.aclose()

    async def _register(self, run: DrivenRun, manager: AsyncTaskManager, slot: Slot) -> AsyncTaskInfo:
        with slot:
            launch = await run.start()
            return manager.register_task(
                id=launch.agent_id,
                subagent_name=run.plan.request.name,
                goal_prompt=run.plan.goal_prompt,
                abort=lambda: run.abort.abort(CANCELLED),
                slot=slot,
            )

    async def _see_through(self, run: DrivenRun, manager: AsyncTaskManager, task_id: str) -> None:
        """Run to the end and tell the manager, also when the run had to be torn off."""
        self._runs[task_id] = run
        try:
            await asyncio.sleep(ANSWER_SECONDS)
            end = await run.finish()
        except BaseException:
            run.abort.abort(HOST_EXIT)
            end = run.end()
            raise
        finally:
            self._runs.pop(task_id, None)
            self._conclude(manager, task_id, run, end)

    def _conclude(self, manager: AsyncTaskManager, task_id: str, run: DrivenRun, end: RunEnd) -> None:
        task = manager.get_task(task_id)
        if task is None or task.status != "running":
            return
        ending = ending_of(end, run.plan.timeout)
        if ending.end_reason is not None and self._on_end is not None:
            self._on_end(task_id, ending.end_reason)
        if ending.status == "completed":
            manager.complete_task(task_id, ending.output or {})
        elif ending.status == "failed":
            manager.fail_task(task_id, ending.error or "", ending.output)
        else:
            manager.cancel_task(task_id)
