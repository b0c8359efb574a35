"""What the end of a turn means."""

from itertools import count
from typing import Any

import pytest

from sidecar.subagents.runners.acp.dialogue import Prompt
from sidecar.subagents.runners.acp.results import model_error_of_turn
from sidecar.subagents.runners.acp.updates.events import SessionEvents

Json = dict[str, Any]
SIZE = {"sessionUpdate": "usage_update", "used": 500, "size": 1000}
CALL = {"sessionUpdate": "tool_call", "toolCallId": "a", "title": "Look", "kind": "read", "status": "pending"}
RESULT = {"sessionUpdate": "tool_call_update", "toolCallId": "a", "status": "completed"}
LATER = {"sessionUpdate": "usage_update", "used": 600, "size": 1000}


@pytest.mark.parametrize(
    ("updates", "counts_answers", "kind"),
    [
        ([SIZE, CALL, RESULT], True, "network"),
        ([SIZE, CALL, RESULT], False, None),
        ([SIZE, CALL, RESULT, LATER], True, None),
    ],
)
def test_a_tool_result_without_an_answer_is_a_failure_of_agents_that_count_answers(
    updates: list[Json], counts_answers: bool, kind: str | None
) -> None:
    ids = count(1)
    events = SessionEvents(lambda: f"m{next(ids)}")
    for update in updates:
        list(events.take(update))

    error = model_error_of_turn("end_turn", {}, events, Prompt("look"), counts_answers=counts_answers)

    assert (error and error.kind) == kind


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("/nosuch now", "it may not know the command /nosuch"),
        ("look", "check its model and key"),
        ("", "check its model and key"),
    ],
)
def test_a_turn_without_anything_names_the_command_that_the_agent_may_not_know(
    prompt: str, words: str
) -> None:
    error = model_error_of_turn("end_turn", {}, SessionEvents(), Prompt(prompt))
    assert error is not None
    assert words in error.text
