"""What counts as a turn."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.subagents.fold import RunFold

Event = dict[str, Any]


def message(id: str = "m") -> Event:
    return {"type": "message", "messageId": id, "text": "x"}


def tool(status: str, id: str = "t") -> Event:
    return {"type": "tool", "toolCallId": id, "name": "look", "status": status}


THOUGHT: Event = {"type": "thought", "messageId": "h", "text": "x"}
CALL = [tool("started"), tool("completed")]


def turns(*events: Event) -> int:
    fold = RunFold(0)
    for event in events:
        fold.take({"ts": 1, **event})
    return fold.turns.count


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
    assert turns(*events) == count


@given(
    st.lists(
        st.sampled_from(
            [message("a"), message("b"), THOUGHT, *CALL, tool("started", "u"), tool("failed", "u")]
        ),
        max_size=30,
    )
)
@settings(max_examples=50)
def test_turns_never_outnumber_events(events: list[Event]) -> None:
    assert turns(*events) <= len(events)
