"""Async tasks, their events and the parameters of `asyncTasks/*`."""

from typing import Annotated, Any, Literal

import msgspec

from sidecar.api.base import Params, Record, Shape

AsyncStatus = Literal["queued", "running", "completed", "failed", "cancelled"]
EndReason = Literal[
    "goal",
    "error",
    "timeout",
    "inactivity",
    "startupTimeout",
    "maxTurns",
    "budget",
    "cancelledByUser",
    "cancelledByModel",
    "hostExit",
    "lost",
]
ErrorKind = Literal["auth", "rateLimit", "overloaded", "network", "contextLength", "modelNotFound", "other"]
"""What kind of failure of the model or its server ended a run."""
ResumeMode = Literal["session", "replay"]
STATUSES: tuple[AsyncStatus, ...] = ("queued", "running", "completed", "failed", "cancelled")
EventRow = Annotated[dict[str, Any], Shape("TaskEvent")]
"""An event as the journal keeps it; its members are declared in `sidecar.api.events`."""


class Retrying(Record, kw_only=True):
    """A request to the model that failed and is being repeated; `status` is the HTTP status code."""

    attempt: int
    status: int | None = None
    text: str


class Progress(Record, kw_only=True):
    """What a run has done so far; token counts and cost (USD) are cumulative.

    `turns` is the number of model answers, which `maxTurns` limits; `tool_calls` counts tools started.
    `input_tokens` excludes `cache_reads` and `cache_writes`. `retrying` is set while the agent repeats a
    failed request.
    """

    # A Record leaves out what equals a plain default; a count of 0 is known and must be sent.
    turns: int = msgspec.field(default_factory=int)
    tool_calls: int = msgspec.field(default_factory=int)
    current_tool: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_reads: int | None = None
    cache_writes: int | None = None
    cost: float | None = None
    retrying: Retrying | None = None
    last_activity_at: int
    last_text: str | None = None


class PartialResult(Record, kw_only=True):
    """What a run that did not reach its goal had produced; two members are named as in `output`.

    `open_tool` names the tool call that had not ended.
    """

    final_message: str | None = msgspec.field(default=None, name="final_message")
    emitted_vars: dict[str, Any] = msgspec.field(name="emitted_vars")
    touched_files: list[str]
    open_tool: str | None = None


class AttentionOption(Record, kw_only=True):
    """One answer to a question. `kind` is allow_once, allow_always, reject_once or reject_always.

    `scope` says in plain words what an "always" covers, such as "edits to src/days.py"; absent for "once".
    """

    option_id: str
    name: str
    kind: str
    scope: str | None = None


class Attention(Record, kw_only=True):
    """What a run waits for: `asyncTasks/answer` takes one of the options, by its id.

    The rest is what would be done: the command line, the files, the change as a unified diff, the address.
    Each is bounded: a long title, command or diff loses its middle and says so.
    """

    kind: Literal["permission", "question"]
    request_id: str
    title: str
    options: list[AttentionOption]
    tool_kind: str | None = None
    command: str | None = None
    paths: list[str] | None = None
    diff: str | None = None
    url: str | None = None


class Changes(Record, kw_only=True):
    """How many files a run changed, and how many lines it added and deleted in them."""

    files: int = msgspec.field(default_factory=int)
    additions: int = msgspec.field(default_factory=int)
    deletions: int = msgspec.field(default_factory=int)


class TaskOutput(Record, kw_only=True):
    """What a run produced; its members keep the names that the model sees."""

    terminate_reason: str = msgspec.field(name="terminate_reason")
    emitted_vars: dict[str, Any] = msgspec.field(name="emitted_vars")
    final_message: str | None = msgspec.field(default=None, name="final_message")


class AsyncTask(Record, kw_only=True):
    """One background run of a subagent; `resumes` is the ended one whose work it goes on with.

    `resume_mode` says how, as `ResumeResult` does. `mode` and `model` are those in force in the agent's
    session. `error_kind` comes with the end reason `error` when the model or its server failed.
    """

    id: str
    subagent_name: str
    goal_prompt: str
    status: AsyncStatus
    launched_at: int | None = None
    completed_at: int | None = None
    notified_at: int | None = None
    output: Annotated[dict[str, Any], Shape("TaskOutput")] | None = None
    error: str | None = None
    end_reason: EndReason | None = None
    error_kind: ErrorKind | None = None
    queued_at: int | None = None
    queue_position: int | None = None
    attention: Attention | None = None
    progress: Progress
    runner: str
    mode: str | None = None
    model: str | None = None
    changes: Changes | None = None
    workspace_dir: str
    timeout_seconds: int | float | None = None
    parent_task_id: str | None = None
    resumes: str | None = None
    resume_mode: ResumeMode | None = None
    partial: PartialResult | None = None


