"""Calls of Codex that failed change no file, and their results say so."""

import json
from pathlib import Path
from typing import Any

import pytest

from sidecar.history import TaskHistory, insight
from tests.history.conftest import NOW

Json = dict[str, Any]
SESSION = "01a22615-247c-7291-92c2-d3f0c472606b"
PATCH = "*** Begin Patch\n*** Update File: {}\n@@\n-a\n+b\n+c\n*** End Patch"
SHELL = "Chunk ID: 2cc4e5\nWall time: 0.0 seconds\nProcess exited with code {}\nOutput:\n"
APPLIED = "Wall time: 0.0000 seconds\nOutput:\nExit code: {}\nWall time: 0.3 seconds\nOutput:\nExit code: 1\n"


def item(kind: str, **payload: Any) -> Json:
    return {"timestamp": "2026-04-15T10:00:01.000Z", "type": kind, "payload": payload}


def called(number: int, output: object, *between: Json) -> list[Json]:
    """Return a call that changes a file of its own, and its result."""
    call = {"type": "custom_tool_call", "name": "apply_patch", "call_id": f"call_{number}"}
    given = PATCH.format(f"{number}.py")
    result = {"type": "custom_tool_call_output", "call_id": f"call_{number}", "output": output}
    return [item("response_item", **call, input=given), *between, item("response_item", **result)]


def changed(history: TaskHistory) -> list[tuple[str, int | None, int | None]]:
    found = insight.files(history, SESSION).files
    return [(each.path, each.additions, each.deletions) for each in found]


def opened(tmp_path: Path, lines: list[Json]) -> TaskHistory:
    path = tmp_path / "root/sessions/2026/04/15" / f"rollout-2026-04-15T10-00-00-{SESSION}.jsonl"
    path.parent.mkdir(parents=True)
    head = [
        item("session_meta", id=SESSION, timestamp="2026-04-15T10:00:00.000Z", cwd="/w"),
        item("event_msg", type="user_message", message="Change it."),
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in [*head, *lines]))
    return TaskHistory([tmp_path / "root"], now=lambda: NOW)


FAILED = [
    "apply_patch verification failed: Failed to find expected lines in /w/1.py:\na",
    "patch rejected by user",
    "writing outside of the project; rejected by user approval settings",
    "aborted by user after 3.2s",
    SHELL.format(1),
    APPLIED.format(1),
    "Exit code: 127\nWall time: 0 seconds\nOutput:\n",
    json.dumps({"output": "no", "metadata": {"exit_code": 1}}),
    {"content": "no", "success": False},
]
DONE = [
    SHELL.format(0),
    APPLIED.format(0),
    "Success. Updated the following files:\nM 1.py\n",
    json.dumps({"output": "ok", "metadata": {"exit_code": 0}}),
    "The test says: rejected by user\nExit code 3",
    ["ok"],
]


@pytest.mark.parametrize("output", FAILED, ids=range(len(FAILED)))
def test_a_failed_change_is_not_counted(tmp_path: Path, output: object) -> None:
    history = opened(tmp_path, [*called(1, output), *called(2, DONE[0])])
    assert changed(history) == [("2.py", 2, 1)]
    marks = [each.tool for each in history.messages(SESSION).messages if each.kind == "tool_result"]
    assert [mark.status for mark in marks if mark is not None] == ["error", "ok"]


@pytest.mark.parametrize("output", DONE, ids=range(len(DONE)))
def test_a_change_that_was_made_is_counted(tmp_path: Path, output: object) -> None:
    history = opened(tmp_path, called(1, output))
    assert changed(history) == [("1.py", 2, 1)]


@pytest.mark.parametrize("status", ["failed", "declined"])
def test_a_change_that_its_item_says_was_not_made_is_not_counted(tmp_path: Path, status: str) -> None:
    change = {"type": "FileChange", "id": "call_1", "status": status, "changes": {}}
    event = item("event_msg", type="item_completed", item=change)
    assert changed(opened(tmp_path, called(1, "", event))) == []


def test_a_change_that_its_event_says_was_not_made_is_not_counted(tmp_path: Path) -> None:
    event = item("event_msg", type="patch_apply_end", call_id="call_1", success=False)
    assert changed(opened(tmp_path, called(1, "", event))) == []
