"""One run of a Host, from its first record to its durable end."""

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from sidecar.api.errors import InvalidState
from sidecar.api.runs.async_tasks import AsyncTask, Changes, Placement
from sidecar.subagents.fold import RunFold
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.tasks.launching import Abort
from sidecar.subagents.tasks.outcome import Outcome


class MessageRejected(Exception):
    """A run cannot accept a message; the text explains why."""


class Executor(Protocol):
    """The part of a run's execution that the registry uses."""

    async def finish(self, task: AsyncTask) -> None:
        """Write the end into the run's stored task. Raises StorageError; may be called again."""

    async def sync(self) -> None:
        """Make the stored task durable. Raises StorageError; may be called again."""

    def send(self, text: str) -> None:
        """Send a message to the agent when it is ready. Raises MessageRejected."""

    async def steer(self, text: str) -> bool:
        """Give the agent a message during its current turn. Return False if it cannot take one now."""


class Run:
    """A live run: its record, the fold of its events, its executor and its outcome.

    The first end sets `outcome`. The record shows the end only when the journal has it, so that clients
    never see an end that a crash could take back.
    """

    def __init__(self, record: RunRecord) -> None:
        self.record = record
        self.fold = RunFold(record.task.progress.last_activity_at, record.task.workspace_dir)
        self.outcome: Outcome | None = None
        self.executor: Executor | None = None
        self.recorded: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the end is durable and reported."""
        self.counted_changes: Changes | None = None
        self.has_left = False
        """What the run changed on its cluster, as git counts it."""
        self.unwatch: Callable[[], None] = _nothing
        self._abort: Abort | None = None

    @property
    def id(self) -> str:
        """The ID of the run and of its task."""
        return self.record.task.id

    @property
    def is_running(self) -> bool:
        """Whether the run has started and not ended."""
        return self.record.task.status == "running" and self.outcome is None

    @property
    def abort(self) -> Abort:
        """The handle that stops the run; requires `attach`."""
        assert self._abort is not None, "attach comes first"
        return self._abort

    def attach(self, abort: Abort) -> None:
        """Set the handle that stops the run; use it at once if the run has ended meanwhile."""
        self._abort = abort
        if self.outcome is not None:
            abort.abort(self.outcome)

    def detach(self) -> None:
        """Remove the handle, so that a failed launch raises its own error rather than LaunchAborted."""
        self._abort = None

    def conclude(self, outcome: Outcome) -> bool:
        """Set the outcome and stop the run; return False if it already has an outcome."""
        if self.outcome is not None:
            return False
        self.outcome = outcome
        if self._abort is not None:
            self._abort.abort(outcome)
        return True

    def send(self, text: str) -> None:
        """Send a message to the agent. Raises InvalidState if it cannot accept one."""
        task = self.record.task
        try:
            if self.executor is None or not self.is_running:
                raise MessageRejected(f"it is {task.status}, and only a running task accepts messages")
            self.executor.send(text)
        except MessageRejected as error:
            raise InvalidState(
                f"task {task.id} cannot receive messages: {error}", taskId=task.id, status=task.status
            ) from None

    async def steer(self, text: str) -> bool:
        """Give the agent a message during its current turn. Return False if it cannot take one now."""
        return self.executor is not None and self.is_running and await self.executor.steer(text)

    def accepts(self, event: dict[str, Any]) -> bool:
        """Return whether an event may be logged. After the end none may, but used tokens still count."""
        if not self.is_running and event["type"] == "usage":
            self.fold.usage.take(event)
        return self.is_running

    def take(self, event: dict[str, Any]) -> None:
        """Add one event to the fold."""
        self.fold.take(event)

    def release(self) -> None:
        """Stop following events and release the executor, so that an ended run is freed at once.

        The parts of a run refer to each other. Until the garbage collector finds them, which takes thousands
        of runs, they would keep the output of the run in memory.
        """
        self.unwatch()
        self.unwatch = _nothing
        self.executor = None

    def snapshot(self) -> AsyncTask:
        """Return a copy of the task with its progress up to now."""
        changes = self.counted_changes or self.fold.changes.result()
        return msgspec.structs.replace(self.record.task, progress=self.fold.progress(), changes=changes)

    def refreshed(self) -> RunRecord:
        """Return the record with the progress up to now."""
        self.record.task.progress = self.fold.progress()
        self.record.task.changes = self.counted_changes or self.fold.changes.result()
        self.record.has_changes = self.counted_changes is not None
        return self.record

    def ended_record(self, now: int) -> RunRecord:
        """Return the record with the outcome; `now` in ms since the epoch."""
        assert self.outcome is not None, "conclude comes first"
        return with_outcome(self.refreshed(), self.outcome, self.fold, now)


def with_outcome(record: RunRecord, outcome: Outcome, fold: RunFold, now: int) -> RunRecord:
    """Return a copy of a live run's record with its end; `now` in ms since the epoch."""
    progress = msgspec.structs.replace(record.task.progress, current_tool=None, retrying=None)
    # The run must not end before it started, even if the clock was set back.
    completed_at = max(now, record.task.launched_at or record.task.queued_at or 0)
    task = msgspec.structs.replace(
        record.task,
        status=outcome.status,
        end_reason=outcome.reason,
        error=outcome.error,
        error_kind=outcome.error_kind,
        output=None if outcome.output is None else dict(outcome.output),
        completed_at=completed_at,
        notified_at=None if record.sync or record.concerns_model else completed_at,
        queue_position=None,
        waiting=None,
        attention=None,
        partial=fold.partial() if outcome.status != "completed" and record.task.launched_at else None,
        progress=progress,
        placement=_last_placement(record.task.placement, outcome),
    )
    was_asked_for = outcome.reason in ("cancelledByUser", "cancelledByModel")
    is_known = bool(outcome.client_id) and outcome.client_id == record.client_id
    wants_notice = was_asked_for and not is_known and record.concerns_model
    return msgspec.structs.replace(record, task=task, wants_notice=wants_notice)


def _last_placement(placement: Placement | None, outcome: Outcome) -> Placement | None:
    """Return the placement of an ended run, which may have been stopped at any point."""
    if placement is None or placement.state == "lost":
        return placement
    return msgspec.structs.replace(placement, state="lost" if outcome.reason == "lost" else "ended")


def end_event(task: AsyncTask, words: str | None) -> dict[str, Any]:
    """Return the last event of a run; `words` are the reason that was given for a cancellation."""
    event: dict[str, Any] = {"type": "state", "status": task.status, "endReason": task.end_reason}
    if task.error_kind is not None:
        event["errorKind"] = task.error_kind
    if task.status == "cancelled" and words is not None:
        event["reason"] = words
    return event


def display_name(task: AsyncTask) -> str:
    """Return a label with which a person can tell tasks apart: subagent, status and goal."""
    goal = " ".join(task.goal_prompt.split())
    return f"{task.subagent_name} - {task.status} - {goal[:60]}"


def _nothing() -> None:
    """Do nothing."""
