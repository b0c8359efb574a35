"""The last turn of an agent: two answers of its model, and no more."""

from typing import Any

from sidecar.subagents.runners.acp.turn import LastTurn

Json = dict[str, Any]


def tool(call: str, status: str = "started") -> Json:
    return {"type": "tool", "toolCallId": call, "name": "x", "status": status}


def word(message: str) -> Json:
    return {"type": "message", "messageId": message, "text": "x"}


def test_one_round_of_tools_and_a_summary_are_let_be() -> None:
    turn = LastTurn()
    steps = [word("a"), tool("1"), tool("2"), tool("1", "failed"), tool("2", "failed"), word("b"), word("b")]
    assert not any(turn.take(step) for step in steps)


def test_a_tool_in_the_second_answer_ends_the_turn_once() -> None:
    turn = LastTurn()
    assert [turn.take(step) for step in (tool("1"), tool("1", "completed"), tool("2"), tool("3"))] == [
        False,
        False,
        True,
        False,
    ]


def test_a_third_answer_ends_the_turn() -> None:
    turn = LastTurn()
    assert [turn.take(word(name)) for name in "abc"] == [False, False, True]
