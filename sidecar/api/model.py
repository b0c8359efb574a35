"""What the model is given: its tools, its reminders, its turns."""

from typing import Any, Literal

import msgspec

from sidecar.api.base import Params, Record

ToolKind = Literal["read", "execute", "think"]


class ToolDeclaration(Record, kw_only=True):
    """One tool as the model sees it; `input_schema` is JSON Schema.

    `kind` says what a call does: `read` only reads, `execute` runs a subagent, `think` informs the model and
    may cancel a task.
    """

    name: str
    description: str
    kind: ToolKind
    input_schema: dict[str, Any]


class ToolsResult(Record, kw_only=True):
    """The answer of `tools/list`."""

    tools: list[ToolDeclaration]


class ToolCallParams(Params, kw_only=True):
    """Parameters of `tools/call`.

    With `work_done_token` the tool `task` reports by `$/progress {token, value: {kind: "report", message}}`
    while the request runs: the run's id at once, then what the subagent says, as it says it. A message goes
    on where the one before ended; there are at most 10 a second. A client that reads slowly gets the newest
    64 KiB and how many characters were skipped. The answer ends the reports, that of a background run too.
    """

    name: str
    arguments: dict[str, Any] = msgspec.field(default_factory=dict)
    work_done_token: str | int | None = None


class ToolCallError(Record, kw_only=True):
    """Why a tool did not do what it was asked."""

    message: str
    type: Literal["PARAMETER_VALIDATION", "EXECUTION_FAILED", "TIMEOUT"]


class ToolCallResult(Record, kw_only=True):
    """A tool's answer: for the model, for the display, and as data."""

    llm_content: str
    return_display: str
    metadata: dict[str, Any] | None = None
    error: ToolCallError | None = None


class ReminderStatus(Record, kw_only=True):
    """The answer of `reminders/status`."""

    text: str


class NextReminder(Record, kw_only=True):
    """The answer of `reminders/next`; `delivery_id` is absent when nothing awaits delivery."""

    text: str
    task_ids: list[str]
    delivery_id: str | None = None


class DeliveredParams(Params, kw_only=True):
    """Parameters of `reminders/delivered`."""

    delivery_id: str


class Delivery(Record, kw_only=True):
    """One attempt to tell the model of an end."""

    delivery_id: str
    at: int
    state: str


class OutboxItem(Record, kw_only=True):
    """One ended task and how far its notice has come.

    `state` is `pending`, `triggering` (in an open `agent/triggerTurn`), `delivered`, or `none` for an end
    that does not concern the model.
    """

    task_id: str
    state: Literal["pending", "triggering", "delivered", "none"]
    deliveries: list[Delivery]


class OutboxResult(Record, kw_only=True):
    """The answer of `reminders/outbox`."""

    items: list[OutboxItem]


class SetBusyParams(Params, kw_only=True):
    """Notification `agent/setBusy`."""

    busy: bool


class TriggerTurn(Record, kw_only=True):
    """Request `agent/triggerTurn`, server to client."""

    message: str
    task_ids: list[str]
    delivery_id: str


class TriggerAnswer(Params, kw_only=True):
    """The client's answer to `agent/triggerTurn`."""

    accepted: bool
