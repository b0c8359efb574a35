"""The fields of the query language and how their values are read."""

import re
from datetime import datetime, time
from typing import Final, Literal, get_args

from sidecar.api.stored.tasks import Outcome, Product, TaskStatus
from sidecar.history.query.lexer import QueryError, Value
from sidecar.history.query.nodes import Activity, AnyOf, Comparison, Extent, Node, Number, Words

STATUSES: Final = frozenset(get_args(TaskStatus))
OUTCOMES: Final = frozenset(get_args(Outcome))
_CLOSED: Final[dict[str, tuple[str, ...]]] = {
    "status": tuple(dict.fromkeys((*get_args(TaskStatus), *get_args(Outcome)))),
    "outcome": get_args(Outcome),
    "product": get_args(Product),
    "kept": ("true", "false"),
}
"""Fields with fixed values; `status` also accepts outcomes."""
WORD_FIELDS: Final = (
    "status",
    "mode",
    "product",
    "workspace",
    "model",
    "parent",
    "file",
    "outcome",
    "title",
    "id",
    "root",
    "kept",
)
NUMBER_FIELDS: Final = ("cost", "estimate", "tokens", "messages", "size")
MOMENT_FIELDS: Final = ("created", "active")
SPAN_FIELDS: Final = ("duration",)
COMPARED_FIELDS: Final = (*NUMBER_FIELDS, *MOMENT_FIELDS, *SPAN_FIELDS)
"""Fields that take `>`, `>=`, `<`, `<=` and `=`."""
TIME_FIELDS: Final = ("since", "until")
FIELDS: Final = (*WORD_FIELDS, *COMPARED_FIELDS, *TIME_FIELDS)
_PATHS: Final = frozenset({"file", "workspace", "root"})

_NUMBER: Final = re.compile(
    r"(\d{1,18}(?:\.\d{1,18})?|\.\d{1,18})(k|m|g|kb|mb|gb)?", re.ASCII | re.IGNORECASE
)
_UNITS: Final = {"k": 1e3, "m": 1e6, "g": 1e9, "kb": 2.0**10, "mb": 2.0**20, "gb": 2.0**30}
_AGE: Final = re.compile(r"(\d{1,6})([mhdw])", re.ASCII)
_SPAN: Final = re.compile(r"(\d{1,9})([smhdw])", re.ASCII)
_UNIT_MS: Final = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
_DATE_LENGTH: Final = len("2026-01-31")
_LAST_MOMENT: Final = time(23, 59, 59, 999_000)


def read_field(name: str, position: int, operator: str, values: list[Value]) -> Node:
    """Parse one `field:value` term. Raises QueryError at the invalid operator or value."""
    if name in COMPARED_FIELDS:
        comparison: Comparison = "=" if operator == ":" else operator  # type: ignore[assignment]  # the lexer's
        if name in NUMBER_FIELDS:
            return Number(name, comparison, tuple(_number(value) for value in values))
        read = _moment_extent if name in MOMENT_FIELDS else _span_extent
        return AnyOf(tuple(read(name, comparison, value) for value in values))
    if operator != ":":
        raise QueryError(position + len(name), f"':' after {name}")
    if name in TIME_FIELDS:
        return _activity(name, values)
    return Words(name, tuple(_word(name, value) for value in values))


def _word(field: str, value: Value) -> str:
    word = value.text.casefold()
    known = _CLOSED.get(field)
    if known is not None and word not in known:
        raise QueryError(value.position, f"one of {', '.join(known)}")
    return word.replace("\\", "/") if field in _PATHS else word


def _number(value: Value) -> float:
    match = _NUMBER.fullmatch(value.text)
    if match is None:
        raise QueryError(value.position, "a number such as 0.5, 20k or 3MB")
    return float(match[1]) * _UNITS.get((match[2] or "").lower(), 1)


def _moment_extent(name: str, comparison: Comparison, value: Value) -> Extent:
    """Read a date, which covers its whole day, or an age: `active<2h` keeps the last two hours."""
    if (age := _AGE.fullmatch(value.text)) is not None:
        return _extent(name, comparison, age, is_age=True)
    first, last = _moment(value, at_end=False), _moment(value, at_end=True)
    return Extent(name, comparison, first, last)


def _span_extent(name: str, comparison: Comparison, value: Value) -> Extent:
    match = _SPAN.fullmatch(value.text)
    if match is None:
        raise QueryError(value.position, "a time span such as 45s, 30m, 2h or 1d")
    return _extent(name, comparison, match, is_age=False)


def _extent(name: str, comparison: Comparison, match: "re.Match[str]", *, is_age: bool) -> Extent:
    """Return the extent of `2h`; for equality it covers all durations displayed as `2h`, up to 3 hours."""
    unit = _UNIT_MS[match[2]]
    first = int(match[1]) * unit
    return Extent(name, comparison, first, first + unit - 1 if comparison == "=" else first, is_age)


def _activity(name: str, values: list[Value]) -> Node:
    comparison: Literal[">=", "<="] = ">=" if name == "since" else "<="
    if len(values) > 1:
        raise QueryError(values[1].position, f"a single time after {name}:")
    (value,) = values
    if (age := _AGE.fullmatch(value.text)) is not None:
        return Activity(comparison, int(age[1]) * _UNIT_MS[age[2]], is_age=True)
    return Activity(comparison, _moment(value, at_end=name == "until"), is_age=False)


def _moment(value: Value, *, at_end: bool) -> int:
    """Read an ISO date or time in the local zone, in ms; a date without time is its first or last moment."""
    try:
        moment = datetime.fromisoformat(value.text)
        if at_end and len(value.text) <= _DATE_LENGTH:
            moment = datetime.combine(moment.date(), _LAST_MOMENT)
        return int(moment.timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        expected = "an ISO date such as 2026-04-15, or an age such as 7d or 12h"
        raise QueryError(value.position, expected) from None
