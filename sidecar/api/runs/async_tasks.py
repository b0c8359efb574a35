"""Async tasks: their states, and the notifications of their changes."""

from typing import Annotated, Any, Literal

import msgspec

from sidecar.api.base import Record, Shape
from sidecar.api.runs.questions import QuestionSchema

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
"""The kind of model or server failure that ended a run."""
PlacementKind = Literal["local", "ray"]
"""Where runs work: on this machine, or on a node of a Ray cluster."""
PlacementState = Literal["waiting", "starting", "running", "reconnecting", "ended", "lost"]
"""What is known of a run on a cluster."""
WaitReason = Literal["rateLimit", "overloaded", "clusterSlots"]
"""Why a queued run waits although a slot may be free."""
ResumeMode = Literal["session", "replay"]
STATUSES: tuple[AsyncStatus, ...] = ("queued", "running", "completed", "failed", "cancelled")
EventRow = Annotated[dict[str, Any], Shape("TaskEvent")]
"""An event as the journal keeps it; its members are declared in `sidecar.api.runs.events`."""


class Retrying(Record, kw_only=True):
    """A request to the model that failed and is being repeated; `status` is the HTTP status code."""

    attempt: int
    """The number of this attempt, from 1."""
    status: int | None = None
    """The HTTP status code of the failure."""
    text: str
    """The agent's message about the failure."""
    retry_after_seconds: float | None = None
    """How long the server asks to wait. Absent if it did not say."""


class Waiting(Record, kw_only=True):
    """Why a queued run waits although a slot may be free: its runner's model refuses requests, or its cluster
    has no free slot.

    After a refusal, one launch probes when the time is over; the others follow when the model answers it.
    """

    reason: WaitReason
    """Why the model refuses requests, or `clusterSlots`."""
    until: int | None = None
    """When a launch may start again, in ms since the epoch. Absent while another launch probes."""


UnmetKind = Literal["mcpServer", "model", "effort"]


class Unmet(Record, kw_only=True):
    """A request of the launch that the agent did not meet, although it accepted it."""

    kind: UnmetKind
    """`mcpServer`: the server does not work, so its tools are missing. Else the agent uses another one."""
    wanted: str
    """The name of the server, or the value of the launch or its definition."""
    in_force: str | None = None
    """The model or the effort that the agent uses instead."""
    reason: str | None = None
    """Why, in the agent's words, if it says."""


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
    usage_source: Literal["store"] | None = None
    """`store`: the agent reported no tokens, or wrong ones; these are from the session in its own store."""
    retrying: Retrying | None = None
    """Set while the agent repeats a failed request."""
    awaited_servers: list[str] | None = None
    """MCP servers of the run that may be why its agent is still starting, after ten seconds: those that the
    agent has not reported as failed. Absent once it has started.
    """
    unmet: list[Unmet] | None = None
    """What the run has to do without, at most 20 entries. Absent if nothing is known."""
    last_activity_at: int
    """The newest event, in ms since the epoch."""
    last_text: str | None = None
    """The end of the newest message, for a preview."""


class PartialResult(Record, kw_only=True):
    """What a run produced before it failed or was cancelled; two members are named as in `output`.

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
    """What a run waits for. `asyncTasks/answer` takes one of the options of a permission request, by its ID.

    A question has no options: it is answered by an action, with the content that its `schema` describes, or
    asks to open its `url`. For a permission request, the rest is what would be done: the command line and its
    directory, the files, the change as a unified diff, the address. All are bounded: the middle of a long
    title, command or diff is replaced by a note.
    """

    kind: Literal["permission", "question"]
    """What the agent needs."""
    request_id: str
    """Identifies the request in `asyncTasks/answer`."""
    title: str
    """What the agent wants to do or know, in one line."""
    message: str | None = None
    """The whole question, or what the agent adds to its permission request, in several lines."""
    schema: QuestionSchema | None = None
    """The form of a question. Absent if the question asks to open an address."""
    options: list[AttentionOption]
    """The possible answers of a permission request. Empty for a question."""
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
    """The address that would be fetched, or that a question asks to open: http or https only."""


class Changes(Record, kw_only=True):
    """How many files a run changed, and how many lines it added and deleted in them."""

    files: int = msgspec.field(default_factory=int)
    """Changed files."""
    additions: int = msgspec.field(default_factory=int)
    """Added lines."""
    deletions: int = msgspec.field(default_factory=int)
    """Deleted lines."""
    uncounted_files: int | None = None
    """Changed files whose lines are unknown; `additions` and `deletions` do not contain them."""


class TaskOutput(Record, kw_only=True):
    """What a run produced; its members keep the names that the model sees."""

    terminate_reason: str = msgspec.field(name="terminate_reason")
    """`GOAL`, `ERROR`, `TIMEOUT` or `MAX_TURNS`."""
    emitted_vars: dict[str, Any] = msgspec.field(name="emitted_vars")
    """Variables that the run emitted."""
    final_message: str | None = msgspec.field(default=None, name="final_message")
    """The result, at most its last 32 KiB."""


class Owner(Record, kw_only=True):
    """Who launched a run."""

    client: str
    """The name in `clientInfo`; `cli` for the command line, `unnamed client` where there was none."""
    workspace_dir: str
    """The real path of the client's first workspace folder, else of the run's working directory."""


class Placement(Record, kw_only=True):
    """Where a run on a cluster works, what it needs of its node, and when that last reported."""

    kind: PlacementKind
    """`ray` for a run on a cluster."""
    labels: dict[str, str] | None = None
    """The labels that its node must have. Absent if any node will do."""
    slots: int | None = None
    """How many of a node's slots it takes. Absent for one."""
    node: str | None = None
    """The node's name: its label `fleet.name`, else its host name. Absent until the run has a node."""
    state: PlacementState
    """`waiting` for a slot, `starting`, `running`, `reconnecting` while it is silent, `ended` or `lost`."""
    last_heard_at: int | None = None
    """When the run last reported, in ms since the epoch."""


