"""What the events of a run hold. At run time they travel as plain dicts; these are their shapes."""

from typing import Any, Literal

from sidecar.api.async_tasks import AsyncStatus, EndReason
from sidecar.api.base import Record


class StateEvent(Record, tag_field="type", tag="state", kw_only=True):
    """The task entered a state; `endReason` comes with the last one, `reason` as given to a cancel."""

    seq: int
    ts: int
    status: AsyncStatus
    end_reason: EndReason | None = None
    reason: str | None = None


class MessageEvent(Record, tag_field="type", tag="message", kw_only=True):
    """A piece of a message: the pieces of one `messageId`, joined in order, are the message."""

    seq: int
    ts: int
    message_id: str
    text: str


class ToolEvent(Record, tag_field="type", tag="tool", kw_only=True):
    """A tool call started or ended."""

    seq: int
    ts: int
    tool_call_id: str | None = None
    name: str
    status: Literal["started", "completed", "failed"]


class UsageEvent(Record, tag_field="type", tag="usage", kw_only=True):
    """Tokens and cost (USD) so far: cumulative, the newest counts."""

    seq: int
    ts: int
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None


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
    """A piece of what the run wrote to stderr."""

    seq: int
    ts: int
    stream: Literal["stderr"]
    text: str


class ReservedEvent(Record, kw_only=True):
    """A kind of event whose further members are not settled yet."""

    seq: int
    ts: int
    type: Literal["thought", "plan", "permission"]


TaskEvent = (
    StateEvent | MessageEvent | ToolEvent | UsageEvent | EmitEvent | ResultEvent | LogEvent | ReservedEvent
)
"""One event; `seq` counts from 1 without gaps, `ts` is ms since the epoch."""
