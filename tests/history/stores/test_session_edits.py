"""The changes that the calls of agents contain, in the words of each agent."""

import json
from typing import Any

import pytest

from sidecar.history.stores.sessions.changes.edits import MAX_TEXT, edits_of
from sidecar.history.stores.sessions.files import called_files
from sidecar.history.stores.task_folders.messages.normalize import normalize
from sidecar.history.stores.task_folders.messages.shown_edits import diff_edits

PATCH = """*** Begin Patch
*** Update File: src/a.py
@@ def one():
 same
-old
+new
@@ def two():
+more
*** Add File: src/b.py
+whole
*** Delete File: src/c.py
*** End Patch
"""


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("Edit", {"file_path": "/w/a", "old_string": "x", "new_string": "y"}, [("/w/a", "x", "y")]),
        ("edit", {"filePath": "/w/a", "oldString": "x", "newString": "y"}, [("/w/a", "x", "y")]),
        ("replace", {"file_path": "a", "old_string": "x", "new_string": ""}, [("a", "x", "")]),
        ("Write", {"file_path": "/w/a", "content": "all"}, [("/w/a", None, "all")]),
        (
            "MultiEdit",
            {
                "file_path": "a",
                "edits": [{"old_string": "1", "new_string": "2"}, 3, {"old_string": "4", "new_string": "5"}],
            },
            [("a", "1", "2"), ("a", "4", "5")],
        ),
        *(
            (
                name,
                given,
                [
                    ("src/a.py", "same\nold\n@@ def two():\n", "same\nnew\n@@ def two():\nmore\n"),
                    ("src/b.py", None, "whole\n"),
                    ("src/c.py", None, ""),
                ],
            )
            for name, given in (
                ("apply_patch", PATCH),
                ("apply_patch", {"input": PATCH}),
                ("apply_patch", {"patchText": PATCH}),
                ("shell", {"command": ["apply_patch", PATCH], "workdir": "/w"}),
                ("exec_command", {"cmd": f"cd src && apply_patch <<'EOF'\n{PATCH}EOF\nls"}),
            )
        ),
        (
            "str_replace_editor",
            {"command": "create", "path": "/w/a", "file_text": "all"},
            [("/w/a", None, "all")],
        ),
        (
            "str_replace_editor",
            {"command": "insert", "path": "/w/a", "insert_line": 3, "new_str": "more"},
            [("/w/a", "", "more")],
        ),
    ],
)
def test_a_call_tells_what_it_changed(name: str, given: object, expected: list[Any]) -> None:
    found = edits_of(name, given)
    assert found is not None
    assert [(each.path, each.old_text, each.new_text) for each in found] == expected


def test_a_deletion_is_marked() -> None:
    found = edits_of("apply_patch", PATCH)
    assert found is not None
    assert [each.path for each in found if each.deleted] == ["src/c.py"]


def test_the_lines_of_a_deleted_file_are_unknown() -> None:
    found = called_files("shell", {"command": ["apply_patch", PATCH]}, None)
    counts = {each.path: (each.additions, each.deletions) for each in found}
    assert counts == {"src/a.py": (2, 1), "src/b.py": (1, 0), "src/c.py": (None, None)}


@pytest.mark.parametrize(
    ("command", "action"),
    [("view", "read"), ("create", "created"), ("str_replace", "edited"), ("insert", "edited")],
)
def test_an_editor_does_to_a_file_what_its_command_says(command: str, action: str) -> None:
    given = {"command": command, "path": "a.py", "file_text": "x", "old_str": "x", "new_str": "y"}
    assert [each.actions for each in called_files("str_replace_editor", given, None)] == [{action}]


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("Read", {"file_path": "a", "content": "x"}),
        ("Edit", {"file_path": 1, "old_string": "x", "new_string": "y"}),
        ("Edit", {"file_path": "a", "old_string": "x", "new_string": "x"}),
        ("Edit", {"file_path": "a", "old_string": "x", "new_string": "y" * (MAX_TEXT + 1)}),
        ("Edit", {"file_path": "a", "edits": [{"edits": [{"edits": []}]}]}),
        ("Edit", None),
        (None, {"file_path": "a"}),
        ("apply_patch", {"input": "*** Update File:"}),
        ("shell", {"command": ["cat", PATCH]}),
        ("task", {"prompt": f"Call apply_patch with {PATCH}"}),
        ("str_replace_editor", {"command": "view", "path": "a", "file_text": "x"}),
    ],
)
def test_other_calls_tell_no_change(name: object, given: object) -> None:
    assert edits_of(name, given) is None


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (
            {
                "tool": "editedExistingFile",
                "path": "a.py",
                "diff": "<<<<<<< SEARCH\n:start_line:3\n-------\nold\n=======\nnew\n>>>>>>> REPLACE",
            },
            [("a.py", "old\n", "new\n")],
        ),
        (
            {
                "tool": "editedExistingFile",
                "path": "a.py",
                "diff": "--- a\n+++ b\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n",
            },
            [("a.py", "same\nold\n", "same\nnew\n")],
        ),
        ({"tool": "newFileCreated", "path": "a.py", "content": "all\n"}, [("a.py", None, "all\n")]),
        (
            {
                "tool": "Write",
                "status": "completed",
                "content": [
                    {"type": "diff", "path": "/w/a", "oldText": "x", "newText": "y"},
                    {"type": "text"},
                ],
            },
            [("/w/a", "x", "y")],
        ),
        (
            {"tool": "Write", "status": "failed", "content": [{"type": "diff", "path": "a", "newText": "y"}]},
            None,
        ),
        ({"tool": "readFile", "path": "a.py", "content": "all"}, None),
        ({"tool": "editedExistingFile", "path": "a.py", "diff": 3}, None),
    ],
)
@pytest.mark.parametrize("asked", [False, True])
def test_a_message_of_an_editor_tells_what_changed(call: Any, expected: Any, *, asked: bool) -> None:
    kind = {"type": "ask", "ask": "tool"} if asked else {"type": "say", "say": "tool"}
    mark = normalize("ui", 1, {"ts": 1, **kind, "text": json.dumps(call)}).tool
    assert mark is not None
    found = [(each.path, each.old_text, each.new_text) for each in mark.edits or ()]
    assert (found or None) == expected


@pytest.mark.timeout(20)
def test_changes_without_an_end_are_searched_once() -> None:
    diff = "<<<<<<< SEARCH\nx\n" * 100_000
    assert list(diff_edits("a.py", diff, is_new=False)) == []
