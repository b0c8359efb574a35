"""What another agent reads about an ended run."""

from typing import Any

import pytest

from sidecar.subagents.fold import replay
from sidecar.subagents.fold.replay import Replay, replay_prompt


def transcript(*events: dict[str, Any]) -> str:
    fold = Replay()
    for event in events:
        fold.take(event)
    return fold.text()


def message(text: str, id: str = "a", **more: str) -> dict[str, Any]:
    return {"type": "message", "messageId": id, "text": text, **more}


def test_messages_tools_and_outputs_appear_in_their_order() -> None:
    tool = {"type": "tool", "toolCallId": "1", "name": "edit", "title": "Write a\nfile"}
    events = (
        message("I "),
        message("begin"),
        {"type": "thought", "messageId": "t", "text": "hmm"},
        {**tool, "status": "started"},
        {**tool, "status": "completed"},
        message("more?", "b", role="user"),
        message("done", "c"),
        {"type": "emit", "name": "n", "value": 3},
    )
    assert transcript(*events) == (
        "Agent: I begin\n[tool] Write a file: completed\nUser: more?\nAgent: done\n[output] n = 3"
    )


def test_a_long_run_keeps_its_end_and_names_the_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "REPLAY_CHARS", 10)
    assert transcript(message("x" * 30 + "the end")) == "[the first 35 characters are cut]\nxxxthe end"


def test_the_prompt_says_where_to_continue() -> None:
    assert replay_prompt("do it", "Agent: hi", None).endswith("</transcript>\n\nContinue where it ended.")
    assert replay_prompt("do it", "", "now this").endswith("(no output yet)\n\nnow this")


def test_a_run_that_did_nothing_begins_again() -> None:
    assert replay_prompt("do it", "", None) == "do it"
