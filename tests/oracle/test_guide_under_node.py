"""The `guide` rules give what the guide gives under Node on the same bytes."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidecar.api.stored.tasks import Mode, TaskInfo, TokenUsage
from sidecar.history.listing.text import format_tasks, matches_filter
from sidecar.history.stores.task_folders.guide import extract as guide
from sidecar.history.stores.task_folders.ids import is_uuid
from sidecar.javascript.values import well_formed
from tests.oracle import messages, traps
from tests.oracle.conftest import Oracle, as_json

TRAPS = traps.traps()
WHOLE = {name: (ui, api) for name, (ui, api) in TRAPS.items() if ui is not None and api is not None}
FILTERS = [
    "",
    "completed",
    "ACTIVE",
    "code",
    "ABCD",
    "no such task",
    "<task",
    "h\u212aello",
    "日本",
]


@pytest.fixture(autouse=True)
def utc() -> Iterator[None]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = "UTC"
    time.tzset()
    yield
    os.environ.pop("TZ") if before is None else os.environ.update(TZ=before)
    time.tzset()


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("traps")
    traps.write_root(path, TRAPS)
    return path


def ours(ui: bytes, api: bytes) -> dict[str, Any] | None:
    fields = guide.extract("", ui, api, traps.NOW_MS)
    return None if fields is None else as_json(fields)


def info(task_id: str, fields: guide.GuideFields) -> TaskInfo:
    return TaskInfo(
        id=task_id,
        title=fields.title,
        status=fields.status,
        created_at=fields.created_at,
        last_activity=fields.last_activity,
        duration=fields.duration,
        mode=Mode(current=fields.mode_current, name=fields.mode_name),
        token_usage=TokenUsage(total=fields.tokens_total, cost=fields.cost),
        message_count=fields.message_count,
        workspace_dir=fields.workspace_dir,
        outcome="unknown",
        root="",
        product="roo",
        size_bytes=0,
        problems=[],
    )


def listed(root: Path) -> list[TaskInfo]:
    """Walk a root by the guide's rules."""
    tasks = []
    for folder in sorted((root / "tasks").iterdir(), key=lambda path: os.fsencode(path.name)):
        files = [folder / "ui_messages.json", folder / "api_conversation_history.json"]
        if is_uuid(folder.name) and all(file.is_file() for file in files):
            ui, api = (file.read_bytes() for file in files)
            fields = guide.extract(folder.name, ui, api, traps.NOW_MS)
            if fields is not None:
                tasks.append(info(folder.name, fields))
    return guide.sort(tasks)


def node_keeps(task: dict[str, Any] | None) -> dict[str, Any] | None:
    return task and {name: value for name, value in task.items() if name != "id"}


@pytest.mark.parametrize("name", [name for name in WHOLE if not name.startswith("odd-")])
def test_a_trap_is_judged_as_by_node(oracle: Oracle, name: str) -> None:
    task, _ = oracle.judge(*WHOLE[name])
    assert ours(*WHOLE[name]) == node_keeps(task)


@pytest.mark.parametrize("place", traps.PLACES)
def test_odd_values_are_judged_as_by_node_in_every_place(oracle: Oracle, place: str) -> None:
    odd = {name: files for name, files in WHOLE.items() if name.startswith(f"odd-{place}-")}
    judged = {name: node_keeps(oracle.judge(*files)[0]) for name, files in odd.items()}
    assert {name: ours(*files) for name, files in odd.items()} == judged


def test_the_corpus_holds_listed_and_dropped_tasks_of_every_status(root: Path) -> None:
    tasks = listed(root)
    assert len(tasks) > 300 and len(TRAPS) - len(tasks) > 100
    assert {task.status for task in tasks} == {"active", "completed", "failed", "abandoned", "unknown"}


def test_a_root_is_listed_in_the_order_of_node(oracle: Oracle, root: Path) -> None:
    assert [task.id for task in listed(root)] == [task["id"] for task in oracle.list(root)]


@pytest.mark.parametrize("filter", FILTERS)
def test_the_text_of_a_root_is_nodes_to_the_byte(oracle: Oracle, root: Path, filter: str) -> None:
    kept = [task for task in listed(root) if not filter or matches_filter(task, filter, "guide")]
    assert format_tasks(kept, filter, "guide").encode() == oracle.text(root, filter)


@pytest.mark.parametrize("filter", ["", "x"])
def test_the_text_of_an_empty_root_is_nodes(oracle: Oracle, tmp_path: Path, filter: str) -> None:
    assert format_tasks([], filter, "guide").encode() == oracle.text(tmp_path, filter)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=messages.files())
def test_random_messages_are_judged_and_printed_as_by_node(
    oracle: Oracle, files: tuple[bytes, bytes]
) -> None:
    task, text = oracle.judge(*files)
    fields = guide.extract("", *files, traps.NOW_MS)
    assert ours(*files) == node_keeps(task)
    if fields is not None and text is not None:
        head = f"Available Tasks:\n\nTotal: 1 tasks (1 {fields.status})\n\n"
        assert format_tasks([info("", fields)], None, "guide") == well_formed(head + text)


@pytest.mark.parametrize(
    "files",
    [
        pytest.param(messages.spelt_files(), id="words-in-every-spelling", marks=pytest.mark.slow),
        pytest.param(messages.damaged_files(), id="damaged"),
    ],
)
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_odd_files_are_judged_as_by_node(
    oracle: Oracle, files: st.SearchStrategy[tuple[bytes, bytes]], data: st.DataObject
) -> None:
    pair = data.draw(files)
    assert ours(*pair) == node_keeps(oracle.judge(*pair)[0])


@pytest.mark.parametrize("word", ["error", r"\u0065rror", "Error", r"\u20aFailed"])
def test_no_depth_hides_a_word(oracle: Oracle, word: str) -> None:
    depths = [*range(940, 1_040, 3), 1_500, 2_100]
    nested = [b"[" * depth + f'"{word}"'.encode() + b"]" * depth for depth in depths]
    pairs = [(b'[{"ts":1,"x":' + value + b"}]", traps.GOOD_API) for value in nested]
    pairs += [
        (traps.GOOD_UI, b'[{"role":"user","content":[{"content":' + value + b"}]}]") for value in nested
    ]
    judged = [node_keeps(oracle.judge(*pair)[0]) for pair in pairs]
    assert [ours(*pair) for pair in pairs] == judged
