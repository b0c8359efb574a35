"""Whatever types the members of messages have, every task keeps its row."""

import json
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.api.stored.tasks import Rules
from sidecar.history.stored.reading import StoredFile
from sidecar.history.stores.task_folders.files import API_FILE, ITEM_FILE, METADATA_FILE, UI_FILE, TaskFiles
from sidecar.history.stores.task_folders.rules import read_row
from sidecar.history.stores.task_folders.structural.view import TaskSource
from sidecar.rpc.transport.encoding import encode_json
from tests.history.conftest import NOW, TASK_ID

STAMP: Final = (1, 1, 1, 1)
WORDS: Final = [
    "say",
    "ask",
    "text",
    "api_req_started",
    "api_req_finished",
    "completion_result",
    "user",
    "tool",
    "api_req_failed",
    "checkpoint_saved",
    "resume_task",
    "condense_context",
    "user_cancelled",
    "streaming_failed",
    "completed",
    "delegated",
    "sidecar",
    "code",
    "image",
]
TEXTS: Final = (
    '{"tokensIn":1,"tokensOut":{},"cost":"x","cancelReason":[],"request":5}',
    '{"tool":["finishTask"]}',
    "<environment_details>\n# Current Mode\n<slug>a</slug>\n</environment_details>",
    "<task>\nx\n</task>",
    "<slug>\ud83d</slug><name>\ud83d</name>Current Workspace Directory (\ud83d) Files",
    "\ud83d \u202e\0",
)
ODD: Final[st.SearchStrategy[Any]] = st.sampled_from(
    [None, True, -1, 0.5, 1e308, [], {}, [[]], {"a": [1]}, [{"text": 5, "type": "text"}], NOW]
)
VALUES = ODD | st.sampled_from(WORDS) | st.sampled_from(TEXTS)


def records(*names: str) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.dictionaries(st.sampled_from(names), VALUES, max_size=6) | ODD, max_size=5)


UI = records("ts", "type", "say", "ask", "text", "partial", "images", "modelInfo", "contextCondense")
API = records("ts", "role", "content", "modelInfo")
ENTRY = st.dictionaries(
    st.sampled_from(
        ["ts", "task", "mode", "status", "product", "outcome", "childIds", "tokensIn", "workspace"]
    ),
    VALUES,
)
METADATA = st.dictionaries(st.sampled_from(["model_usage", "environment_history"]), VALUES)


def stored(name: str, value: object) -> StoredFile:
    return StoredFile(name, json.dumps(value).encode(), STAMP)


@pytest.mark.parametrize("rules", ["structural", "guide"])
@given(ui=UI, api=API, entry=ENTRY | st.none(), metadata=METADATA)
@settings(max_examples=80, deadline=None)
def test_odd_types_cost_no_row(rules: Rules, ui: Any, api: Any, entry: Any, metadata: Any) -> None:
    item = stored(ITEM_FILE, entry) if entry is not None else StoredFile(ITEM_FILE)
    files = TaskFiles(stored(UI_FILE, ui), stored(API_FILE, api), item, stored(METADATA_FILE, metadata))
    row = read_row(TaskSource(TASK_ID, "/root", None, files, None, None, NOW), rules)
    if rules == "structural":
        assert row.info is not None
    if row.info is not None:
        assert "internal" not in {problem.code for problem in row.info.problems}
        assert encode_json(row.info) and encode_json(row.provenance)
