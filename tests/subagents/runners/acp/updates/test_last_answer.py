"""Whether the model answered the last tool's result."""

from typing import Any

import pytest

from sidecar.subagents.runners.acp.updates.events import LastAnswer

CALL = {"type": "tool", "status": "started"}
RESULT = {"type": "tool", "status": "completed"}
WORD = {"type": "message", "text": "hi"}
BLANK = {"type": "message", "text": " \n"}
SIZE: dict[str, Any] = {}


@pytest.mark.parametrize(
    ("steps", "is_missing"),
    [
        ([SIZE, CALL, RESULT], True),
        ([SIZE, CALL, RESULT, BLANK], True),
        ([SIZE, CALL, RESULT, WORD], False),
        ([SIZE, CALL, RESULT, SIZE], False),
        ([SIZE, CALL, RESULT, CALL], False),
        ([SIZE, CALL, WORD, RESULT], False),
        ([CALL, RESULT], False),
        ([SIZE, WORD], False),
        ([], False),
    ],
)
def test_it_is_missing_only_where_sizes_tell_that_nothing_came(
    steps: list[dict[str, Any]], is_missing: bool
) -> None:
    answer = LastAnswer()
    for step in steps:
        if step:
            answer.take(step)
        else:
            answer.count()
    assert answer.is_missing is is_missing
    answer.begin_turn()
    assert not answer.is_missing
