from typing import Any

import pytest

from sidecar.subagents.fold import RunFold
from sidecar.subagents.fold.variables import EMITTED_BYTES


def change(call: str, status: str, *paths: str) -> dict[str, Any]:
    diffs = [{"type": "diff", "path": path, "newText": "x"} for path in paths]
    return {"type": "tool", "ts": 1, "toolCallId": call, "name": "edit", "status": status, "content": diffs}


def touched(*events: dict[str, Any]) -> list[str]:
    fold = RunFold(0)
    for event in events:
        fold.take(event)
    return fold.partial().touched_files


def test_files_of_completed_changes_are_touched_once_and_in_order() -> None:
    events = (change("1", "started", "/b"), change("1", "completed"), change("2", "completed", "/a", "/b"))
    assert touched(*events) == ["/b", "/a"]


def test_changes_that_failed_or_have_not_ended_touched_nothing() -> None:
    assert touched(change("1", "started", "/a"), change("2", "started", "/b"), change("2", "failed")) == []


@pytest.mark.parametrize("content", [None, 5, [7, {"type": "diff"}]])
def test_content_of_any_shape_is_taken(content: Any) -> None:
    assert touched({"ts": 1, "type": "tool", "name": "x", "status": "completed", "content": content}) == []


def test_a_message_cut_short_comes_before_the_newest_one() -> None:
    fold = RunFold(0)
    fold.take({"ts": 1, "type": "message", "messageId": "a", "text": "word1 "})
    fold.cut_short()
    fold.take({"ts": 1, "type": "message", "messageId": "a", "text": "word2\n"})
    assert fold.partial().final_message == "word1 word2"
    for number in (1, 2):
        fold.take({"ts": 1, "type": "message", "messageId": f"b{number}", "text": f"sum {number}"})
    assert fold.partial().final_message == "word1 word2\n\nsum 2"


def test_what_a_client_sent_is_not_what_the_run_wrote() -> None:
    fold = RunFold(0)
    fold.take({"ts": 1, "type": "message", "messageId": "a", "text": "mine"})
    fold.take({"ts": 1, "type": "message", "messageId": "u", "role": "user", "text": "yours"})
    assert fold.partial().final_message == "mine"


def test_the_newest_call_that_has_not_ended_is_named_by_its_title() -> None:
    fold = RunFold(0)
    for call, title in (("1", "Run the tests"), ("2", "Look")):
        fold.take({**change(call, "started"), "title": title})
    fold.take(change("1", "started"))
    fold.take(change("2", "completed"))
    assert fold.partial().open_tool == "Run the tests"
    fold.take(change("1", "failed"))
    assert fold.partial().open_tool is None


def test_a_call_that_a_limit_cut_short_stays_named() -> None:
    fold = RunFold(0)
    fold.take(change("1", "started"))
    fold.cut_short()
    fold.take(change("1", "failed"))
    assert fold.partial().open_tool == "edit"


def test_calls_that_never_end_are_not_kept_without_limit() -> None:
    fold = RunFold(0)
    for number in range(300):
        fold.take({**change(str(number), "started"), "title": f"call {number}"})
    for number in range(250, 300):
        fold.take(change(str(number), "completed"))
    assert fold.partial().open_tool == "call 249"
    for number in range(250):
        fold.take(change(str(number), "completed"))
    assert fold.partial().open_tool is None


def test_variables_are_kept_up_to_a_limit_of_memory() -> None:
    fold = RunFold(0)
    for number in range(EMITTED_BYTES // 100):
        fold.take({"ts": 1, "type": "emit", "name": f"v{number}", "value": None})
    kept = fold.partial().emitted_vars
    assert 10_000 < len(kept) <= EMITTED_BYTES // 200
    assert list(kept)[:2] == ["v0", "v1"]


@pytest.mark.parametrize("value", ["\ud800", ["\ud800"], 10**40, {"a": [1.5, None]}])
def test_a_variable_emitted_again_makes_room_for_its_new_value(value: Any) -> None:
    fold = RunFold(0)
    for _ in range(100):
        fold.take({"ts": 1, "type": "emit", "name": "n", "value": "x" * (EMITTED_BYTES // 2)})
    fold.take({"ts": 1, "type": "emit", "name": "n", "value": value})
    assert fold.partial().emitted_vars == {"n": value}
