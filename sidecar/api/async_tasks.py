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
    """The number of this attempt, from 1."""
    status: int | None = None
    """The HTTP status code of the failure."""
    text: str
    """The agent's message about the failure."""


class Progress(Record, kw_only=True):
    """What a run has done so far; token counts and cost (USD) are cumulative.

    `turns` is the number of model answers, which `maxTurns` limits; `tool_calls` counts tools started.
    `input_tokens` excludes `cache_reads` and `cache_writes`. `retrying` is set while the agent repeats a
    failed request.
    """

    # A Record leaves out what equals a plain default; a count of 0 is known and must be sent.
    turns: int = msgspec.field(default_factory=int)
    """Answers of the model; `maxTurns` limits them."""
    tool_calls: int = msgspec.field(default_factory=int)
    """Tool calls that were started."""
    current_tool: str | None = None
    """The last tool call that has not ended."""
    input_tokens: int | None = None
    """Input tokens without cached ones."""
    output_tokens: int | None = None
    """Output tokens."""
    cache_reads: int | None = None
    """Tokens read from a prompt cache."""
    cache_writes: int | None = None
    """Tokens written to a prompt cache."""
    cost: float | None = None
    """Cost so far in USD."""
    retrying: Retrying | None = None
    """Set while the agent repeats a failed request."""
    last_activity_at: int
    """The newest event, in ms since the epoch."""
    last_text: str | None = None
    """The end of the newest message, for a preview."""


class PartialResult(Record, kw_only=True):
    """What a run that did not reach its goal had produced; two members are named as in `output`.

    `open_tool` names the tool call that had not ended.
    """

    final_message: str | None = msgspec.field(default=None, name="final_message")
    """The last message."""
    emitted_vars: dict[str, Any] = msgspec.field(name="emitted_vars")
    """Variables emitted so far."""
    touched_files: list[str]
    """Files that tool calls named."""
    open_tool: str | None = None
    """The tool call that had not ended."""


class AttentionOption(Record, kw_only=True):
    """One answer to a question. `kind` is allow_once, allow_always, reject_once or reject_always.

    `scope` says in plain words what an "always" covers, such as "edits to src/days.py"; absent for "once".
    """

    option_id: str
    """Pass it to `asyncTasks/answer`."""
    name: str
    """A label for the button."""
    kind: str
    """`allow_once`, `allow_always`, `reject_once` or `reject_always`."""
    scope: str | None = None
    """What an "always" covers, in words. Absent for "once"."""


class Attention(Record, kw_only=True):
    """What a run waits for: `asyncTasks/answer` takes one of the options, by its id.

    The rest is what would be done: the command line and its directory, the files, the change as a unified
    diff, the address. Each is bounded: a long title, command or diff loses its middle and says so.
    """

    kind: Literal["permission", "question"]
    """What the agent needs."""
    request_id: str
    """Identifies the request in `asyncTasks/answer`."""
    title: str
    """What the agent wants to do, in one line."""
    options: list[AttentionOption]
    """The possible answers."""
    tool_kind: str | None = None
    """The kind of tool: `read`, `edit`, `execute`, `fetch` …"""
    command: str | None = None
    """The command line that would run."""
    cwd: str | None = None
    """The directory that the command would run in. Set whenever `command` is."""
    paths: list[str] | None = None
    """The files that would be used."""
    diff: str | None = None
    """The change as a unified diff."""
    url: str | None = None
    """The address that would be fetched."""


class Changes(Record, kw_only=True):
    """How many files a run changed, and how many lines it added and deleted in them."""

    files: int = msgspec.field(default_factory=int)
    """Changed files."""
    additions: int = msgspec.field(default_factory=int)
    """Added lines."""
    deletions: int = msgspec.field(default_factory=int)
    """Deleted lines."""


class TaskOutput(Record, kw_only=True):
    """What a run produced; its members keep the names that the model sees."""

    terminate_reason: str = msgspec.field(name="terminate_reason")
    """`GOAL`, `ERROR`, `TIMEOUT` or `MAX_TURNS`."""
    emitted_vars: dict[str, Any] = msgspec.field(name="emitted_vars")
    """Variables that the run emitted."""
    final_message: str | None = msgspec.field(default=None, name="final_message")
    """The result, at most its last 32 KiB."""


class AsyncTask(Record, kw_only=True):
    """One background run of a subagent; `resumes` is the ended one whose work it goes on with.

    `resume_mode` says how, as `ResumeResult` does. `mode` and `model` are those in force in the agent's
    session. `error_kind` comes with the end reason `error` when the model or its server failed.
    """

    id: str
    """A random UUID."""
    subagent_name: str
    """The name of the definition."""
    goal_prompt: str
    """The goal."""
    status: AsyncStatus
    """The state of the run."""
    launched_at: int | None = None
    """When the run started, in ms since the epoch. Absent while it is queued."""
    completed_at: int | None = None
    """When the run ended, in ms since the epoch."""
    notified_at: int | None = None
    """When the model was notified of the end, in ms since the epoch."""
    output: Annotated[dict[str, Any], Shape("TaskOutput")] | None = None
    """What the run produced. Present once it completed."""
    error: str | None = None
    """Why the run failed, in words."""
    end_reason: EndReason | None = None
    """Why the run ended. Present once it ended."""
    error_kind: ErrorKind | None = None
    """The kind of failure of the model or its server."""
    queued_at: int | None = None
    """When the run was queued, in ms since the epoch."""
    queue_position: int | None = None
    """The position in the queue, from 1. Present while it is queued."""
    attention: Attention | None = None
    """What the run waits for. Absent if it does not wait for a person."""
    progress: Progress
    """What the run has done so far."""
    runner: str
    """The name of the runner."""
    mode: str | None = None
    """The mode of the agent's session, as the agent reports it."""
    model: str | None = None
    """The model of the agent's session, as the agent reports it."""
    changes: Changes | None = None
    """What the run changed in files. Absent if nothing is known."""
    workspace_dir: str
    """The absolute path of the working directory."""
    timeout_seconds: int | float | None = None
    """The time limit in force. Absent if there is none."""
    parent_task_id: str | None = None
    """The run that launched this one."""
    resumes: str | None = None
    """The ended run that this one continues."""
    resume_mode: ResumeMode | None = None
    """How it continues that run."""
    partial: PartialResult | None = None
    """What a failed or cancelled run had produced."""


