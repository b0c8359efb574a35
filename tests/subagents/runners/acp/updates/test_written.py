"""New files that opencode writes without a permission request."""

from typing import Any

import pytest

from sidecar.changes.file_change import FileChange
from sidecar.changes.fold import ChangesFold
from sidecar.subagents.runners.acp.updates.events import SessionEvents

Json = dict[str, Any]

GIVEN: Json = {"filePath": "/ws/a.txt", "content": "1\n2\n3\n"}


def write(status: str, **members: Any) -> Json:
    return {"sessionUpdate": "tool_call_update", "toolCallId": "w", "status": status, **members}


def ended(given: Any, result: Any) -> tuple[FileChange, ...]:
    events, changes = SessionEvents(), ChangesFold("/ws")
    text = [{"type": "content", "content": {"type": "text", "text": "Wrote file successfully."}}]
    started = write("in_progress", kind="edit", rawInput=given, locations=[{"path": "/ws/a.txt"}])
    for update in (started, write("completed", rawOutput=result, content=text)):
        for event in events.take(update):
            changes.take(event)
    return changes.files()


def test_a_file_that_did_not_exist_counts_its_lines() -> None:
    (file,) = ended(GIVEN, {"metadata": {"exists": False}})
    assert (file.path, sorted(file.actions), file.additions, file.deletions) == ("a.txt", ["created"], 3, 0)


@pytest.mark.parametrize(
    ("given", "result"),
    [
        (GIVEN, {"metadata": {"exists": True}}),
        (GIVEN, {"metadata": {}}),
        (GIVEN, {"metadata": 5}),
        (GIVEN, "Wrote file successfully."),
        ({"filePath": "/ws/a.txt"}, {"metadata": {"exists": False}}),
        ({**GIVEN, "content": 5}, {"metadata": {"exists": False}}),
        ("1", {"metadata": {"exists": False}}),
    ],
)
def test_the_lines_of_any_other_write_without_a_diff_are_unknown(given: Any, result: Any) -> None:
    (file,) = ended(given, result)
    assert (file.path, sorted(file.actions), file.additions) == ("a.txt", ["edited"], None)
