"""Read the form of an agent's question: a JSON Schema of flat, primitive fields.

Source: `ElicitationSchema` of the Agent Client Protocol, schema 1.19. The result holds what clients may show,
in bounded size.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from sidecar.api.runs.questions import QuestionChoice, QuestionField, QuestionItems, QuestionSchema
from sidecar.subagents.permissions.shortening import NAME_CHARS, cut_middle
from sidecar.subagents.questions.choices import UnsupportedForm, choices
from sidecar.subagents.questions.content import problem
from sidecar.subagents.questions.formats import NAMES
from sidecar.subagents.questions.texts import is_shown_as_is, line, lines

MAX_FIELDS = 50
MAX_BYTES = 64 * 1024
"""The size of a form as JSON. Every change of the run carries it to all clients."""
PATTERN_CHARS = 1_000


def read_form(raw: Any) -> QuestionSchema:
    """Return the form of a `requestedSchema`. Raises UnsupportedForm.

    Leaves out optional fields of an unsupported type, and defaults that do not fit their fields.
    """
    schema = raw if isinstance(raw, Mapping) else {}
    properties = schema.get("properties") or {}
    if schema.get("type", "object") != "object" or not isinstance(properties, Mapping):
        raise UnsupportedForm("the form is not an object with properties")
    if len(properties) > MAX_FIELDS:
        raise UnsupportedForm(f"the form has {len(properties):,} fields, and the limit is {MAX_FIELDS}")
    required = _required(schema)
    fields = dict(_fields(properties, frozenset(required)))
    unknown = next((name for name in required if name not in fields), None)
    if unknown is not None:
        raise UnsupportedForm(
            f"the form requires {cut_middle(unknown, NAME_CHARS)!r} but does not describe it"
        )
    form = QuestionSchema(
        title=line(schema.get("title")),
        description=lines(schema.get("description")),
        properties=fields,
        required=required,
    )
    if len(msgspec.json.encode(form)) > MAX_BYTES:
        raise UnsupportedForm(f"the form is larger than {MAX_BYTES // 1024} KiB")
    return form


def _required(schema: Mapping[str, Any]) -> list[str]:
    named = schema.get("required")
    names = named if isinstance(named, list) else []
    return list(dict.fromkeys(name for name in names if isinstance(name, str)))


def _fields(properties: Mapping[str, Any], required: frozenset[str]) -> Iterator[tuple[str, QuestionField]]:
    for name, raw in properties.items():
        if len(name) > NAME_CHARS or not is_shown_as_is(name):
            raise UnsupportedForm("the name of a field is empty, too long or has control characters")
        field = _field(raw if isinstance(raw, Mapping) else {})
        if field is not None:
            yield name, _with_default(field, raw.get("default"))
        elif name in required:
            raise UnsupportedForm(f"the required field {name!r} has a type that is not supported")


def _field(raw: Mapping[str, Any]) -> QuestionField | None:
    """Return a field without its default; None for a type that is not supported."""
    items = raw.get("items")
    given = choices(items if isinstance(items, Mapping) else raw)
    kind = raw.get("type", None if given is None else "string")
    shown: dict[str, Any] = {"title": line(raw.get("title")), "description": lines(raw.get("description"))}
    if kind in ("string", "array") and given is not None:
        return _choice(kind, raw, given, shown)
    if given is not None:
        return None
    match kind:
        case "boolean":
            return QuestionField(type="boolean", **shown)
        case "number" | "integer":
            least, most = _number(raw.get("minimum")), _number(raw.get("maximum"))
            return QuestionField(type=kind, minimum=least, maximum=most, **shown)
        case "string":
            return QuestionField(type="string", **shown, **_limits(raw))
    return None


def _choice(
    kind: Any, raw: Mapping[str, Any], given: list[QuestionChoice], shown: Mapping[str, Any]
) -> QuestionField:
    if kind == "string":
        return QuestionField(type="string", one_of=given, **shown)
    least, most = _size(raw.get("minItems")), _size(raw.get("maxItems"))
    return QuestionField(
        type="array", items=QuestionItems(any_of=given), min_items=least, max_items=most, **shown
    )


def _limits(raw: Mapping[str, Any]) -> dict[str, Any]:
    pattern, format_ = raw.get("pattern"), raw.get("format")
    return {
        "min_length": _size(raw.get("minLength")),
        "max_length": _size(raw.get("maxLength")),
        "pattern": pattern if isinstance(pattern, str) and len(pattern) <= PATTERN_CHARS else None,
        "format": format_ if isinstance(format_, str) and format_ in NAMES else None,
    }


def _with_default(field: QuestionField, value: Any) -> QuestionField:
    if value is None or problem(field, value) is not None:
        return field
    return msgspec.structs.replace(field, default=value)


def _number(value: Any) -> int | float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _size(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
