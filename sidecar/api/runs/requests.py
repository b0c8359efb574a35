"""Listing, awaiting and controlling async tasks."""

from typing import Literal

from sidecar.api.base import Params, Record
from sidecar.api.runs.async_tasks import AsyncStatus, AsyncTask, EventRow


class CancelParams(Params, kw_only=True):
    """Parameters of `asyncTasks/cancel`."""

    task_id: str
    reason: str | None = None
    """Why, for the log of the run."""


class SendParams(Params, kw_only=True):
    """Parameters of `asyncTasks/send`: a message to the agent of an unfinished run."""

    task_id: str
    text: str
    """The message for the agent."""


class ReorderParams(Params, kw_only=True):
    """Parameters of `asyncTasks/reorder`: a queued task, and its new place in the queue, from 1.

    A position beyond the end is the last. The order is not kept when the sidecar ends, since queued tasks
    end with it.
    """

    task_id: str
    position: int
    """The new position in the queue, from 1. Beyond the end: the last."""


class AsyncListParams(Params, kw_only=True):
    """Parameters of `asyncTasks/list`."""

    status: AsyncStatus | list[AsyncStatus] | None = None
    """Only tasks with this status, or one of these."""
    cursor: str | None = None
    limit: int = 200
    """The size of a page, at most 20,000 tasks. A page ends earlier at about 16 MiB."""


class SetMaxParams(Params, kw_only=True):
    """Parameters of `asyncTasks/setMax`; -1 lifts the limit."""

    max: int
    """How many tasks can run at once, -1 for no limit."""


class WaitParams(Params, kw_only=True):
    """Parameters of `asyncTasks/wait`."""

    task_ids: list[str]
    """Ids or unique prefixes."""
    mode: Literal["all", "any"] = "all"
    """`all`: until every task ended. `any`: until one ended."""
    timeout_seconds: int | float | None = None
    """How long to wait, in seconds. Default: until the end."""


class EventsParams(Params, kw_only=True):
    """Parameters of `asyncTasks/events`."""

    task_id: str
    after_seq: int = 0
    """Return events after this number."""
    limit: int = 200
    """The maximum number of events in one answer, at most 20,000."""


class SubscribeParams(Params, kw_only=True):
    """Parameters of `asyncTasks/subscribe`. Without `after_seq`, only new events are sent."""

    task_id: str
    after_seq: int | None = None
    """Send events after this number. Default: only new events."""


class AsyncListResult(Record, kw_only=True):
    """A page of async tasks, newest launch first.

    `counts` cover all tasks. `counts.running` are those that hold slots, so it exceeds `max` only after `max`
    was lowered, after `startNow`, and while a run lends its slot to a child. `foreground` counts the running
    tasks without a slot, if there are any: the synchronous runs of the tool `task`, which are also among the
    items.
    """

    items: list[AsyncTask]
    """The tasks of this page, newest launch first."""
    counts: dict[str, int]
    """All tasks by status."""
    foreground: int = 0
    """Running tasks that hold no slot: synchronous calls of the tool `task`. Absent if there are none."""
    max: int
    """The limit of running tasks, -1 for none."""
    next_cursor: str | None = None
    revision: int


class CancelResult(Record, kw_only=True):
    """Whether this call ended the task."""

    cancelled: bool
    """Whether this call ended the task. False if it had ended before."""
    task: AsyncTask
    """The task after the call."""
    revision: int


class ReorderResult(Record, kw_only=True):
    """The place that the task has now, from 1; each task that moved is in an `asyncTasks/didChange`."""

    queue_position: int
    """The position that the task has now, from 1."""
    revision: int


class SendResult(Record, kw_only=True):
    """When the agent receives the message: now, if it accepts messages during a turn, or else afterwards."""

    delivery: Literal["now", "nextTurn"]
    """`now`: the agent received it. `nextTurn`: it will, when its current turn ends."""
    revision: int


class CancelAllParams(Params, kw_only=True):
    """Parameters of `asyncTasks/cancelAll`."""

    scope: Literal["own", "all"] = "own"
    """`own` cancels the tasks of this client's workspace; without open folders, those of this client."""


class CancelAllResult(Record, kw_only=True):
    """How many tasks this call ended."""

    cancelled: int
    """How many tasks this call ended."""
    revision: int


class SetMaxResult(Record, kw_only=True):
    """The limit now in force."""

    max: int
    """The limit now in force."""
    revision: int


class WaitResult(Record, kw_only=True):
    """The awaited tasks as they are now."""

    tasks: list[AsyncTask]
    """The awaited tasks as they are now."""
    pending: list[str]
    """Ids of those that have not ended."""
    timed_out: bool
    """Whether the time ran out."""
    revision: int


class EventsResult(Record, kw_only=True):
    """A page of a run's events: `{seq, ts, type, ...}`, `seq` from 1 without gaps."""

    events: list[EventRow]
    """Events in order."""
    last_seq: int
    """The newest event of the run."""
    more: bool
    """Whether there are more events after these."""
    revision: int


class SubscribeResult(Record, kw_only=True):
    """`last_seq` is the last event before the subscription."""

    last_seq: int
    """The last event before the subscription."""
