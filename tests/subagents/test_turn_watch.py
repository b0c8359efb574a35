"""What counts as a turn."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.subagents.turn_watch import TurnWatch

Event = dict[str, Any]


def message(id: str = "m") -> Event:
    return {"type": "message", "messageId": id, "text": "x"}


def tool(status: str, id: str = "t") -> Event:
    return {"type": "tool", "toolCallId": id, "name": "look", "status": status}


THOUGHT: Event = {"type": "thought", "messageId": "h", "text": "x"}
CALL = [tool("started"), tool("completed")]


def turns(*events: Event, limit: int | None = None) -> tuple[int, int]:
    calls = list[int]()
    watch = TurnWatch(limit, lambda: calls.append(1))
    for event in events:
        watch.take(event)
    return watch.turns, len(calls)


@pytest.mark.parametrize(
    ("events", "count"),
    [
        ([], 0),
        ([message(), message()], 1),
        ([message("a"), message("b")], 2),
        ([THOUGHT, message(), *CALL], 1),
        ([THOUGHT, *CALL, message()], 2),
        ([*CALL, *CALL], 2),
        ([tool("started", "a"), tool("started", "b"), tool("completed", "a"), tool("completed", "b")], 1),
        ([tool("started", "a"), tool("started", "a"), tool("failed", "a"), THOUGHT], 2),
        ([{"type": "usage", "inputTokens": 1}, {"type": "emit", "name": "a", "value": 1}], 0),
        ([{**message(), "role": "user"}], 0),
    ],
)
def test_a_turn_is_one_answer_of_the_model_as_far_as_events_show(events: list[Event], count: int) -> None:
    assert turns(*events)[0] == count


def test_the_turn_after_the_last_one_allowed_is_told() -> None:
    assert turns(*CALL, *CALL, limit=2) == (2, 0)
    assert turns(*CALL, *CALL, message(), limit=2) == (3, 1)


@given(
    st.lists(
        st.sampled_from(
            [message("a"), message("b"), THOUGHT, *CALL, tool("started", "u"), tool("failed", "u")]
        ),
        max_size=30,
    ),
    st.integers(1, 5),
)
@settings(max_examples=50)
def test_turns_never_outnumber_events_and_are_told_exactly_beyond_the_limit(
    events: list[Event], limit: int
) -> None:
    count, told = turns(*events, limit=limit)
    assert count <= len(events)
    assert told == max(0, count - limit)
