"""Tokens in every agent's words and order, as one cumulative count."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.subagents.runners.acp.updates.usage import Usage, counted_nothing, reply_tokens, tokens_of

Json = dict[str, Any]
TOOL = {"type": "tool", "status": "started"}
TOOL_END = {"type": "tool", "status": "completed"}
WORD = {"type": "message"}


def size(used: int) -> Json:
    return {"sessionUpdate": "usage_update", "used": used, "size": 1000}


def reported(usage: Usage, *steps: Json) -> list[Json]:
    """Give updates and events to a count and return what it tells."""
    events: list[Json] = []
    for step in steps:
        if "type" in step:
            usage.follow(step)
        else:
            events += usage.update(step)
    return events


@pytest.mark.parametrize(
    "report",
    [
        {"inputTokens": 4, "outputTokens": 7, "cachedReadTokens": 90, "cachedWriteTokens": 6},
        {
            "inputTokens": 4,
            "outputTokens": 7,
            "cachedReadTokens": 90,
            "cachedWriteTokens": 6,
            "totalTokens": 107,
        },
        {
            "inputTokens": 100,
            "outputTokens": 7,
            "cachedReadTokens": 90,
            "cachedWriteTokens": 6,
            "totalTokens": 107,
        },
        {
            "inputTokens": 100,
            "outputTokens": 5,
            "thoughtTokens": 2,
            "cachedReadTokens": 90,
            "cachedWriteTokens": 6,
            "totalTokens": 107,
        },
    ],
)
def test_the_cache_is_excluded_in_every_convention(report: Json) -> None:
    expected = {"inputTokens": 4, "outputTokens": 7, "cacheReads": 90, "cacheWrites": 6}
    assert tokens_of(report) == expected


counts = st.integers(0, 9_999)


@given(counts, counts, counts, counts, st.booleans())
def test_no_token_is_counted_twice_or_lost(
    fresh: int, out: int, reads: int, writes: int, is_within: bool
) -> None:
    total = fresh + out + reads + writes
    reported_in = fresh + reads + writes if is_within else fresh
    report = {
        "inputTokens": reported_in,
        "outputTokens": out,
        "cachedReadTokens": reads,
        "cachedWriteTokens": writes,
        "totalTokens": total,
    }
    assert sum(tokens_of(report).values()) == total


def test_the_fullest_report_of_a_reply_counts() -> None:
    rows = [{"model": "m", "token_count": {"inputTokens": 30, "cachedInputTokens": 5, "outputTokens": 4}}]
    reply = {"usage": {"inputTokens": 20, "outputTokens": 2}, "_meta": {"quota": {"model_usage": rows}}}
    assert reply_tokens(reply) == {"inputTokens": 30, "cacheReads": 5, "outputTokens": 4}
    assert reply_tokens({"_meta": {"quota": {"token_count": {"input_tokens": 12}}}}) == {"inputTokens": 12}
    assert reply_tokens({}) == {}


def test_only_gemini_counts_nothing_for_a_stream_that_broke() -> None:
    zero = {"_meta": {"quota": {"token_count": {"input_tokens": 0, "output_tokens": 0}}}}
    assert counted_nothing(zero)
    assert not counted_nothing({"usage": {"inputTokens": 0, "outputTokens": 0}})
    assert not counted_nothing({})


def test_sizes_reported_behind_each_answer_add_up_inside_a_turn() -> None:
    codex = (TOOL, TOOL_END, size(107), size(107), TOOL, TOOL_END, size(120), WORD, size(130))
    assert [event["inputTokens"] for event in reported(Usage(), *codex)] == [107, 227, 357]


def test_sizes_reported_before_and_behind_an_answer_are_of_one() -> None:
    claude = (size(100), WORD, TOOL, size(107), TOOL_END, size(120), WORD, size(130))
    assert [event["inputTokens"] for event in reported(Usage(), *claude)] == [100, 107, 227, 237]


def test_the_reply_replaces_what_was_counted_on_the_way() -> None:
    usage = Usage()
    reported(usage, size(100), WORD)
    (end,) = usage.end_turn({"inputTokens": 4, "outputTokens": 7, "cacheReads": 90})
    assert (end["inputTokens"], end["outputTokens"], end["cacheReads"]) == (4, 7, 90)


def test_a_turn_whose_reply_tells_nothing_keeps_its_count() -> None:
    usage = Usage()
    reported(usage, size(100), WORD)
    list(usage.end_turn({}))
    (second,) = reported(usage, size(150))
    assert second["inputTokens"] == 250


def test_qwen_tells_the_tokens_of_each_answer() -> None:
    answer = {"inputTokens": 100, "outputTokens": 7, "totalTokens": 107, "cachedReadTokens": 40}
    update = {"sessionUpdate": "agent_message_chunk", "_meta": {"usage": answer}}
    usage = Usage()
    events = reported(usage, update, size(100), TOOL, TOOL_END, update, size(100), *usage.end_turn({}))
    assert events[-1] | {"contextUsed": 0, "contextSize": 0} == {
        "type": "usage",
        "inputTokens": 120,
        "outputTokens": 14,
        "cacheReads": 80,
        "contextUsed": 0,
        "contextSize": 0,
    }


def test_the_built_in_agent_tells_its_sessions_tokens_as_they_come() -> None:
    def session(tokens: int) -> Json:
        return {"_meta": {"sidecar": {"usage": {"inputTokens": tokens, "outputTokens": 1}}}}

    usage = Usage()
    assert [event["inputTokens"] for event in reported(usage, session(10), session(30))] == [10, 30]
    assert list(usage.end_turn({"inputTokens": 30, "outputTokens": 1})) == []
    assert [event["inputTokens"] for event in reported(usage, session(45))] == [45]


@given(st.lists(st.sampled_from([TOOL, TOOL_END, WORD]) | st.integers(0, 500).map(size), max_size=12))
def test_a_count_inside_a_turn_is_never_below_the_context_and_never_falls(steps: list[Json]) -> None:
    events = reported(Usage(), *steps)
    counted = [event.get("inputTokens", 0) for event in events]
    assert counted == sorted(counted)
    assert all(event.get("inputTokens", 0) >= event["contextUsed"] for event in events)


def test_another_size_is_another_answer_where_sizes_come_behind_answers() -> None:
    usage = Usage()
    reported(usage, WORD, size(100), size(100), size(120), size(150))
    assert reported(usage, size(200))[-1]["inputTokens"] == 100 + 120 + 150 + 200
