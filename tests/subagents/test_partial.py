from typing import Any

import pytest

from sidecar.subagents.partial import PartialFold


def change(call: str, status: str, *paths: str) -> dict[str, Any]:
    diffs = [{"type": "diff", "path": path, "newText": "x"} for path in paths]
    return {"type": "tool", "toolCallId": call, "name": "edit", "status": status, "content": diffs}


def touched(*events: dict[str, Any]) -> list[str]:
    fold = PartialFold()
    for event in events:
        fold.take(event)
    return fold.result().touched_files


def test_files_of_completed_changes_are_touched_once_and_in_order() -> None:
    events = (change("1", "started", "/b"), change("1", "completed"), change("2", "completed", "/a", "/b"))
    assert touched(*events) == ["/b", "/a"]


def test_changes_that_failed_or_have_not_ended_touched_nothing() -> None:
    assert touched(change("1", "started", "/a"), change("2", "started", "/b"), change("2", "failed")) == []


@pytest.mark.parametrize("content", [None, 5, [7, {"type": "diff"}]])
def test_content_of_any_shape_is_taken(content: Any) -> None:
    assert touched({"type": "tool", "name": "x", "status": "completed", "content": content}) == []
