"""One run of a Host, from its first record to its durable end."""

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from sidecar.api.async_tasks import AsyncTask
from sidecar.api.errors import InvalidState
from sidecar.subagents.fold import RunFold
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.tasks.launching import Abort
from sidecar.subagents.tasks.outcome import Outcome


class MessageRejected(Exception):
    """A run cannot take a message, now or ever; the text explains why."""


class Executor(Protocol):
    """What executes a run, as far as its record needs it."""

    async def finish(self, task: AsyncTask) -> None:
        """Write the end into the run's stored task. Raises StorageError; may be called again."""

    async def sync(self) -> None:
        """Make the stored task durable. Raises StorageError; may be called again."""

    def send(self, text: str) -> None:
        """Give the agent a message as soon as it can take one; MessageRejected explains why it cannot."""


class Run:
    """The record of a live run, what its events add up to, what executes it and how it ends.

    `outcome` is set once, by whatever ends the run first. The record keeps the state of the run before its
    end until the journal has the end, so that nothing is reported that a crash could take back.
    """

    def __init__(self, record: RunRecord) -> None:
        self.record = record
        self.fold = RunFold(record.task.progress.last_activity_at, record.task.workspace_dir)
        self.outcome: Outcome | None = None
        self.executor: Executor | None = None
        self.recorded: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done once the end is durable and reported."""
        self.unwatch: Callable[[], None] = lambda: None
        self._abort: Abort | None = None

    @property
    def id(self) -> str:
        """The id of the run and of its task."""
        return self.record.task.id

    @property
    def is_running(self) -> bool:
        """Whether the run has started and nothing has ended it yet."""
        return self.record.task.status == "running" and self.outcome is None

    @property
    def abort(self) -> Abort:
        """The handle that stops what executes the run; there is one once `attach` was called."""
        assert self._abort is not None, "attach comes first"
        return self._abort

    def attach(self, abort: Abort) -> None:
        """Take over the handle that stops the run; a run that has ended meanwhile is stopped at once."""
        self._abort = abort
        if self.outcome is not None:
            abort.abort(self.outcome)

    def detach(self) -> None:
        """Let go of the handle: a launch that fails raises its own error, not that it was stopped."""
        self._abort = None

    def conclude(self, outcome: Outcome) -> bool:
        """Set the outcome and stop what executes the run; False if something else ended it first."""
        if self.outcome is not None:
            return False
        self.outcome = outcome
        if self._abort is not None:
            self._abort.abort(outcome)
        return True

    def send(self, text: str) -> None:
        """Give the agent a message. Raises InvalidState where it cannot take one."""
        task = self.record.task
        try:
            if self.executor is None or not self.is_running:
                raise MessageRejected(f"it is {task.status}, and only a running task takes messages")
            self.executor.send(text)
        except MessageRejected as error:
            raise InvalidState(
                f"task {task.id} cannot receive messages: {error}", taskId=task.id, status=task.status
            ) from None

    def accepts(self, event: dict[str, Any]) -> bool:
        """Return whether an event may be logged; after the end none may, but tokens used still count."""
        if not self.is_running and event["type"] == "usage":
            self.fold.usage.take(event)
        return self.is_running

    def take(self, event: dict[str, Any]) -> None:
        """Take in one event of the run."""
        self.fold.take(event)

    def snapshot(self) -> AsyncTask:
        """Return the task as it is now, independent of later changes."""
        changes = self.fold.changes.result()
        return msgspec.structs.replace(self.record.task, progress=self.fold.progress(), changes=changes)

    def refreshed(self) -> RunRecord:
        """Return the record with the progress up to now."""
        self.record.task.progress = self.fold.progress()
        self.record.task.changes = self.fold.changes.result()
        return self.record

    def ended_record(self, now: int) -> RunRecord:
        """Return the record with the outcome; `now` in ms since the epoch."""
        assert self.outcome is not None, "conclude comes first"
        return with_outcome(self.refreshed(), self.outcome, self.fold, now)


def with_outcome(record: RunRecord, outcome: Outcome, fold: RunFold, now: int) -> RunRecord:
    """Return a copy of a live run's record with its end; `now` in ms since the epoch."""
    progress = msgspec.structs.replace(record.task.progress, current_tool=None, retrying=None)
    # A clock that was set back must not make the run end before it began.
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
        attention=None,
        partial=fold.partial() if outcome.status != "completed" and record.task.launched_at else None,
        progress=progress,
    )
    wants_notice = outcome.reason == "cancelledByUser" and record.concerns_model
    return msgspec.structs.replace(record, task=task, wants_notice=wants_notice)


def end_event(task: AsyncTask, words: str | None) -> dict[str, Any]:
    """Return the last event of a run; `words` are those of whoever cancelled it."""
    event: dict[str, Any] = {"type": "state", "status": task.status, "endReason": task.end_reason}
    if task.error_kind is not None:
        event["errorKind"] = task.error_kind
    if task.status == "cancelled" and words is not None:
        event["reason"] = words
    return event


def display_name(task: AsyncTask) -> str:
    """Name a task for a person who has to choose: whose it is, its state and its goal."""
    goal = " ".join(task.goal_prompt.split())
    return f"{task.subagent_name} - {task.status} - {goal[:60]}"
