"""Tokens and cost, summed as the products sum them."""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from operator import attrgetter
from typing import Any, Final

from sidecar.api.stored.tasks import TokenUsage
from sidecar.history.stored.parsing import value_of
from sidecar.history.stores.task_folders.files import UI_FILE
from sidecar.history.stores.task_folders.records import ListEntry, Usage
from sidecar.history.stores.task_folders.structural.view import USAGE_KINDS, Sourced, TaskView

_REQUEST: Final = "api_req_started"
_NO_STARTS: Final = USAGE_KINDS - {_REQUEST}
_FIELDS: Final = ("tokens_in", "tokens_out", "cache_writes", "cache_reads", "cost")
Number = int | float
Row = Sequence[Any]
_figures: Final = attrgetter(*_FIELDS)
_condensing: Final = attrgetter("context_condense")
_listed: Final = attrgetter(*_FIELDS[:-1], "total_cost")
_NUMBERS: Final = frozenset({int, float})
_NOTHING: Final = TokenUsage()


def token_usage(view: TaskView) -> Sourced | None:
    """Sum the usage records of the UI file; if it is damaged or missing, use the list entry.

    Without any record the usage is unknown, which is not the same as 0.
    """
    if view.entry is not None and view.entry.product == "sidecar":
        return _of_run(view, view.entry)
    return _recorded(view)


def _of_run(view: TaskView, entry: ListEntry) -> Sourced | None:
    """Return what a run of the sidecar used; as in the sessions of agents, `input` excludes cached tokens.

    The list entry comes first, because usage that is read from the agent's own store is only there.
    """
    listed = _from_entry(entry)
    found = Sourced(listed, view.entry_source) if listed is not None else _recorded(view)
    if found is None:
        return None
    usage: TokenUsage = found.value
    cached = (usage.cache_reads or 0) + (usage.cache_writes or 0)
    if usage.input is None or not 0 < cached <= usage.input:
        return found
    figures = usage.input - cached, usage.output, usage.cache_writes, usage.cache_reads, usage.cost
    return Sourced(_usage(figures), found.source, "tokensIn without cache reads and writes")


def _recorded(view: TaskView) -> Sourced | None:
    """Sum the usage records as they are."""
    damaged = view.ui is None or bool(view.ui.problems)
    listed = _from_entry(view.entry) if view.entry is not None and (damaged or not view.usages) else None
    if listed is not None:
        return Sourced(listed, view.entry_source, "messages are missing" if damaged else None)
    if view.ui is None or not view.ui_messages:
        return None
    rows = [*map(_figures, _merged(view))]
    columns = tuple(zip(*rows, strict=True)) or ((),) * len(_FIELDS)
    condensings = _condense_costs(view)
    if rows and not condensings and _NUMBERS.issuperset(map(type, chain.from_iterable(rows))):  # as mostly
        summed, telling = _usage([*map(sum, columns)]), len(rows)
    else:
        summed = _usage([*map(_sum, columns[:-1]), _sum((*columns[-1], *condensings))])
        telling = _telling(rows)
    note = _sum_note(telling, len(condensings))
    return Sourced(summed, UI_FILE, note) if summed != _NOTHING else None


def number(value: Any) -> Number | None:
    """Read a finite number; a bool does not count."""
    if type(value) is int:
        return value
    return value if type(value) is float and math.isfinite(value) else None


def _telling(rows: Sequence[Row]) -> int:
    """Count the rows that record any figure."""
    return sum(
        type(row[0]) is int or any(number(value) is not None for value in row)  # the first, as mostly
        for row in rows
    )


@lru_cache(1_000)
def _sum_note(records: int, condensings: int) -> str:
    """Describe what was added up: `sum of 41 request records and 1 condensing`."""
    counts = {"request record": records, "condensing": condensings}
    parts = [f"{count} {what}{'' if count == 1 else 's'}" for what, count in counts.items() if count]
    return f"sum of {' and '.join(parts)}"


def _merged(view: TaskView) -> list[Usage]:
    """Return the usage records, each `api_req_finished` of 2024 merged with the newest unmatched start."""
    if _NO_STARTS.isdisjoint(view.kinds):
        return [*view.usages.values()]
    started: list[Usage] = []
    others: list[Usage] = []
    for index, record in view.usages.items():
        kind = view.kinds[index]
        if kind == _REQUEST:
            started.append(record)
        elif kind == "api_req_finished" and started:
            others.append(_overlaid(started.pop(), record))
        else:
            others.append(record)
    return others + started


def _overlaid(start: Usage, finish: Usage) -> Usage:
    return Usage(
        **{
            name: value if (value := getattr(finish, name)) is not None else getattr(start, name)
            for name in _FIELDS
        }
    )


def _condense_costs(view: TaskView) -> list[Number]:
    """Return the costs of condensing a conversation, which Roo records apart from its requests."""
    carried = [*map(_condensing, view.ui_messages[1:])]
    if not any(carried):
        return []
    condensings = [value_of(json) for json in carried if json]
    costs = [number(it.get("cost")) for it in condensings if isinstance(it, dict)]
    return [cost for cost in costs if cost is not None]


def _sum(values: Row) -> Number | None:
    """Sum the numbers among values; None when there are none."""
    numbers = [value for value in values if type(value) in _NUMBERS]
    return sum(numbers) if numbers else None


def _from_entry(entry: ListEntry) -> TokenUsage | None:
    """Read an entry's figures. Zeros, which products write before the first request, count as unknown."""
    figures = [*map(number, _listed(entry))]
    usage = _usage(figures)
    return usage if usage != _NOTHING and (any(figures) or entry.product == "sidecar") else None


def _usage(figures: Sequence[Number | None]) -> TokenUsage:
    """Make the record of figures in the order of `_FIELDS`."""
    tokens_in, tokens_out, cache_writes, cache_reads, cost = figures
    return TokenUsage(
        total=tokens_in + tokens_out if tokens_in is not None and tokens_out is not None else None,
        cost=cost,
        input=tokens_in,
        output=tokens_out,
        cache_reads=cache_reads,
        cache_writes=cache_writes,
    )
