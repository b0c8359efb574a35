"""Count the usage of answers, each once. Pure."""

from collections.abc import Hashable, Sequence
from typing import Any, Final

import msgspec

from sidecar.api.stored.tasks import TokenUsage
from sidecar.history.stores.by_model import ModelTokens, by_model

_CAN_BE: Final = 2**53
"""Larger than any real figure."""


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """What one answer used; None is unknown. `input` excludes cached tokens, `output` includes reasoning."""

    input: int | None = None
    output: int | None = None
    cache_reads: int | None = None
    cache_writes: int | None = None
    cost: float | None = None
    is_free: bool = False
    """Whether the model is known to cost nothing, so that a recorded 0 is its cost."""
    answers: int = 1
    """How many answers used this, if their tokens are recorded together."""

    def plus(self, other: "Usage") -> "Usage":
        """Return the tokens of both, by one model; what is unknown in both stays unknown."""
        both = self, other
        return Usage(
            input=_sum(both, "input"),
            output=_sum(both, "output"),
            cache_reads=_sum(both, "cache_reads"),
            cache_writes=_sum(both, "cache_writes"),
            answers=self.answers + other.answers,
        )

    def minus(self, other: "Usage | None") -> "Usage":
        """Return what is left without tokens that are part of it; none of it is less than 0."""
        if other is None:
            return self
        return Usage(
            input=_less(self.input, other.input),
            output=_less(self.output, other.output),
            cache_reads=_less(self.cache_reads, other.cache_reads),
            cache_writes=_less(self.cache_writes, other.cache_writes),
            answers=max(1, self.answers - other.answers),
        )

    @property
    def tokens(self) -> int:
        """Return the number of all tokens that are known."""
        return sum(filter(None, (self.input, self.output, self.cache_reads, self.cache_writes)))


class CountedOnce:
    """Sum usages by the key of their answer: a copy of an answer replaces one with a smaller output."""

    def __init__(self) -> None:
        self._used: dict[Hashable, Usage] = {}
        self._models: dict[Hashable, str | None] = {}
        self._current: str | None = None

    def __contains__(self, key: Hashable) -> bool:
        return key in self._used

    def __len__(self) -> int:
        return len(self._used)

    def add(self, key: Hashable, usage: Usage, model: str | None) -> None:
        """Count what an answer used, unless a larger copy of it is known.

        An answer that names no model is one of the model that answered before.
        """
        known = self._used.get(key)
        self._current = model or self._current
        if known is None or (usage.output or 0) > (known.output or 0):
            self._used[key] = usage
            self._models[key] = model or self._models.get(key) or self._current

    def total(self) -> TokenUsage | None:
        """Sum what was counted; None without any token.

        The cost is unknown if one answer has none, or has 0 from a model that is not free, as subscriptions
        record.
        """
        counted = {key: each for key, each in self._used.items() if each.tokens}
        if not counted:
            return None
        used = [*counted.values()]
        cost = _cost(used)
        given, made = _sum(used, "input"), _sum(used, "output")
        return TokenUsage(
            total=given + made if given is not None and made is not None else None,
            cost=cost,
            input=given,
            output=made,
            cache_reads=_sum(used, "cache_reads"),
            cache_writes=_sum(used, "cache_writes"),
            by_model=by_model(
                (self._models[key], _tokens_of(each, cost is not None)) for key, each in counted.items()
            ),
        )


def tokens(value: object) -> int | None:
    """Return a recorded number of tokens; None for any other value."""
    if type(value) is float and value.is_integer():
        value = int(value)
    return value if type(value) is int and 0 <= value < _CAN_BE else None


def is_more(value: object, other: object) -> bool:
    """Return whether a recorded number of tokens is larger than another; any other value counts as 0."""
    if type(value) is int and type(other) is int and 0 <= value < _CAN_BE and 0 <= other < _CAN_BE:
        return value > other  # nearly always
    return (tokens(value) or 0) > (tokens(other) or 0)


def sum_of_tokens(values: Sequence[Any]) -> int | None:
    """Sum recorded numbers of tokens; None without any that can be one."""
    if {*map(type, values)} == {int} and min(values) >= 0 and (total := sum(values)) < _CAN_BE:
        return int(total)  # nearly always
    known = [number for value in values if (number := tokens(value)) is not None]
    return sum(known) if known else None


def dollars(value: object) -> float | None:
    """Return a recorded cost in USD; None for any other value."""
    if type(value) is int or type(value) is float:
        return value if 0 <= value < _CAN_BE else None
    return None


def _tokens_of(used: Usage, with_cost: bool) -> ModelTokens:
    cost = used.cost if with_cost else None
    figures = (used.input, used.output, used.cache_reads, used.cache_writes)
    return ModelTokens(*figures, answers=used.answers, cost=cost)


def _sum(used: Sequence[Usage], name: str) -> int | None:
    values = [value for each in used if (value := getattr(each, name)) is not None]
    return sum(values) if values else None


def _less(whole: int | None, part: int | None) -> int | None:
    return None if whole is None else max(0, whole - (part or 0))


def _cost(used: list[Usage]) -> float | None:
    costs = [each.cost if each.cost or each.is_free else None for each in used]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None
