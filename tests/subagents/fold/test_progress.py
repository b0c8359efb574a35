from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.api.runs.async_tasks import Progress
from sidecar.subagents.fold import RunFold


def after(*events: dict[str, Any]) -> Progress:
    fold = RunFold(0)
    for n, event in enumerate(events):
        fold.take({"ts": n + 1, **event})
    return fold.progress()


def tool(status: str, name: str = "read", **members: Any) -> dict[str, Any]:
    return {"type": "tool", "status": status, "name": name, **members}


def message(message_id: object, text: str) -> dict[str, Any]:
    return {"type": "message", "messageId": message_id, "text": text}


def test_a_run_begins_with_nothing_done() -> None:
    assert RunFold(7).progress() == Progress(turns=0, tool_calls=0, last_activity_at=7)


def test_any_event_is_activity() -> None:
    assert after({"type": "log", "text": "x"}, {"type": "unheard-of"}).last_activity_at == 2


def test_the_current_tool_is_the_last_that_has_not_ended() -> None:
    started = [tool("started", "a", toolCallId="1"), tool("started", "b", toolCallId="2")]
    assert after(*started).current_tool == "b"
    assert after(*started, tool("completed", "b", toolCallId="2")).current_tool == "a"
    assert after(*started, tool("failed", "a", toolCallId="1")).current_tool == "b"
    ended = (tool("failed", "b", toolCallId="2"), tool("completed", "a", toolCallId="1"))
    assert (after(*started, *ended).current_tool, after(*started, *ended).tool_calls) == (None, 2)


def test_no_tool_outlives_its_run() -> None:
    running, ended = ({"type": "state", "status": status} for status in ("running", "completed"))
    assert after(running, tool("started"), running).current_tool == "read"
    assert after(running, tool("started"), ended).current_tool is None


def test_tools_without_an_id_end_by_name() -> None:
    progress = after(tool("started"), tool("started"), tool("completed"))
    assert (progress.tool_calls, progress.current_tool) == (2, "read")


def test_a_tool_reported_to_start_twice_counts_once() -> None:
    assert after(tool("started", toolCallId="1"), tool("started", toolCallId="1")).tool_calls == 1


def test_an_end_without_a_start_is_not_a_call() -> None:
    assert after(tool("completed")).tool_calls == 0


def test_the_newest_usage_counts() -> None:
    progress = after(
        {"type": "usage", "inputTokens": 5, "outputTokens": 1, "cost": 0.5},
        {"type": "usage", "inputTokens": 9, "cost": 1},
    )
    assert (progress.input_tokens, progress.output_tokens, progress.cost) == (9, 1, 1)


@pytest.mark.parametrize("wrong", ["5", None, True, [1]])
def test_usage_of_the_wrong_type_is_ignored(wrong: object) -> None:
    assert after({"type": "usage", "inputTokens": wrong, "cost": wrong}) == Progress(last_activity_at=1)


def test_pieces_of_one_message_are_one_turn_and_one_text() -> None:
    progress = after(message(1, "Hello,\n"), message(1, "wor"), message(1, "ld"))
    assert (progress.turns, progress.last_text) == (1, "Hello, world")
    assert after(message(1, "a"), message(2, "b")) == Progress(turns=2, last_activity_at=2, last_text="b")


def test_turns_are_answers_of_the_model_even_without_text() -> None:
    calls = [tool(status, toolCallId=str(n)) for n in range(6) for status in ("started", "completed")]
    assert after(*calls).turns == 6


def test_the_cache_counts_as_tokens_used_and_is_shown_apart() -> None:
    fold = RunFold(0)
    fold.take(
        {"ts": 1, "type": "usage", "inputTokens": 5, "outputTokens": 1, "cacheReads": 90, "cacheWrites": 4}
    )
    progress = fold.progress()
    assert (progress.input_tokens, progress.cache_reads, progress.cache_writes) == (5, 90, 4)
    assert fold.usage.tokens == 100


def test_a_full_context_is_a_lower_bound_of_the_tokens_used() -> None:
    fold = RunFold(0)
    fold.take({"ts": 1, "type": "usage", "contextUsed": 700})
    fold.take({"ts": 2, "type": "usage", "inputTokens": 5, "contextUsed": 300})
    assert fold.usage.tokens == 700


def test_a_repeated_request_shows_until_the_next_event() -> None:
    retry = {"type": "log", "stream": "agent", "text": "x", "retrying": {"attempt": 2, "text": "429"}}
    shown = after(retry).retrying
    assert shown is not None
    assert (shown.attempt, shown.text) == (2, "429")
    assert after(retry, message(1, "back")).retrying is None
    assert after({**retry, "retrying": "often"}).retrying is None


def test_the_last_text_is_one_short_line() -> None:
    text = after(message(1, "x" * 300 + "\n\n" + "y" * 150)).last_text
    assert text == "x" * 49 + " " + "y" * 150
    assert after(message(1, " done\n")).last_text == "done"
    assert after(message(1, "\n")).last_text is None


EVENTS = st.lists(
    st.one_of(
        st.builds(tool, st.sampled_from(["started", "completed", "failed"]), st.sampled_from("abc")),
        st.builds(message, st.integers(0, 2), st.text(max_size=300)),
        st.fixed_dictionaries({"type": st.sampled_from(["usage", "plan"]), "cost": st.none() | st.floats()}),
    ),
    max_size=30,
)


@given(EVENTS)
def test_the_state_stays_bounded_and_true(events: list[dict[str, Any]]) -> None:
    progress = after(*events)
    assert progress.tool_calls == sum(event.get("status") == "started" for event in events)
    assert len(progress.last_text or "") <= 200
    assert "\n" not in (progress.last_text or "")
    assert progress.current_tool is None or "started" in {event.get("status") for event in events}


def unmet(wanted: str, **members: Any) -> dict[str, Any]:
    return {"type": "log", "text": "x", "unmet": {"kind": "model", "wanted": wanted, **members}}


def test_unmet_requests_are_kept_each_with_its_newest_report_and_bounded() -> None:
    kept = after(unmet("a"), unmet("b"), unmet("a", inForce="c"), {"type": "log", "text": "y"}).unmet
    assert kept is not None
    assert [(each.wanted, each.in_force) for each in kept] == [("a", "c"), ("b", None)]
    assert len(after(*(unmet(str(n)) for n in range(50))).unmet or ()) == 20
    assert after({"type": "log", "text": "x", "unmet": {"kind": "?"}}).unmet is None
