"""What a run says, as text."""

from typing import Any

import pytest

from sidecar.subagents.fold.messages import LiveText


def shown(*events: dict[str, Any]) -> str:
    live = LiveText()
    return "".join(live.take(event) for event in events)


def message(id: str, text: Any, **more: Any) -> dict[str, Any]:
    return {"type": "message", "messageId": id, "text": text, **more}


def test_the_pieces_of_a_message_make_the_message() -> None:
    assert shown(message("a", "one "), message("a", "two")) == "one two"


def test_each_message_begins_on_a_line_of_its_own() -> None:
    assert shown(message("a", "one"), message("b", "two\n"), message("c", "three")) == "one\ntwo\nthree"


@pytest.mark.parametrize(
    "event",
    [
        {"type": "thought", "text": "hm"},
        {"type": "log", "text": "x"},
        message("a", "continue", role="user"),
        message("a", None),
        message("a", ""),
        {},
    ],
)
def test_nothing_else_is_text(event: dict[str, Any]) -> None:
    assert shown(event) == ""
