"""Every run of one Host: the live ones in memory, all of them in the journal."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Protocol

import msgspec

from sidecar.api.async_tasks import AsyncStatus, AsyncTask, EndReason, PartialResult
from sidecar.api.errors import AmbiguousTaskId, InvalidState, TaskNotFound
from sidecar.subagents.event_log import EventLog
from sidecar.subagents.journal import Journal
from sidecar.subagents.progress import RunProgress, begin, fold
from sidecar.subagents.records import RunRecord

logger = logging.getLogger(__name__)


class CannotListen(Exception):
    """A run takes no message, now or ever; the text says why."""


class LiveRun(Protocol):
    """What executes a run, as far as its record needs it."""

    def partial(self) -> PartialResult:
        """Return what the run has produced so far."""

    async def finish(self, task: AsyncTask) -> None:
        """Write the end into the run's stored task; called once, before the end is announced."""

    def send(self, text: str) -> None:
        """Give the agent a message as soon as it can take one; CannotListen says why it cannot."""

    def stop(self, reason: str) -> None:
        """Have the run end soon; for runs that no manager knows."""


FOREIGN_POLL_SECONDS = 0.25
"""How often a run of the process that owns the root is looked at: it cannot tell us of its end."""
_CANDIDATES = 20
"""How many tasks an ambiguous prefix names, so that the answer stays readable."""


