"""Tokens and cost, summed as the products sum them."""

import math
from collections.abc import Iterable, Iterator
from itertools import repeat
from operator import attrgetter
from typing import Any, Final

from sidecar.api.tasks import TokenUsage
from sidecar.history.parsing import value_of
from sidecar.history.reading import UI_FILE
from sidecar.history.records import ListEntry, Usage
from sidecar.history.view import Found, TaskView

_REQUEST: Final = "api_req_started"
_FIELDS: Final = ("tokens_in", "tokens_out", "cache_writes", "cache_reads", "cost")
Number = int | float
_figures: Final = attrgetter(*_FIELDS)


def token_usage(view: TaskView) -> Found | None:
    """Sum the usage records of the UI file; a damaged or missing one gives way to the list entry."""
    damaged = view.ui is None or bool(view.ui.problems)
    listed = _from_entry(view.entry) if view.entry is not None and (damaged or not view.usages) else None
    if listed is not None:
        return Found(listed, view.entry_source, "messages are missing" if damaged else None)
    if view.ui is None or not view.ui_messages:
        return None
    if _REQUEST not in view.kinds and all(message.say != _REQUEST for message in view.ui_messages):
        if view.entry is not None and view.entry.product == "sidecar":
            return None  # a run's program makes requests that only it could tell of
        return Found(_usage(dict.fromkeys(_FIELDS, 0)), UI_FILE, "no request was made")
    columns, records = _columns(_merged(view))
    condensings = [*_condense_costs(view)]
    columns["cost"] += condensings
    summed = _usage({name: _sum(values) for name, values in columns.items()})
    note = _sum_note(records, len(condensings))
    return Found(summed, UI_FILE, note) if summed != TokenUsage() else None


def number(value: Any) -> Number | None:
    """Read a finite number; a bool is none."""
    if type(value) is int:
        return value
    return value if type(value) is float and math.isfinite(value) else None


def _columns(records: Iterable[Usage]) -> tuple[dict[str, list[Number]], int]:
    """The figures by field, and how many of the records tell any."""
    rows = [_figures(record) for record in records]
    columns = {
        name: [value for value in column if type(value) is int or number(value) is not None]
        for name, column in zip(_FIELDS, zip(*rows, strict=True) if rows else repeat(()), strict=False)
    }
    told = sum(type(row[0]) is int or any(number(value) is not None for value in row) for row in rows)
    return columns, told


def _sum_note(records: int, condensings: int) -> str:
    """Say what was added up: `sum of 41 request records and 1 condensing`."""
    parts = [f"{records} request record{'' if records == 1 else 's'}"]
    if condensings:
        parts.append(f"{condensings} condensing{'' if condensings == 1 else 's'}")
    return f"sum of {' and '.join(parts)}"


def _merged(view: TaskView) -> Iterator[Usage]:
    """The usage records, a 2024 `api_req_finished` taken together with the newest unmatched start."""
    started: list[Usage] = []
    for index, record in view.usages:
        kind = view.kinds[index]
        if kind == "api_req_finished":
            yield _overlaid(started.pop(), record) if started else record
        elif kind == _REQUEST:
            started.append(record)
        else:
            yield record
    yield from started


def _overlaid(start: Usage, finish: Usage) -> Usage:
    return Usage(
        **{
            name: value if (value := getattr(finish, name)) is not None else getattr(start, name)
            for name in _FIELDS
        }
    )


def _condense_costs(view: TaskView) -> Iterator[Number]:
    """Roo books the cost of condensing a conversation apart from its requests."""
    for message in view.ui_messages[1:]:
        if message.context_condense:
            condense = value_of(message.context_condense)
            if isinstance(condense, dict) and (cost := number(condense.get("cost"))) is not None:
                yield cost


def _sum(values: Iterable[Number]) -> Number | None:
    values = list(values)
    return sum(values) if values else None


def _from_entry(entry: ListEntry) -> TokenUsage | None:
    usage = _usage(
        {
            "tokens_in": number(entry.tokens_in),
            "tokens_out": number(entry.tokens_out),
            "cache_writes": number(entry.cache_writes),
            "cache_reads": number(entry.cache_reads),
            "cost": number(entry.total_cost),
        }
    )
    return usage if usage != TokenUsage() else None


def _usage(sums: dict[str, Number | None]) -> TokenUsage:
    tokens_in, tokens_out = sums["tokens_in"], sums["tokens_out"]
    return TokenUsage(
        total=tokens_in + tokens_out if tokens_in is not None and tokens_out is not None else None,
        cost=sums["cost"],
        input=tokens_in,
        output=tokens_out,
        cache_reads=sums["cache_reads"],
        cache_writes=sums["cache_writes"],
    )
