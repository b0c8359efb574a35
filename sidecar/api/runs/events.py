"""The shapes of a run's events. At run time they are plain dicts."""

from typing import Any, Literal

from sidecar.api.base import Record
from sidecar.api.runs.async_tasks import AsyncStatus, AttentionOption, EndReason, ErrorKind, Retrying, Unmet
from sidecar.api.runs.questions import QuestionEvent


class StateEvent(Record, tag_field="type", tag="state", kw_only=True):
    """The task entered a state; `endReason` comes with the last one, `reason` as given to a cancel.

    `mode` and `model` are those of the agent's session, sent when it opens and when they change.
    """

    seq: int
    ts: int
    status: AsyncStatus
    """The new status."""
    end_reason: EndReason | None = None
    """Why the run ended. Only with the last event."""
    error_kind: ErrorKind | None = None
    """The kind of failure, if the model or its server failed."""
    mode: str | None = None
    """The mode of the agent's session, when it is set or changes."""
    model: str | None = None
    """The model of the agent's session, when it is set or changes."""
    session_task_id: str | None = None
    """The session in the agent's own store, when it opens."""
    reason: str | None = None
    """The reason given to a cancel."""


class MessageEvent(Record, tag_field="type", tag="message", kw_only=True):
    """A piece of a message: the pieces of one `messageId`, joined in order, are the message.

    `role` marks a message that a client sent, at the time the agent received it; the agent's own have none.
    """

    seq: int
    ts: int
    node_seq: int | None = None
    """The number of the event in the journal of its node, for a run on a cluster."""
    message_id: str
    """Pieces with the same ID form one message."""
    role: Literal["user"] | None = None
    """`user` for a message that a client sent. Absent for the agent's."""
    text: str
    """The next piece of text."""


class ThoughtEvent(Record, tag_field="type", tag="thought", kw_only=True):
    """A piece of what the agent thinks, like a piece of a message."""

    seq: int
    ts: int
    node_seq: int | None = None
    """The number of the event in the journal of its node, for a run on a cluster."""
    message_id: str
    """Pieces with the same ID form one thought."""
    text: str
    """The next piece of text."""


class ToolLocation(Record, kw_only=True):
    """A file that a tool call touches; `line` counts from 1."""

    path: str
    """The path of the file."""
    line: int | None = None
    """The line, from 1."""


class ToolContent(Record, kw_only=True):
    """A part of what a tool call shows: a text, or a change to a file (`old_text` absent: it is new)."""

    type: Literal["text", "diff"]
    """`text` or `diff`."""
    text: str | None = None
    """The text."""
    path: str | None = None
    """The changed file."""
    old_text: str | None = None
    """The text before. Absent for a new file."""
    new_text: str | None = None
    """The text after."""


class ToolEvent(Record, tag_field="type", tag="tool", kw_only=True):
    """A tool call started or ended; another `started` reports changes in between.

    Later members replace earlier ones of the same call. Texts and values over 256 KiB are cut, with
    a mark at the end.
    """

    seq: int
    ts: int
    node_seq: int | None = None
    """The number of the event in the journal of its node, for a run on a cluster."""
    tool_call_id: str | None = None
    """Identifies the call. Absent if the agent sends none."""
    name: str
    """The name of the tool."""
    status: Literal["started", "completed", "failed"]
    """`started` may repeat with new details."""
    title: str | None = None
    """What the call does, in one line."""
    kind: str | None = None
    """The kind of tool: `read`, `edit`, `execute` …"""
    locations: list[ToolLocation] | None = None
    """Files that the call uses."""
    content: list[ToolContent] | None = None
    """What to show for the call."""
    input: Any = None
    """The arguments of the call."""
    output: Any = None
    """The result of the call."""


class PlanEntry(Record, kw_only=True):
    """One step of an agent's plan."""

    content: str
    """What the step is."""
    priority: str | None = None
    """`high`, `medium` or `low`."""
    status: str | None = None
    """`pending`, `in_progress` or `completed`."""