class RunRegistry:
    """Keep the records of runs: durable before anyone is told, ended once.

    `on_change` is called in the event loop with every record whose state changed, after the journal
    has it.
    """

    def __init__(
        self,
        journal: Journal,
        events: EventLog,
        now: Callable[[], int],
        on_change: Callable[[RunRecord], None],
    ) -> None:
        self._journal = journal
        self._events = events
        self._now = now
        self._on_change = on_change
        self._live: dict[str, RunRecord] = {}
        self._runs: dict[str, LiveRun] = {}
        self._progress: dict[str, RunProgress] = {}
        self._unwatch: dict[str, Callable[[], None]] = {}
        self._ended: dict[str, asyncio.Future[None]] = {}
        self._saves: set[asyncio.Task[None]] = set()

    async def add(self, record: RunRecord) -> None:
        """Take up a new run; when this returns its id may be given out."""
        task_id = record.task.id
        await self._journal.save(record)
        self._live[task_id] = record
        self._ended[task_id] = asyncio.get_running_loop().create_future()
        self._follow(record)
        await self._log_state(record)
        self._on_change(record)

    async def start(self, record: RunRecord) -> None:
        """Note that a queued run runs from now on."""
        record.task.status = "running"
        record.task.launched_at = self._now()
        record.task.queue_position = None
        await self._journal.save(record)
        await self._log_state(record)
        self._on_change(record)

    def remember(self, record: RunRecord) -> None:
        """Have the journal keep what is known of a run beside its state; nobody is told."""
        self._own(self._journal.save(record))

    def show(self, record: RunRecord) -> None:
        """Tell of a change that other processes are to see too, who read the journal."""
        self.remember(record)
        self._on_change(record)

    def touch(self, record: RunRecord) -> None:
        """Tell of a change that needs no memory, such as a new place in the line."""
        self._on_change(record)

    def attach(self, task_id: str, run: LiveRun) -> None:
        """Say what executes a live run."""
        self._runs[task_id] = run

    def live(self, task_id: str) -> RunRecord | None:
        """Return a run that has not ended, or whose end is not durable yet."""
        return self._live.get(task_id)

    def with_status(self, status: AsyncStatus) -> list[RunRecord]:
        """Return the live runs in this state, oldest first."""
        return [record for record in self._live.values() if record.task.status == status]

    async def emit(self, task_id: str, event: dict[str, Any]) -> None:
        """Log one event of a live run; what comes after the end is dropped."""
        record = self._live.get(task_id)
        if record is not None and record.task.status == "running":
            await self._events.append(task_id, event)

    def stop(self, task_id: str, reason: str) -> bool:
        """Have a live run end that no manager knows; False if nothing executes it."""
        run = self._runs.get(task_id)
        if run is not None:
            run.stop(reason)
        return run is not None

    def send(self, record: RunRecord, text: str) -> None:
        """Give the agent of a run that goes on a message. Raises InvalidState where none can take it."""
        task = self._live.get(record.task.id, record).task
        run = self._runs.get(task.id)
        try:
            if run is None or task.status != "running":
                raise CannotListen(f"it is {task.status}, and only a running one listens")
            run.send(text)
        except CannotListen as error:
            raise InvalidState(
                f"task {task.id} takes no message: {error}", taskId=task.id, status=task.status
            ) from None

    def end(
        self,
        task_id: str,
        status: AsyncStatus,
        end_reason: EndReason,
        *,
        output: Mapping[str, Any] | None = None,
        error: str | None = None,
        wants_notice: bool = False,
    ) -> bool:
        """End a live run; the first end wins. The journal follows: `settled` waits for it."""
        record = self._live.get(task_id)
        if record is None or record.task.status not in ("queued", "running"):
            return False
        task = record.task
        task.status, task.end_reason = status, end_reason
        task.completed_at = self._now()
        task.output = dict(output) if output is not None else None
        task.error = error
        task.queue_position = task.attention = None
        if status != "completed" and task_id in self._runs:
            task.partial = self._runs[task_id].partial()
        task.progress = msgspec.structs.replace(task.progress, current_tool=None)
        record.wants_notice = wants_notice
        self._own(self._settle(record))
        return True

    async def settled(self, task_id: str) -> None:
        """Wait until a run has ended and its end is durable; at once for one that has."""
        future = self._ended.get(task_id)
        if future is not None:
            await asyncio.shield(future)
        while self._journal.read_only and await self.is_live(task_id):  # noqa: ASYNC110 (no event tells)
            await asyncio.sleep(FOREIGN_POLL_SECONDS)

    async def is_live(self, task_id: str) -> bool:
        """Tell whether a run may still say something, here or in the process that owns the root."""
        if not self._journal.read_only:
            return task_id in self._live
        record = await self._journal.get(task_id)
        return record is not None and record.task.completed_at is None

    async def find(self, task_id: str) -> RunRecord | None:
        """Return the run with exactly this id."""
        return self._live.get(task_id) or await self._journal.get(task_id)

    async def resolve(self, prefix: str) -> RunRecord:
        """Return the run with this id, else the one run whose id starts so.

        Raises TaskNotFound and AmbiguousTaskId.
        """
        exact = await self.find(prefix)
        if exact is not None:
            return exact
        found = await self._journal.by_prefix(prefix, _CANDIDATES) if prefix else []
        if len(found) == 1:
            return self._live.get(found[0].task.id, found[0])
        if not found:
            raise TaskNotFound(f"no async task has the id or prefix {prefix!r}", taskId=prefix)
        candidates = [{"id": each.task.id, "label": label(each.task)} for each in found]
        raise AmbiguousTaskId(
            f"several async tasks start with {prefix!r}; give more of the id",
            taskId=prefix,
            candidates=candidates,
        )

    def current(self, record: RunRecord) -> AsyncTask:
        """Return a snapshot of a run's newest state, whatever copy of it is at hand."""
        task = self._live.get(record.task.id, record).task
        text = task.progress.last_text
        progress = msgspec.structs.replace(task.progress, last_text=text.strip() if text else None)
        return msgspec.structs.replace(task, progress=progress)

    async def aclose(self, limit: float) -> None:
        """Wait, `limit` seconds at most, until every end is durable."""
        if self._saves:
            await asyncio.wait(set(self._saves), timeout=limit)

    def _own(self, saving: Coroutine[Any, Any, None]) -> None:
        save = asyncio.get_running_loop().create_task(saving)
        self._saves.add(save)
        save.add_done_callback(self._saved)

    def _saved(self, save: asyncio.Task[None]) -> None:
        self._saves.discard(save)
        if not save.cancelled() and save.exception() is not None:
            logger.error("a record could not be written: %s", save.exception())

    async def _settle(self, record: RunRecord) -> None:
        task = record.task
        try:
            await self._log_state(record)
            run = self._runs.pop(task.id, None)
            if run is not None:
                await run.finish(task)
            await self._journal.save(record)
        except Exception:
            logger.exception("the end of run %s could not be written", task.id)
        else:
            self._forget(task.id)
        self._on_change(record)
        future = self._ended.pop(task.id, None)
        if future is not None and not future.done():
            future.set_result(None)

    def _follow(self, record: RunRecord) -> None:
        task = record.task
        self._progress[task.id] = begin(task.progress.last_activity_at)

        def take(event: dict[str, Any]) -> None:
            self._progress[task.id] = fold(self._progress[task.id], event)
            task.progress = self._progress[task.id].progress

        self._unwatch[task.id] = self._events.watch(task.id, take)

    def _forget(self, task_id: str) -> None:
        del self._live[task_id], self._progress[task_id]
        self._unwatch.pop(task_id)()
        self._events.close_task(task_id)

    async def _log_state(self, record: RunRecord) -> None:
        event: dict[str, Any] = {"type": "state", "status": record.task.status}
        if record.task.end_reason is not None:
            event["endReason"] = record.task.end_reason
        if record.task.status == "cancelled" and record.cancel_reason is not None:
            event["reason"] = record.cancel_reason
        await self._events.append(record.task.id, event)


def label(task: AsyncTask) -> str:
    """Name a task for a person who has to choose: whose it is, how it stands, what for."""
    goal = " ".join(task.goal_prompt.split())
    return f"{task.subagent_name} - {task.status} - {goal[:60]}"
