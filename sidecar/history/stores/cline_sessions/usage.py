"""What a session of Cline 4 used, from its messages and its manifest. Pure."""

import math
from collections.abc import Sequence
from typing import Any

import msgspec

from sidecar.api.stored.tasks import TokenUsage
from sidecar.history.stores.cline_sessions.records import Json, member, text
from sidecar.history.stores.sessions.usage import CountedOnce, Usage, dollars, tokens


def usage_of(metadata: Json, answers: Sequence[Json]) -> TokenUsage | None:
    """Return the session's own usage; None if none is recorded.

    The metadata of a manifest has that of the session, and in `aggregateUsage` also that of subagents.
    """
    used = member(metadata, "usage")
    metrics = [member(answer, "metrics") for answer in answers]
    with_cache = all(map(_may_include_cache, (used, *metrics)))
    cost = used.get("totalCost")
    recorded = CountedOnce()
    recorded.add(0, _usage(used, cost if cost is not None else metadata.get("totalCost"), with_cache), None)
    summed = CountedOnce()
    for place, (answer, each) in enumerate(zip(answers, metrics, strict=True)):
        model = text(member(answer, "modelInfo"), "id")
        summed.add(text(answer, "id") or place, _usage(each, each.get("cost"), with_cache), model)
    return _larger(recorded.total(), summed.total())


def _may_include_cache(used: Json) -> bool:
    """Return whether the input may include cached tokens, as that of Cline's own SDK does.

    If one input is too small for that, no input of the session does: a provider reported it otherwise. An
    input of 0 tells nothing: the answer failed.
    """
    cached = [tokens(used.get(name)) or 0 for name in ("cacheReadTokens", "cacheWriteTokens")]
    given = tokens(used.get("inputTokens"))
    return not given or given >= sum(cached)


def _usage(used: Json, cost: Any, with_cache: bool) -> Usage:
    given = tokens(used.get("inputTokens"))
    reads, writes = tokens(used.get("cacheReadTokens")), tokens(used.get("cacheWriteTokens"))
    if given is not None and with_cache:
        given = max(given - (reads or 0) - (writes or 0), 0)
    return Usage(
        input=given,
        output=tokens(used.get("outputTokens")),
        cache_reads=reads,
        cache_writes=writes,
        cost=dollars(cost),
    )


def _larger(recorded: TokenUsage | None, summed: TokenUsage | None) -> TokenUsage | None:
    """Prefer the manifest, unless it is behind: it is written at the end of a turn."""
    if recorded is None or summed is None:
        return recorded or summed
    if _size(summed) > _size(recorded):
        return summed
    is_same = _tokens(summed) == _tokens(recorded)
    if not is_same or summed.by_model is None:
        return recorded
    models = summed.by_model
    if recorded.cost is None or summed.cost is None or not math.isclose(recorded.cost, summed.cost):
        models = [msgspec.structs.replace(each, cost=None) for each in models]
    return msgspec.structs.replace(recorded, by_model=models)


def _size(usage: TokenUsage) -> int | float:
    """Return the number of all tokens, with those of caches: the others may be few."""
    return (usage.total or 0) + (usage.cache_reads or 0) + (usage.cache_writes or 0)


def _tokens(usage: TokenUsage) -> tuple[int | float | None, ...]:
    return usage.input, usage.output, usage.cache_reads or 0, usage.cache_writes or 0