class LaunchParams(Params, kw_only=True):
    """Parameters of `asyncTasks/launch`.

    `expected_outputs` is name to description; an empty `tool_whitelist` means no tool at all; `max_turns`
    is 1 or more, or -1 for no limit. A runner that cannot keep to one of the three refuses it by name.
    `parent_task_id` is the id of another async task, or a unique prefix. With `notify_model` the end is
    reported to the model by a reminder, as the end of a run that the model launched is; without it only
    `asyncTasks/didChange` reports it.
    """

    subagent_name: str
    goal_prompt: str
    behaviour_prompts: list[str] | None = None
    context: dict[str, Any] | None = None
    expected_outputs: dict[str, str] | None = None
    tool_whitelist: list[str] | None = None
    timeout_seconds: int | float | None = None
    grace_period_seconds: int | float | None = None
    max_turns: int | None = None
    workspace_dir: str | None = None
    over_limit: Literal["reject", "queue"] | None = None
    parent_task_id: str | None = None
    isolation: Literal["none"] | None = None
    notify_model: bool = False


class TaskIdParams(Params, kw_only=True):
    """An id or a unique prefix."""

    task_id: str


class CancelParams(Params, kw_only=True):
    """Parameters of `asyncTasks/cancel`."""

    task_id: str
    reason: str | None = None


class SendParams(Params, kw_only=True):
    """Parameters of `asyncTasks/send`: a message to an agent whose run goes on."""

    task_id: str
    text: str


class ResumeParams(Params, kw_only=True):
    """Parameters of `asyncTasks/resume`: an ended task, and what to say to its agent.

    Without `notify_model` the new run's end is reported to the model if that of the ended task was.
    """

    task_id: str
    text: str | None = None
    over_limit: Literal["reject", "queue"] | None = None
    notify_model: bool | None = None


class ReorderParams(Params, kw_only=True):
    """Parameters of `asyncTasks/reorder`: a queued task, and its new place in the queue, from 1.

    A position beyond the end is the last. The order lasts as long as the queue: at the end of the sidecar
    queued tasks end too.
    """

    task_id: str
    position: int


class AsyncListParams(Params, kw_only=True):
    """Parameters of `asyncTasks/list`."""

    status: AsyncStatus | list[AsyncStatus] | None = None
    cursor: str | None = None
    limit: int = 200


class SetMaxParams(Params, kw_only=True):
    """Parameters of `asyncTasks/setMax`; -1 lifts the limit."""

    max: int


class WaitParams(Params, kw_only=True):
    """Parameters of `asyncTasks/wait`."""

    task_ids: list[str]
    mode: Literal["all", "any"] = "all"
    timeout_seconds: int | float | None = None


class EventsParams(Params, kw_only=True):
    """Parameters of `asyncTasks/events`."""

    task_id: str
    after_seq: int = 0
    limit: int = 200


class SubscribeParams(Params, kw_only=True):
    """Parameters of `asyncTasks/subscribe`; without `after_seq` events from now on."""

    task_id: str
    after_seq: int | None = None


class TaskResult(Record, kw_only=True):
    """One async task."""

    task: AsyncTask
    revision: int


class AsyncListResult(Record, kw_only=True):
    """A page of async tasks, newest launch first.

    `counts` are those of all tasks; `counts.running` holds slots, so it is above `max` only after `max` was
    lowered. `foreground` counts the running tasks that hold none, if there are any: the synchronous runs of
    the tool `task`, which are among the items too.
    """

    items: list[AsyncTask]
    counts: dict[str, int]
    foreground: int = 0
    max: int
    next_cursor: str | None = None
    revision: int


class CancelResult(Record, kw_only=True):
    """Whether this call ended the task."""

    cancelled: bool
    task: AsyncTask
    revision: int


class ReorderResult(Record, kw_only=True):
    """The place that the task has now, from 1; each task that moved is in an `asyncTasks/didChange`."""

    queue_position: int
    revision: int


class SendResult(Record, kw_only=True):
    """When the agent is given the message: `nextTurn` is as soon as its present turn has ended."""

    delivery: Literal["now", "nextTurn"]
    revision: int


class ResumeResult(Record, kw_only=True):
    """The new task that goes on with the ended one.

    `session`: its agent takes up the former session, `replay`: it gets what was said and done.
    """

    task: AsyncTask
    mode: ResumeMode
    revision: int


class CancelAllResult(Record, kw_only=True):
    """How many tasks this call ended."""

    cancelled: int
    revision: int


class SetMaxResult(Record, kw_only=True):
    """The limit now in force."""

    max: int
    revision: int


class WaitResult(Record, kw_only=True):
    """The awaited tasks as they are now."""

    tasks: list[AsyncTask]
    pending: list[str]
    timed_out: bool
    revision: int


class EventsResult(Record, kw_only=True):
    """A page of a run's events: `{seq, ts, type, ...}`, `seq` from 1 without gaps."""

    events: list[EventRow]
    last_seq: int
    more: bool
    revision: int


class SubscribeResult(Record, kw_only=True):
    """`last_seq` is the last event before the subscription."""

    last_seq: int


class AsyncTaskDidChange(Record, kw_only=True):
    """Notification `asyncTasks/didChange`."""

    task: AsyncTask
    revision: int


class AsyncTaskDidOutput(Record, kw_only=True):
    """Notification `asyncTasks/didOutput`."""

    task_id: str
    events: list[EventRow]
    revision: int
