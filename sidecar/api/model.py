"""What the model receives: tools, reminders, turns."""

from typing import Any, Literal

import msgspec

from sidecar.api.base import Params, Record
from sidecar.api.settings import Positive

ToolKind = Literal["read", "execute", "think"]


class ToolDeclaration(Record, kw_only=True):
    """One tool as the model sees it; `input_schema` is JSON Schema.

    `kind` says what a call does: `read` only reads, `execute` runs a subagent, `think` informs the model and
    may cancel a task.
    """

    name: str
    """The name that the model calls."""
    description: str
    """The description for the model."""
    kind: ToolKind
    """What the tool does, for clients that ask before they run it."""
    input_schema: dict[str, Any]
    """JSON Schema of the arguments."""


class ToolsResult(Record, kw_only=True):
    """The answer of `tools/list`."""

    tools: list[ToolDeclaration]
    """The tools of a model."""


class ToolCallParams(Params, kw_only=True):
    """Parameters of `tools/call`.

    With `work_done_token` the tool `task` reports by `$/progress {token, value: {kind: "report", message}}`
    while the request runs: first the run's ID, then the subagent's output as it is produced. Each message
    continues the previous one; there are at most 10 a second. A client that reads slowly gets the newest
    64 KiB and how many characters were skipped. Reports end with the answer, even for a background run.
    """

    name: str
    """The name of a tool."""
    arguments: dict[str, Any] = msgspec.field(default_factory=dict)
    """Its arguments. Invalid ones give an `error` in the result."""
    work_done_token: str | int | None = None


class ToolCallError(Record, kw_only=True):
    """Why a tool call failed."""

    message: str
    """What went wrong."""
    type: Literal["PARAMETER_VALIDATION", "EXECUTION_FAILED", "TIMEOUT"]
    """The kind of error."""


class ToolReminder(Record, kw_only=True):
    """A reminder that is attached to the result of a tool."""

    text: str
    """The reminder, fenced as data."""
    task_ids: list[str]
    """The tasks that it reports."""


class ToolCallResult(Record, kw_only=True):
    """A tool's answer: for the model, for the display, and as data."""

    llm_content: str
    """The text for the model."""
    return_display: str
    """Markdown for a person."""
    metadata: dict[str, Any] | None = None
    """The same as data."""
    error: ToolCallError | None = None
    """Why the tool failed. Absent if it did not."""
    reminder: ToolReminder | None = None
    """Tasks that have ended, for a client with `piggyback`. Pass it to the model as a separate text, then
    send any message. Absent if nothing is pending.
    """


class ReminderStatus(Record, kw_only=True):
    """The answer of `reminders/status`."""

    text: str
    """A summary of all async tasks. Empty if there are none."""


class NextReminderParams(Params, kw_only=True):
    """Parameters of `reminders/next`."""

    max_chars: Positive | None = None
    """The longest reminder in characters, for a model with less room than `reminders.maxChars`. The text says
    what is cut or follows; at least one task is reported, in about 400 characters.
    """


class NextReminder(Record, kw_only=True):
    """The answer of `reminders/next`; `delivery_id` is absent when nothing awaits delivery."""

    text: str
    """The reminder. Empty if nothing is pending."""
    task_ids: list[str]
    """The tasks that it reports."""
    delivery_id: str | None = None
    """Pass it to `reminders/delivered`. Absent if nothing is pending."""


class DeliveredParams(Params, kw_only=True):
    """Parameters of `reminders/delivered`."""

    delivery_id: str
    """The `deliveryId` of the reminder that the model received."""


class Delivery(Record, kw_only=True):
    """One attempt to notify the model of an end."""

    delivery_id: str
    """Identifies the delivery."""
    at: int
    """When it was attempted, in ms since the epoch."""
    state: str
    """`open`, `superseded` by a newer one, `delivered` or `failed`."""
    client: str | None = None
    """Who got it: the name of a client, as in `owner`, or `run` for the agent of a run. Absent if unknown."""


class OutboxItem(Record, kw_only=True):
    """One ended task and the state of its notification.

    `state` is `pending`, `triggering` (in an open `agent/triggerTurn`), `delivered`, or `none` for an end
    that does not concern the model.
    """

    task_id: str
    """The ID of the task."""
    state: Literal["pending", "triggering", "delivered", "none"]
    """Whether its end was delivered."""
    deliveries: list[Delivery]
    """Attempts, oldest first."""


class OutboxResult(Record, kw_only=True):
    """The answer of `reminders/outbox`."""

    items: list[OutboxItem]
    """Ended tasks and their deliveries."""


class SetBusyParams(Params, kw_only=True):
    """Notification `agent/setBusy`."""

    busy: bool
    """Whether the agent works on a turn. It counts as idle until a client reports otherwise."""


class TriggerTurn(Record, kw_only=True):
    """Request `agent/triggerTurn`, server to client."""

    message: str
    """The reminder that starts the turn."""
    task_ids: list[str]
    """The tasks that it reports."""
    delivery_id: str
    """Identifies the delivery."""


class TriggerAnswer(Params, kw_only=True):
    """The client's answer to `agent/triggerTurn`."""

    accepted: bool
    """Whether the agent starts a turn with the message."""
