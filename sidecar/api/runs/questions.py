"""Questions of agents: the form of `attention.schema`, and the event `question`.

The form has the shape of the Agent Client Protocol's `elicitation/create`, in bounded size: an object of flat
fields. A choice is always in `oneOf`, and several choices in `items.anyOf`, even if the agent sent an `enum`.
"""

from typing import Any, Literal

import msgspec

from sidecar.api.base import Record

QuestionAction = Literal["accept", "decline", "cancel"]
"""`accept` sends the answer, `decline` refuses to answer, and `cancel` dismisses the question."""


class QuestionChoice(Record, kw_only=True):
    """One value to choose."""

    const: str
    """The value, as the answer contains it."""
    title: str
    """What to show for it."""
    description: str | None = None
    """What it means, in more words."""


class QuestionItems(Record, kw_only=True):
    """The values to choose from, of which an answer may contain several."""

    any_of: list[QuestionChoice]
    """The choices."""


class QuestionField(Record, kw_only=True):
    """One field of a form. With `one_of` it is a choice, with `items` several choices."""

    type: Literal["string", "number", "integer", "boolean", "array"]
    """The type of the value."""
    title: str | None = None
    """A label. Absent: show the name of the field."""
    description: str | None = None
    """An explanation."""
    default: str | int | float | bool | list[str] | None = None
    """The value to start with, which fits the field."""
    min_length: int | None = None
    """The minimum number of characters."""
    max_length: int | None = None
    """The maximum number of characters."""
    pattern: str | None = None
    """A regular expression that the text has to contain. Do not run it: it comes from the agent."""
    format: Literal["email", "uri", "date", "date-time"] | None = None
    """What kind of text it is."""
    minimum: int | float | None = None
    """The smallest number."""
    maximum: int | float | None = None
    """The largest number."""
    one_of: list[QuestionChoice] | None = None
    """The choices, if it is a choice."""
    min_items: int | None = None
    """The minimum number of choices."""
    max_items: int | None = None
    """The maximum number of choices."""
    items: QuestionItems | None = None
    """The choices, of which an answer may contain several."""


class QuestionSchema(Record, kw_only=True):
    """The form of a question.

    An answer's `content` has a value for each required field, and only members that the form has.
    """

    type: Literal["object"] = msgspec.field(default_factory=lambda: "object")
    """Always `object`."""
    title: str | None = None
    """A heading."""
    description: str | None = None
    """An explanation of the form."""
    properties: dict[str, QuestionField]
    """The fields in the order to show them, by name."""
    required: list[str]
    """The names of the fields that need a value."""


class QuestionEvent(Record, tag_field="type", tag="question", kw_only=True):
    """An agent asks a person, or was answered. Without an `action` the agent withdrew its question."""

    seq: int
    ts: int
    request_id: str
    """Identifies the question."""
    state: Literal["asked", "answered"]
    """Whether it was asked or answered."""
    title: str
    """The question in one line."""
    message: str | None = None
    """The whole question. Only when asked."""
    tool_call_id: str | None = None
    """The tool call that asks."""
    schema: QuestionSchema | None = None
    """The form. Only when asked."""
    url: str | None = None
    """The address that the person is asked to open."""
    action: QuestionAction | None = None
    """How it was answered."""
    content: dict[str, Any] | None = None
    """The answer. Values of fields that seem to hold a password or key are replaced by dots."""
    by: Literal["user", "policy"] | None = None
    """Whether a person answered, or a rule because nobody could."""
    reason: str | None = None
    """Why a rule declined it."""
