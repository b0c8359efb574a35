import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.api.stored.tasks import TaskInfo
from sidecar.changes.file_change import FileChange
from sidecar.history.messages.file_lookup import fits_part, fits_path
from sidecar.history.stores.task_folders.messages.folder_files import FolderFiles
from sidecar.history.stores.task_folders.messages.touched import touched_files
from tests.history.conftest import NOW, TASK_ID, Store

Make = Callable[..., dict[str, Any]]


def parts(*messages: object) -> list[bytes]:
    return [json.dumps(message, ensure_ascii=False).encode() for message in messages]


def files(
    ui: list[bytes] | None = None, api: list[bytes] | None = None, metadata: object = None
) -> dict[str, tuple[list[str], float | None]]:
    found = touched_files(ui or [], api or [], json.dumps(metadata).encode() if metadata else None)
    return {file.path: (sorted(file.actions), file.at) for file in found}


def test_ui_messages_show_touched_files_by_their_tools(ask: Make, say: Make) -> None:
    def tool(name: str, **more: object) -> str:
        return json.dumps({"tool": name, **more})

    found = files(
        ui=parts(
            ask("tool", tool("readFile", path="src/a.py"), ts=NOW),
            ask("tool", tool("appliedDiff", path=".\\src\\a.py"), ts=NOW + 5),
            say("tool", tool("newFileCreated", path="b.md"), ts=NOW),
            ask("tool", tool("readFile", batchFiles=[{"path": "c"}, {"path": "d"}, 3]), ts=NOW),
            ask("tool", tool("listFilesTopLevel", path="src"), ts=NOW),
            say("text", '{"tool":"readFile","path":"quoted.py"}'),
        )
    )
    assert found == {
        "src/a.py": (["edited", "read"], NOW + 5),
        "b.md": (["created"], NOW),
        "c": (["read"], NOW),
        "d": (["read"], NOW),
    }


def test_tool_calls_show_touched_files_in_blocks_and_in_tags() -> None:
    blocks = [
        {"type": "tool_use", "name": "write_to_file", "input": {"path": "a"}},
        {"type": "tool_use", "name": "read_file", "input": {"files": [{"path": "b"}]}},
        {"type": "tool_use", "name": "list_files", "input": {"path": "src"}},
        {"type": "tool_use", "name": "apply_patch", "input": {"patch": "*** Add File: c d\n+x"}},
        {"type": "text", "text": "<apply_diff>\n<path>e</path>\n<diff>"},
    ]
    found = files(api=parts({"role": "assistant", "content": blocks}))
    assert {path: actions for path, (actions, _) in found.items()} == {
        "a": ["edited"],
        "b": ["read"],
        "c d": ["created"],
        "e": ["edited"],
    }


def test_what_the_user_pastes_is_not_a_call() -> None:
    assert files(api=parts({"role": "user", "content": "<read_file>\n<path>x</path>"})) == {}


def test_metadata_names_touched_files_with_dates() -> None:
    record = {"path": "a.py", "record_source": "roo_edited", "roo_edit_date": NOW, "roo_read_date": 5}
    found = files(metadata={"files_in_context": [record, {"path": "b.py"}, {"path": 3}, "x"]})
    assert found == {"a.py": (["edited"], NOW), "b.py": (["mentioned"], None)}


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["path", "tool", "text", "say", "role", "content", "type", "name", "input", "files", "ts"]
            ),
            inner | st.sampled_from(["tool", "assistant", "tool_use", "read_file"]),
            max_size=5,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=100)
@given(st.lists(JSON, max_size=4), JSON)
def test_odd_values_are_ignored(messages: list[object], metadata: object) -> None:
    found = files(parts(*messages), parts(*messages), {"files_in_context": metadata, "path": 1})
    assert all(isinstance(path, str) for path in found)


@pytest.fixture
def task(store: Store, say: Make) -> TaskInfo:
    store.write(ui=[say("text", "x")], api=[], history_item={"id": TASK_ID, "workspace": "C:\\Shop"})
    return store.task()


@pytest.mark.parametrize(
    ("path", "recorded", "fits"),
    [
        ("c:/shop/src/a.py", "src/a.py", True),
        ("C:\\Shop\\src\\a.py", "src/a.py", True),
        ("c:/other/src/a.py", "src/a.py", False),
        ("a.py", "src/a.py", True),
        ("src/a.py", "src/a.py", True),
        ("./src/a.py", "src/a.py", True),
        ("a.py", "src/data.py", False),
        ("/abs/a.py", "/abs/a.py", True),
        ("/abs/a.py", "/else/a.py", False),
    ],
)
def test_a_path_fits_the_same_file_only(task: TaskInfo, path: str, recorded: str, fits: bool) -> None:
    assert fits_path(path)(FileChange(recorded, frozenset({"read"})), task) is fits


def test_a_part_fits_anywhere_in_the_whole_path(task: TaskInfo) -> None:
    file = FileChange("src/Login.py", frozenset({"read"}))
    assert fits_part("login")(file, task) and fits_part("shop/src")(file, task)
    assert not fits_part("logout")(file, task)


def reading(path: str) -> str:
    return json.dumps({"tool": "readFile", "path": path})


@pytest.mark.parametrize("path", ["src/a.py", "Ünï.md", "日本.md", "日本", 'odd"name.txt', "dir\\sub.txt"])
def test_a_query_finds_the_tasks_that_touched_a_file(store: Store, ask: Make, path: str) -> None:
    store.write(ui=[ask("tool", reading(path))], api=[])
    start = path.upper().partition('"')[0]
    assert len(store.history.list(query=f'file:"{start}"')) == 1
    assert store.history.list(query="file:elsewhere") == []


def test_words_in_the_messages_touch_nothing(store: Store, say: Make) -> None:
    store.write(ui=[say("text", "please open needle.py")], api=[])
    assert store.history.list(query="file:needle.py") == []


def test_a_name_across_two_pieces_is_found(store: Store, ask: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sidecar.history.stores.task_folders.messages.folder_files.PIECE", 5)
    store.write(ui=[ask("tool", reading("some/needle.py"))], api=[])
    rows = store.history.list()
    assert [*store.history.files.candidates(["needle.py"], rows)] == rows
    assert [*store.history.files.candidates(["noodle.py"], rows)] == []


def test_files_are_remembered_until_the_task_changes(store: Store, ask: Make) -> None:
    lookup, folder = FolderFiles(), str(store.write(ui=[ask("tool", reading("a.py"))], api=[]))
    assert lookup.files(folder) is lookup.files(folder)
    store.write(ui=[ask("tool", reading("longer.py"))], api=[])
    assert [file.path for file in lookup.files(folder)] == ["longer.py"]