class PlanEvent(Record, tag_field="type", tag="plan", kw_only=True):
    """The agent's current plan, which replaces the previous one."""

    seq: int
    ts: int
    node_seq: int | None = None
    """The number of the event in the journal of its node, for a run on a cluster."""
    entries: list[PlanEntry]
    """All steps of the plan."""


class PermissionEvent(Record, tag_field="type", tag="permission", kw_only=True):
    """An agent asks for permission, or was answered; an answer without `option_id` dismissed the question.

    `command`, `cwd`, `paths` and `url` are what the agent wants to do, bounded as in `Attention`.
    """

    seq: int
    ts: int
    request_id: str
    """Identifies the request."""
    state: Literal["asked", "answered"]
    """Whether it was asked or answered."""
    title: str
    """What the agent wants to do."""
    tool_call_id: str | None = None
    """The tool call that needs permission."""
    tool_kind: str | None = None
    """The kind of tool."""
    command: str | None = None
    """The command line that would run."""
    cwd: str | None = None
    """The directory that the command would run in. Set whenever `command` is."""
    paths: list[str] | None = None
    """The files that would be used."""
    url: str | None = None
    """The address that would be fetched."""
    options: list[AttentionOption] | None = None
    """The possible answers. Only when asked."""
    option_id: str | None = None
    """The chosen answer. Absent if the request was dismissed."""
    kind: str | None = None
    """The kind of the chosen answer."""
    by: Literal["user", "policy", "remembered"] | None = None
    """Who answered: a person, the policy, or a remembered permission."""


class UsageEvent(Record, tag_field="type", tag="usage", kw_only=True):
    """Tokens and cost (USD) so far: cumulative, the newest counts. `context...`: the model's window now.

    `inputTokens` excludes what was read from or written to a cache.
    """

    seq: int
    ts: int
    node_seq: int | None = None
    """The number of the event in the journal of its node, for a run on a cluster."""
    input_tokens: int | None = None
    """Input tokens so far, without cached ones."""
    output_tokens: int | None = None
    """Output tokens so far."""
    cache_reads: int | None = None
    """Tokens read from a prompt cache so far."""
    cache_writes: int | None = None
    """Tokens written to a prompt cache so far."""
    cost: float | None = None
    """Cost so far in USD."""
    context_used: int | None = None
    """Tokens in the model's context window now."""
    context_size: int | None = None
    """The size of that window in tokens."""


class EmitEvent(Record, tag_field="type", tag="emit", kw_only=True):
    """The run emitted a variable."""

    seq: int
    ts: int
    node_seq: int | None = None
    """The number of the event in the journal of its node, for a run on a cluster."""
    name: str
    """The name of the variable."""
    value: Any
    """Its value."""


class ResultEvent(Record, tag_field="type", tag="result", kw_only=True):
    """The run named its final message."""

    seq: int
    ts: int
    node_seq: int | None = None
    """The number of the event in the journal of its node, for a run on a cluster."""
    text: str
    """The final message."""


class LogEvent(Record, tag_field="type", tag="log", kw_only=True):
    """A piece of what the run wrote to stderr, or to stdout where that is not a message of its protocol.

    The stream `agent` is what the agent reports about itself; `retrying` comes with a failed request that it
    repeats.
    """

    seq: int
    ts: int
    node_seq: int | None = None
    """The number of the event in the journal of its node, for a run on a cluster."""
    stream: Literal["stderr", "stdout", "agent"]
    """Where it was written. `agent`: a notice of the agent about itself."""
    text: str
    """The text."""
    retrying: Retrying | None = None
    """The failed request that the agent repeats."""
    unmet: Unmet | None = None
    """A request of the launch that the agent did not meet."""
    awaited_servers: list[str] | None = None
    """MCP servers that may be why the agent is still starting."""


TaskEvent = (
    StateEvent
    | MessageEvent
    | ThoughtEvent
    | ToolEvent
    | PlanEvent
    | UsageEvent
    | EmitEvent
    | PermissionEvent
    | QuestionEvent
    | ResultEvent
    | LogEvent
)
"""One event; `seq` counts from 1 without gaps, `ts` is ms since the epoch."""
