"""What a session of Cline 4 used: its input includes cached tokens, unless a number rules that out."""

from typing import Any

from sidecar.history.stores.cline_sessions.usage import usage_of


def answer(name: str, given: int, reads: int, writes: int = 0) -> dict[str, Any]:
    metrics = {"inputTokens": given, "outputTokens": 7, "cacheReadTokens": reads, "cacheWriteTokens": writes}
    return {"id": name, "metrics": metrics, "modelInfo": {"id": "m"}}


def test_the_input_excludes_cached_tokens() -> None:
    """Cline 3.0.65 recorded this; the model's server reported 5,820 tokens besides those of the cache."""
    used = usage_of({}, [answer("a", 6_100, 180, 100)])
    assert used is not None
    assert (used.input, used.cache_reads, used.cache_writes, used.total) == (5_820, 180, 100, 5_827)


def test_an_input_that_cannot_include_cached_tokens_is_taken_as_it_is() -> None:
    used = usage_of({}, [answer("a", 1_000, 9_000), answer("b", 5_000, 100)])
    assert used is not None
    assert (used.input, used.cache_reads) == (6_000, 9_100)


def test_the_manifest_counts_while_the_messages_are_behind_it() -> None:
    recorded = {"usage": {**answer("", 12_000, 9_500)["metrics"], "totalCost": 0.5}}
    used = usage_of(recorded, [answer("a", 6_100, 5_000)])
    assert used is not None
    assert (used.input, used.cache_reads, used.cost) == (2_500, 9_500, 0.5)
    newer = usage_of(recorded, [answer("a", 6_100, 5_000), answer("b", 6_900, 6_000)])
    assert newer is not None
    assert (newer.input, newer.cache_reads) == (2_000, 11_000)