class AsyncTask(Record, kw_only=True):
    """One background run of a subagent; `resumes` is the ID of the ended run that it continues.

    `resume_mode` says how, as `ResumeResult` does. `mode`, `model` and `effort` are those in force in the
    agent's session. `error_kind` comes with the end reason `error` when the model or its server failed.
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
    omitted_vars: int | None = None
    """How many variables `output` and `partial` lack here: `asyncTasks/list`, `asyncTasks/didChange` and a
    `wait` for several tasks have about 16 KiB of each task's newest ones. `asyncTasks/get` has them.
    Absent if none is lacking.
    """
    error: str | None = None
    """Why the run failed, in words."""
    end_reason: EndReason | None = None
    """Why the run ended. Present once it ended."""
    error_kind: ErrorKind | None = None
    """The kind of failure of the model or its server."""
    reason: Literal["authRequired"] | None = None
    """`authRequired`: the agent refused to work until a person signs in; `runners/list` says how."""
    queued_at: int | None = None
    """When the run was queued, in ms since the epoch."""
    queue_position: int | None = None
    """The position in the queue, from 1. Present while it is queued."""
    waiting: Waiting | None = None
    """Why it is queued, unless it only waits for a free slot."""
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
    effort: str | None = None
    """The effort in force in the agent's session, as the agent reports it."""
    mcp_servers: list[str] | None = None
    """The names of the MCP servers that the agent gets; `sidecar` stands for the sidecar's own tools.
    Absent if there are none.
    """
    attachments: list[str] | None = None
    """The names of the files that the agent gets with the goal; content without a path is named by its
    type, such as `image/png`. Absent if there are none.
    """
    changes: Changes | None = None
    """What the run changed in files. Absent if nothing is known."""
    workspace_dir: str
    """The absolute path of the working directory."""
    timeout_seconds: int | float | None = None
    """The time limit in force, in seconds. Absent if there is none."""
    parent_task_id: str | None = None
    """The run that launched this one."""
    resumes: str | None = None
    """The ended run that this one continues."""
    resume_mode: ResumeMode | None = None
    """How it continues that run."""
    partial: PartialResult | None = None
    """What a failed or cancelled run had produced."""
    placement: Placement | None = None
    """Where the run works. Absent for a run on this machine."""
    owner: Owner | None = None
    """Who launched the run. Absent for runs of earlier versions."""
    session_task_id: str | None = None
    """The ID of the session in the agent's own store. It is a stored task if that store is listed."""


class AsyncTaskDidChange(Record, kw_only=True):
    """Notification `asyncTasks/didChange`."""

    task: AsyncTask
    """The task as it is now."""
    revision: int


class AsyncTasksDidRemove(Record, kw_only=True):
    """Notification `asyncTasks/didRemove`. It follows `tasks/delete` and retention."""

    task_ids: list[str]
    """Runs that `asyncTasks/list` no longer contains."""
    revision: int


class AsyncTaskDidOutput(Record, kw_only=True):
    """Notification `asyncTasks/didOutput`."""

    task_id: str
    """The full ID of the run."""
    events: list[EventRow]
    """New events in order."""
    revision: int
