"""Compare the rows of a list with the answers, value by value. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

FIELDS: Final = (
    "title",
    "workspaceDir",
    "model",
    "createdAt",
    "lastActivity",
    "messageCount",
    "input",
    "output",
    "cacheReads",
    "cacheWrites",
    "total",
    "cost",
    "byModel",
    "withChildren",
    "status",
    "outcome",
    "parentId",
)
_USAGE: Final = FIELDS[6:14]
Row = Mapping[str, Any]


class Score(msgspec.Struct):
    """How many values of each field are right, of how many sessions; `missing` and `extra` rows apart."""

    sessions: int = 0
    missing: int = 0
    extra: int = 0
    right: Counter[str] = msgspec.field(default_factory=Counter)


def score(truths: Iterable[Row], rows: Iterable[Row]) -> Score:
    """Compare rows, as on the wire, with the answers of one store."""
    found = {row["id"]: row for row in rows}
    result = Score()
    for truth in truths:
        result.sessions += 1
        row = found.pop(truth["id"], None)
        if row is None:
            result.missing += 1
            continue
        wrong = {name for name, _, _ in mismatches(truth, row)}
        result.right.update(name for name in FIELDS if name not in wrong)
    result.extra = len(found)
    return result


def mismatches(truth: Row, row: Row) -> Iterator[tuple[str, object, object]]:
    """Yield each field that differs, with the right value and that of the row."""
    for name in FIELDS:
        wanted, got = _value(truth, name), _value(row, name)
        if not _is_same(wanted, got):
            yield name, wanted, got


def _value(row: Row, name: str) -> object:
    return (row.get("tokenUsage") or {}).get(name) if name in _USAGE else row.get(name)


def _is_same(wanted: object, got: object) -> bool:
    if isinstance(wanted, Mapping):
        other = got if isinstance(got, Mapping) else {}
        return all(_is_same(value, other.get(name)) for name, value in wanted.items())
    if isinstance(wanted, list):
        others = got if isinstance(got, list) else []
        return len(wanted) == len(others) and all(map(_is_same, wanted, others))
    if isinstance(wanted, float) and isinstance(got, int | float):
        return abs(wanted - got) < 1e-9
    return wanted == got