class LaunchParams(Params, kw_only=True):
    """Parameters of `asyncTasks/launch`.

    `expected_outputs` is name to description; an empty `tool_whitelist` means no tool at all; `max_turns`
    is 1 or more, or -1 for no limit. A runner that cannot keep to one of the three refuses it by name.
    `parent_task_id` is the id of another async task, or a unique prefix. With `notify_model` the end is
    reported to the model by a reminder, as the end of a run that the model launched is; without it only
    `asyncTasks/didChange` reports it.
    """

    subagent_name: str
    """The name of a definition."""
    goal_prompt: str
    """What the subagent should achieve."""
    behaviour_prompts: list[str] | None = None
    """Further instructions, appended to the prompt."""
    context: dict[str, Any] | None = None
    """Values for `${name}` placeholders. What no placeholder uses is appended as JSON."""
    expected_outputs: dict[str, str] | None = None
    """Outputs that the run must emit: name to description."""
    tool_whitelist: list[str] | None = None
    """The only tools that the run may use. An empty list allows none."""
    timeout_seconds: int | float | None = None
    """The time limit in seconds, -1 for none. Default: the definition, then the settings."""
    grace_period_seconds: int | float | None = None
    """Time for a last turn at a soft limit, in seconds."""
    max_turns: int | None = None
    """The most model answers, -1 for no limit."""
    workspace_dir: str | None = None
    """The absolute path of the working directory. Default: the first workspace folder."""
    over_limit: Literal["reject", "queue"] | None = None
    """What to do at the limit. Default: the setting `asyncTasks.overLimit`."""
    parent_task_id: str | None = None
    """The run on whose behalf this one is launched. It counts for `asyncTasks.maxDepth`."""
    isolation: Literal["none"] | None = None
    """Where the run works. Only `none` is implemented."""
    notify_model: bool = False
    """Notify the model of the end, as of runs that it launched itself."""


class TaskIdParams(Params, kw_only=True):
    """An id or a unique prefix."""

    task_id: str


class CancelParams(Params, kw_only=True):
    """Parameters of `asyncTasks/cancel`."""

    task_id: str
    reason: str | None = None
    """Why, for the log of the run."""


class SendParams(Params, kw_only=True):
    """Parameters of `asyncTasks/send`: a message to an agent whose run goes on."""

    task_id: str
    text: str
    """The message for the agent."""


class ResumeParams(Params, kw_only=True):
    """Parameters of `asyncTasks/resume`: an ended task, and what to say to its agent.

    Without `notify_model` the new run's end is reported to the model if that of the ended task was.
    """

    task_id: str
    text: str | None = None
    """What to tell the agent. Default: ask it to continue."""
    over_limit: Literal["reject", "queue"] | None = None
    """What to do at the limit. Default: the setting `asyncTasks.overLimit`."""
    notify_model: bool | None = None
    """Notify the model of the end. Default: as for the ended run."""


class ReorderParams(Params, kw_only=True):
    """Parameters of `asyncTasks/reorder`: a queued task, and its new place in the queue, from 1.

    A position beyond the end is the last. The order lasts as long as the queue: at the end of the sidecar
    queued tasks end too.
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
    """The size of a page, at most 20,000 tasks."""


class SetMaxParams(Params, kw_only=True):
    """Parameters of `asyncTasks/setMax`; -1 lifts the limit."""

    max: int
    """How many tasks may run at once, -1 for no limit."""


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
    """The most events in one answer."""


class SubscribeParams(Params, kw_only=True):
    """Parameters of `asyncTasks/subscribe`; without `after_seq` events from now on."""

    task_id: str
    after_seq: int | None = None
    """Send events after this number. Default: only new events."""


class TaskResult(Record, kw_only=True):
    """One async task."""

    task: AsyncTask
    """The task after the change."""
    revision: int


class AsyncListResult(Record, kw_only=True):
    """A page of async tasks, newest launch first.

    `counts` are those of all tasks; `counts.running` holds slots, so it is above `max` only after `max` was
    lowered. `foreground` counts the running tasks that hold none, if there are any: the synchronous runs of
    the tool `task`, which are among the items too.
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
    """When the agent is given the message: `nextTurn` is as soon as its present turn has ended."""

    delivery: Literal["now", "nextTurn"]
    """`now`: the agent received it. `nextTurn`: it will, when its current turn ends."""
    revision: int


class ResumeResult(Record, kw_only=True):
    """The new task that goes on with the ended one.

    `session`: its agent takes up the former session, `replay`: it gets what was said and done.
    """

    task: AsyncTask
    """The new task."""
    mode: ResumeMode
    """`session`: the agent loads its earlier session. `replay`: it receives the earlier conversation as text.
    """
    revision: int


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


class AsyncTaskDidChange(Record, kw_only=True):
    """Notification `asyncTasks/didChange`."""

    task: AsyncTask
    """The task as it is now."""
    revision: int


class AsyncTaskDidOutput(Record, kw_only=True):
    """Notification `asyncTasks/didOutput`."""

    task_id: str
    events: list[EventRow]
    """New events in order."""
    revision: int
