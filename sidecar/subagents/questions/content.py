"""Check the content of an answer against the form of its question."""

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any

from sidecar.api.errors import InvalidParams
from sidecar.api.runs.questions import QuestionField, QuestionSchema
from sidecar.subagents.agent_text import require_whole
from sidecar.subagents.permissions.shortening import NAME_CHARS, cut_middle
from sidecar.subagents.questions import formats

TEXT_CHARS = 100_000
"""The most characters of a text, if the form sets no other limit."""
WHOLE = 2**53 - 1
"""The largest whole number that every program reads from JSON as it was written."""
_SHOWN_CHOICES = 20


def checked(form: QuestionSchema, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content with the defaults of required fields that are absent.

    Raises InvalidParams, which names the member, if it does not fit. Does not check patterns.
    """
    unknown = next((name for name in content if name not in form.properties), None)
    if unknown is not None:
        known = ", ".join(form.properties) or "no fields"
        shown = cut_middle(unknown, NAME_CHARS)
        raise InvalidParams(
            f"content.{shown}: the form has no such field; it has: {cut_middle(known, 2_000)}"
        )
    filled = dict(_filled(form, content))
    for name, field in form.properties.items():
        if name not in filled:
            if name in form.required:
                raise InvalidParams(f"content.{name}: a value is required")
            continue
        wrong = problem(field, filled[name])
        if wrong is not None:
            raise InvalidParams(f"content.{name}: {wrong}")
        require_whole(f"content.{name}", filled[name])
    return filled


def problem(field: QuestionField, value: Any) -> str | None:
    """Return what is wrong with the value of a field, or None."""
    match field.type:
        case "boolean":
            return None if isinstance(value, bool) else "must be true or false"
        case "number" | "integer":
            return _number_problem(field, value)
        case "array":
            return _choices_problem(field, value)
    if not isinstance(value, str):
        return "must be a text"
    if field.one_of is not None:
        return _choice_problem([each.const for each in field.one_of], value)
    return _text_problem(field, value)


def _filled(form: QuestionSchema, content: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the members in the order of the form, whole numbers of integer fields without a fraction."""
    for name, field in form.properties.items():
        value: Any = content.get(name)
        if name not in content and name in form.required and field.default is not None:
            value = field.default
        elif name not in content:
            continue
        is_whole = field.type == "integer" and isinstance(value, float) and value.is_integer()
        yield name, int(value) if is_whole else value


def _number_problem(field: QuestionField, value: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "must be a number"
    if isinstance(value, float) and not isfinite(value):
        return "must be a number"
    if field.type == "integer" and isinstance(value, float) and not value.is_integer():
        return "must be a whole number"
    if field.minimum is not None and value < field.minimum:
        return f"must be at least {field.minimum}"
    if field.maximum is not None and value > field.maximum:
        return f"must be at most {field.maximum}"
    if field.type == "integer" and abs(value) > WHOLE:
        return f"must be between -{WHOLE} and {WHOLE}"
    return None


def _choices_problem(field: QuestionField, value: Any) -> str | None:
    if not isinstance(value, list):
        return "must be a list of choices"
    values = [each.const for each in field.items.any_of] if field.items is not None else []
    wrong = next((found for each in value if (found := _choice_problem(values, each)) is not None), None)
    if wrong is not None:
        return wrong
    if field.min_items is not None and len(value) < field.min_items:
        return f"must have at least {field.min_items} choices"
    if field.max_items is not None and len(value) > field.max_items:
        return f"must have at most {field.max_items} choices"
    return None


def _choice_problem(values: list[str], value: Any) -> str | None:
    if value in values:
        return None
    shown = ", ".join(map(repr, values[:_SHOWN_CHOICES])) + (", …" if len(values) > _SHOWN_CHOICES else "")
    return f"{cut_middle(repr(value), NAME_CHARS)} is not a choice; use one of: {cut_middle(shown, 2_000)}"


def _text_problem(field: QuestionField, value: str) -> str | None:
    if field.min_length is not None and len(value) < field.min_length:
        return f"must have at least {field.min_length} characters"
    most = TEXT_CHARS if field.max_length is None else field.max_length
    if len(value) > most:
        return f"must have at most {most:,} characters"
    if field.format is not None and not formats.fits(field.format, value):
        return f"must be {formats.NAMES[field.format]}"
    return None
