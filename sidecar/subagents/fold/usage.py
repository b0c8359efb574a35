"""Tokens, cost and retries, as a run's events report them."""

from typing import Any

import msgspec

from sidecar.api.runs.async_tasks import Retrying

_COUNTS = {
    "inputTokens": "input_tokens",
    "outputTokens": "output_tokens",
    "cacheReads": "cache_reads",
    "cacheWrites": "cache_writes",
}


class Usage:
    """The newest numbers of a run, which are cumulative; None if never reported."""

    def __init__(self) -> None:
        self.input_tokens: int | None = None
        self.output_tokens: int | None = None
        self.cache_reads: int | None = None
        self.cache_writes: int | None = None
        self.cost: float | None = None
        """USD."""
        self._context_used = 0

    @property
    def tokens(self) -> int:
        """Return all tokens used, including the cache; the size of the context is a lower bound."""
        counts = (self.input_tokens, self.output_tokens, self.cache_reads, self.cache_writes)
        return max(sum(count or 0 for count in counts), self._context_used)

    def take(self, event: dict[str, Any]) -> None:
        """Add a usage event."""
        for member, name in _COUNTS.items():
            if _is_count(event.get(member)):
                setattr(self, name, event[member])
        cost = event.get("cost")
        if isinstance(cost, int | float) and not isinstance(cost, bool):
            self.cost = cost
        if _is_count(event.get("contextUsed")):
            self._context_used = max(self._context_used, event["contextUsed"])


def retrying_of(event: dict[str, Any]) -> Retrying | None:
    """Return the failed request that the agent is retrying, according to this event."""
    try:
        return msgspec.convert(event["retrying"], Retrying) if "retrying" in event else None
    except msgspec.ValidationError:
        return None


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
