"""Execute runs as asyncio tasks, for every kind of launch."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sidecar.subagents.runs.lifecycle import (
    CANCEL_SECONDS,
    LaunchAborted,
    RunEnd,
    RunTask,
    ShutdownTimeouts,
)
from sidecar.subagents.tasks.launching import Launchable, StartRun
from sidecar.subagents.tasks.manager import AsyncTaskManager
from sidecar.subagents.tasks.model import AsyncTaskInfo
from sidecar.subagents.tasks.outcome import HOST_EXIT, Outcome
from sidecar.subagents.tasks.signals import Signal
from sidecar.subagents.tasks.slots import Slot

log = logging.getLogger(__name__)

ANSWER_SECONDS = 0.002
"""The delay before a process starts, which blocks the loop for several ms: the answer goes out first."""


@dataclass(frozen=True)
class ForegroundEnd:
    """The end of a run in the foreground, for which its caller waits."""

    agent_id: str
    end: RunEnd


class BackgroundRuns:
    """Own the asyncio task of every run; `aclose` ends them all in bounded time.

    `conclude(task_id, outcome)` is called when a background run has ended, so that a Host can make the end
    durable first; without it, the manager's task ends at once. `freed` signals the ID of a background run
    whose processes have exited. Its slot is then free, unless its end is not recorded yet.
    """

    def __init__(
        self,
        *,
        timeouts: ShutdownTimeouts | None = None,
        conclude: Callable[[str, Outcome], object] | None = None,
    ) -> None:
        self._timeouts = timeouts or ShutdownTimeouts()
        self.freed: Signal[str] = Signal()
        self._active: set[str] = set()
        self._conclude = conclude
        self._work: dict[asyncio.Task[Any], RunTask] = {}
        self._closed = False

    async def launch(
        self, manager: AsyncTaskManager, launch: Launchable, start: StartRun, slot: Slot
    ) -> AsyncTaskInfo:
        """Start a run, register it with the manager, and execute it in the background.

        Takes over the slot. Cancelling the caller stops the launch and the run. Registers nothing if it
        raises: LaunchTimedOut, LaunchAborted, or any error of `start`.
        """
        try:
            run = self._new_run(launch, start)
        except LaunchAborted:
            slot.release()
            raise
        registered: asyncio.Future[AsyncTaskInfo] = asyncio.get_running_loop().create_future()
        registered.add_done_callback(lambda future: future.exception())
        self._own(self._execute(run, manager, slot, registered), run)
        try:
            return await asyncio.shield(registered)
        except asyncio.CancelledError:
            run.abort.abort()
            raise

    async def run(self, launch: Launchable, start: StartRun) -> ForegroundEnd:
        """Start a run and wait for its end; cancelling the caller ends the run.

        Raises the same errors as `launch`. A run that fails does not raise: see the result.
        """
        run = self._new_run(launch, start)
        work = self._own(self._wait_for(run), run)
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            run.abort.abort()
            await asyncio.wait({work}, timeout=self._timeouts.wind_down + self._timeouts.dispose)
            raise

    async def aclose(self, limit: float) -> None:
        """Abort every run, wait at most `limit` seconds for their ends, then cancel the rest."""
        self._closed = True
        for run in tuple(self._work.values()):
            run.abort.abort(HOST_EXIT)
            self._own(run.dispose_now(), run)
        if self._work:
            await asyncio.wait(tuple(self._work), timeout=limit)
        for work in self._work:
            work.cancel()
        if self._work:
            await asyncio.wait(tuple(self._work), timeout=2 * CANCEL_SECONDS)

    async def until_gone(self, task_id: str) -> None:
        """Wait until the processes of an ended run are gone, which takes seconds at most."""
        if task_id not in self._active:
            return
        gone = asyncio.Event()
        unsubscribe = self.freed.subscribe(lambda freed: gone.set() if freed == task_id else None)
        try:
            await gone.wait()
        finally:
            unsubscribe()

    def _new_run(self, launch: Launchable, start: StartRun) -> RunTask:
        if self._closed:
            name = launch.subagent_name
            raise LaunchAborted(
                f"Subagent '{name}' is not launched: the sidecar is shutting down.", subagentName=name
            )
        return RunTask(launch, start, self._timeouts)

    def _own(self, work: Coroutine[Any, Any, Any], run: RunTask) -> asyncio.Task[Any]:
        task = asyncio.create_task(work, name=f"run of {run.launch.subagent_name}")
        self._work[task] = run
        task.add_done_callback(self._work.pop)
        return task

    async def _wait_for(self, run: RunTask) -> ForegroundEnd:
        try:
            agent_id = (await run.start()).agent_id
            with self._until_closed(agent_id):
                try:
                    return ForegroundEnd(agent_id, await run.finish())
                finally:
                    await run.aclose()
        finally:  # a launch that failed
            await run.aclose()

    async def _execute(
        self,
        run: RunTask,
        manager: AsyncTaskManager,
        slot: Slot,
        registered: "asyncio.Future[AsyncTaskInfo]",
    ) -> None:
        failure: Exception = LaunchAborted("The launch was cancelled.")
        try:
            task = await self._register(run, manager, slot)
            registered.set_result(task)
            with self._until_closed(task.id), self._keeping_slot(manager, task.id):
                try:
                    await self._run_to_completion(run, manager, task.id)
                finally:
                    await run.aclose()
        except Exception as error:
            failure = error
            if registered.done():
                log.exception("executing a run of %s failed", run.launch.subagent_name)
        finally:
            with slot:  # a failed launch keeps its slot until its processes have exited
                await run.aclose()
            if not registered.done():
                registered.set_exception(failure)

    @contextmanager
    def _keeping_slot(self, manager: AsyncTaskManager, task_id: str) -> Iterator[None]:
        """Keep the slot of a run until its processes have exited, even if the run ends before."""
        manager.keep_slot(task_id)
        try:
            yield
        finally:
            manager.free_slot(task_id)

    @contextmanager
    def _until_closed(self, task_id: str) -> Iterator[None]:
        self._active.add(task_id)
        try:
            yield
        finally:
            self._active.discard(task_id)
            self.freed.emit(task_id)

    async def _register(self, run: RunTask, manager: AsyncTaskManager, slot: Slot) -> AsyncTaskInfo:
        started = await run.start()
        return manager.register_task(
            id=started.agent_id,
            subagent_name=run.launch.subagent_name,
            goal_prompt=run.launch.goal_prompt,
            abort=run.abort.abort,
            slot=slot,
        )

    async def _run_to_completion(self, run: RunTask, manager: AsyncTaskManager, task_id: str) -> None:
        """Run to the end and report it, even if the run is cancelled."""
        try:
            await asyncio.sleep(ANSWER_SECONDS)
            end = await run.finish()
        except BaseException:
            run.abort.abort(HOST_EXIT)
            end = run.end()
            raise
        finally:
            if self._conclude is not None:
                self._conclude(task_id, end.outcome)
            else:
                conclude(manager, task_id, end.outcome)


def conclude(manager: AsyncTaskManager, task_id: str, outcome: Outcome) -> bool:
    """End a task of the manager with this outcome; return False if it was not running."""
    if outcome.status == "completed":
        return manager.complete_task(task_id, outcome.output or {})
    if outcome.status == "failed":
        return manager.fail_task(task_id, outcome.error or "", outcome.output)
    return manager.cancel_task(task_id)
