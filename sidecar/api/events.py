"""What the events of a run hold. At run time they travel as plain dicts; these are their shapes."""

from typing import Any, Literal

from sidecar.api.async_tasks import AsyncStatus, AttentionOption, EndReason, ErrorKind, Retrying
from sidecar.api.base import Record


class StateEvent(Record, tag_field="type", tag="state", kw_only=True):
    """The task entered a state; `endReason` comes with the last one, `reason` as given to a cancel.

    `mode` and `model` tell what the agent's session runs with, when it opens and when that changes.
    """

    seq: int
    ts: int
    status: AsyncStatus
    end_reason: EndReason | None = None
    error_kind: ErrorKind | None = None
    mode: str | None = None
    model: str | None = None
    reason: str | None = None


class MessageEvent(Record, tag_field="type", tag="message", kw_only=True):
    """A piece of a message: the pieces of one `messageId`, joined in order, are the message.

    `role` tells one that a client sent to the agent, when the agent was given it; absent, the agent speaks.
    """

    seq: int
    ts: int
    message_id: str
    role: Literal["user"] | None = None
    text: str


class ThoughtEvent(Record, tag_field="type", tag="thought", kw_only=True):
    """A piece of what the agent thinks, as a message's piece."""

    seq: int
    ts: int
    message_id: str
    text: str


class ToolLocation(Record, kw_only=True):
    """A file that a tool call touches; `line` counts from 1."""

    path: str
    line: int | None = None


class ToolContent(Record, kw_only=True):
    """A part of what a tool call shows: a text, or a change to a file (`old_text` absent: it is new)."""

    type: Literal["text", "diff"]
    text: str | None = None
    path: str | None = None
    old_text: str | None = None
    new_text: str | None = None


class ToolEvent(Record, tag_field="type", tag="tool", kw_only=True):
    """A tool call started or ended; `started` again tells what changed in between.

    Later members replace earlier ones of the same call. Texts and values over 256 KiB are cut, which
    their end says.
    """

    seq: int
    ts: int
    tool_call_id: str | None = None
    name: str
    status: Literal["started", "completed", "failed"]
    title: str | None = None
    kind: str | None = None
    locations: list[ToolLocation] | None = None
    content: list[ToolContent] | None = None
    input: Any = None
    output: Any = None


class PlanEntry(Record, kw_only=True):
    """One step of an agent's plan."""

    content: str
    priority: str | None = None
    status: str | None = None


class PlanEvent(Record, tag_field="type", tag="plan", kw_only=True):
    """The agent's plan as it is now; it replaces the one before."""

    seq: int
    ts: int
    entries: list[PlanEntry]


class PermissionEvent(Record, tag_field="type", tag="permission", kw_only=True):
    """An agent asks for permission, or was answered; an answer without `option_id` dismissed the question.

    `command`, `paths` and `url` are what would be done, bounded as in `Attention`.
    """

    seq: int
    ts: int
    request_id: str
    state: Literal["asked", "answered"]
    title: str
    tool_call_id: str | None = None
    tool_kind: str | None = None
    command: str | None = None
    paths: list[str] | None = None
    url: str | None = None
    options: list[AttentionOption] | None = None
    option_id: str | None = None
    kind: str | None = None
    by: Literal["user", "policy", "remembered"] | None = None


class UsageEvent(Record, tag_field="type", tag="usage", kw_only=True):
    """Tokens and cost (USD) so far: cumulative, the newest counts. `context...`: the model's window now.

    `inputTokens` excludes what was read from or written to a cache.
    """

    seq: int
    ts: int
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_reads: int | None = None
    cache_writes: int | None = None
    cost: float | None = None
    context_used: int | None = None
    context_size: int | None = None


class EmitEvent(Record, tag_field="type", tag="emit", kw_only=True):
    """The run emitted a variable."""

    seq: int
    ts: int
    name: str
    value: Any


class ResultEvent(Record, tag_field="type", tag="result", kw_only=True):
    """The run named its final message."""

    seq: int
    ts: int
    text: str


class LogEvent(Record, tag_field="type", tag="log", kw_only=True):
    """A piece of what the run wrote to stderr, or to stdout where that is not a message of its protocol.

    The stream `agent` is what the agent reports about itself; `retrying` comes with a failed request that it
    repeats.
    """

    seq: int
    ts: int
    stream: Literal["stderr", "stdout", "agent"]
    text: str
    retrying: Retrying | None = None


TaskEvent = (
    StateEvent
    | MessageEvent
    | ThoughtEvent
    | ToolEvent
    | PlanEvent
    | UsageEvent
    | EmitEvent
    | PermissionEvent
    | ResultEvent
    | LogEvent
)
"""One event; `seq` counts from 1 without gaps, `ts` is ms since the epoch."""
