"""Read the choices of a form's field: titled values, an enum, or an enum with names."""

from collections.abc import Iterator, Mapping
from typing import Any

from sidecar.api.runs.questions import QuestionChoice
from sidecar.subagents.questions.texts import line, lines

MAX_CHOICES = 500
VALUE_CHARS = 2_000


class UnsupportedForm(Exception):
    """A form that no person could fill in here. The text is the reason, for the agent."""


def choices(raw: Mapping[str, Any]) -> list[QuestionChoice] | None:
    """Return the choices of a field or of its items; None if it is not a choice. Raises UnsupportedForm."""
    members = [name for name in ("oneOf", "anyOf", "enum", "const") if raw.get(name) is not None]
    if not members:
        return None
    found = raw[members[0]]
    values = [found] if members[0] == "const" else found
    if not isinstance(values, list) or not values:
        raise UnsupportedForm("a choice has no values")
    if len(values) > MAX_CHOICES:
        raise UnsupportedForm(f"a choice has {len(values):,} values, and the limit is {MAX_CHOICES}")
    titles = raw.get("enumNames")
    names = titles if isinstance(titles, list) else []
    # An object keeps the first of equal values, which nobody could distinguish.
    return list({each.const: each for each in reversed([*_read(values, names)])}.values())[::-1]


def _read(values: list[Any], names: list[Any]) -> Iterator[QuestionChoice]:
    for number, each in enumerate(values):
        titled = each if isinstance(each, Mapping) else {"const": each, "title": _at(names, number)}
        value = titled.get("const")
        if not isinstance(value, str) or len(value) > VALUE_CHARS:
            raise UnsupportedForm(
                f"a choice has a value that is not a text of at most {VALUE_CHARS} characters"
            )
        title = line(titled.get("title")) or line(value) or "(empty)"
        yield QuestionChoice(const=value, title=title, description=lines(titled.get("description")))


def _at(names: list[Any], number: int) -> Any:
    return names[number] if number < len(names) else None
