"""Sum what the answers of each model used. Pure."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from sidecar.api.stored.tasks import ModelUsage
from sidecar.history.stored.texts import encodable


class ModelTokens(NamedTuple):
    """What some answers of one model used; None is unknown. `input` excludes cached tokens."""

    input: int | None
    output: int | None
    cache_reads: int | None
    cache_writes: int | None
    answers: int = 1
    long_cache_writes: int | None = None
    cost: float | None = None
    """The recorded cost in USD."""


def by_model(used: Iterable[tuple[str | None, ModelTokens]]) -> list[ModelUsage] | None:
    """Sum tokens by model, in the order of their first answers.

    None unless there are several models, and all of them are known.
    """
    found: defaultdict[str | None, list[ModelTokens]] = defaultdict(list)
    for model, tokens in used:
        found[encodable(model) if model else None].append(tokens)
    if len(found) < 2:
        return None
    sums = [_summed(model, tokens) for model, tokens in found.items() if model]
    return sums if len(sums) == len(found) else None


def _summed(model: str, tokens: list[ModelTokens]) -> ModelUsage:
    *columns, answers, held, costs = zip(*tokens, strict=True)
    given, made, reads, writes, long = (
        [value for value in column if value is not None] for column in (*columns, held)
    )
    return ModelUsage(
        model=model,
        answers=sum(answers),
        input=sum(given) if given else None,
        output=sum(made) if made else None,
        cache_reads=sum(reads) if reads else None,
        cache_writes=sum(writes) if writes else None,
        long_cache_writes=sum(long) or None,
        cost=None if None in costs else sum(costs),
    )
