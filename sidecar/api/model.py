"""What the model is given: its tools, its reminders, its turns."""

from typing import Any, Literal

import msgspec

from sidecar.api.base import Params, Record


class ToolDeclaration(Record, kw_only=True):
    """One tool as the model sees it; `input_schema` is JSON Schema."""

    name: str
    description: str
    input_schema: dict[str, Any]


class ToolsResult(Record, kw_only=True):
    """The answer of `tools/list`."""

    tools: list[ToolDeclaration]


class ToolCallParams(Params, kw_only=True):
    """Parameters of `tools/call`."""

    name: str
    arguments: dict[str, Any] = msgspec.field(default_factory=dict)


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
    """One ended task and how far its notice has come."""

    task_id: str
    state: str
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
