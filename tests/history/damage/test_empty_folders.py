"""Folders without a message file and without a list entry are not tasks: nothing lists or counts them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.api.errors import TaskNotFound
from sidecar.api.stored.stats import StatsParams
from sidecar.history import TaskHistory, insight
from sidecar.history.search.build import current_versions
from tests.history.conftest import NOW, TASK_ID, Store

Make = Callable[..., dict[str, Any]]
EPOCH_ID = "1770000000000"


@pytest.fixture
def bare(store: Store) -> Path:
    folder = store.path / "tasks" / TASK_ID
    folder.mkdir(parents=True)
    return folder


@pytest.mark.parametrize("left", [None, "checkpoints", "ui_messages.json.lock"])
def test_an_empty_folder_is_not_listed_counted_or_opened(store: Store, bare: Path, left: str | None) -> None:
    if left is not None:
        (bare / left).mkdir()
    page = store.history.page()
    assert (page.items, page.total, page.matched, page.counts) == ([], 0, 0, {})
    assert store.history.list(rules="guide") == [] and store.history.known == 0
    assert insight.stats(store.history, StatsParams(), "structural").totals.tasks == 0
    assert current_versions(str(store.path)) == {}
    for ask in (store.history.get, store.history.messages, store.history.resolve):
        with pytest.raises(TaskNotFound):
            ask(TASK_ID)


def test_an_empty_folder_makes_no_prefix_ambiguous(store: Store, bare: Path, say: Make) -> None:
    other = TASK_ID[:-1] + "e"
    store.write(ui=[say("text", "x")], task_id=other)
    assert store.history.get(TASK_ID[:8])[0].id == other
    assert bare.is_dir()


@pytest.mark.parametrize("name", ["ui_messages.json", "api_conversation_history.json", "history_item.json"])
def test_any_file_of_a_task_keeps_the_folder_listed(store: Store, bare: Path, name: str) -> None:
    (bare / name).write_bytes(b"")
    task = store.task()
    assert task.problems and store.history.get(TASK_ID)[0] == task


def test_a_name_that_is_not_a_file_keeps_the_folder_listed(store: Store, bare: Path) -> None:
    (bare / "ui_messages.json").symlink_to(bare / "gone")
    assert [problem.code for problem in store.task().problems] == ["notRegular", "empty"]


@pytest.mark.parametrize("place", ["state/taskHistory.json", "tasks/_index.json", "global-state.json"])
def test_an_entry_in_the_products_list_keeps_the_folder_listed(store: Store, bare: Path, place: str) -> None:
    entries = [{"id": TASK_ID, "task": "Do it", "ts": NOW}]
    path = store.path / place
    path.parent.mkdir(exist_ok=True)
    forms = {"tasks/_index.json": {"entries": entries}, "global-state.json": {"taskHistory": entries}}
    path.write_text(json.dumps(forms.get(place, entries)))
    assert (store.task().title, [it.code for it in store.task().problems]) == ("Do it", ["missing"])
    path.unlink()
    assert store.history.list() == [] and bare.is_dir()


def test_a_folder_becomes_a_task_with_its_first_file_and_ceases_to_be_one(
    store: Store, bare: Path, say: Make
) -> None:
    assert store.history.list() == []
    store.write(ui=[say("text", "x")])
    assert [store.history.refresh().added, store.task().title] == [[TASK_ID], "x"]
    (bare / "ui_messages.json").unlink()
    assert store.history.refresh().removed == [TASK_ID]


def test_an_index_remembers_that_a_folder_is_empty(
    store: Store, bare: Path, tmp_path: Path, say: Make
) -> None:
    store.write(ui=[say("text", "x")], task_id=EPOCH_ID)
    for _ in range(2):
        history = TaskHistory([store.path], now=lambda: NOW, cache=tmp_path / "cache")
        assert [task.id for task in history.list()] == [EPOCH_ID]
        history.close()
    assert bare.is_dir()


def test_empty_arrays_in_both_files_are_a_problem(store: Store) -> None:
    store.write(ui=[], api=[])
    (found,) = store.task().problems
    reported = "ui_messages.json and api_conversation_history.json hold an empty array"
    assert (found.code, found.message) == ("empty", reported)


def test_an_empty_array_alone_is_a_problem(store: Store) -> None:
    store.write(ui=[])
    assert [it.code for it in store.task().problems] == ["empty"]
    store.write(ui=[], history_item={"id": TASK_ID, "task": "Do it"})
    assert [it.code for it in store.task().problems] == ["empty"]


def test_an_empty_array_next_to_messages_is_none(store: Store, say: Make) -> None:
    store.write(ui=[say("text", "x")], api=[])
    assert store.task().problems == []


def test_a_file_of_another_program_says_so_and_has_no_usage(store: Store) -> None:
    store.write(ui=[{"timestamp": "2025-08-01", "author": "user", "text": "Hello"}])
    task = store.task()
    assert ([it.code for it in task.problems], task.token_usage) == (["malformed"], None)
    assert "another program wrote it" in task.problems[0].message
    store.write(ui=[{"ts": NOW, "text": "x"}], api=[{"author": "user", "text": "Hello"}])
    assert [it.message.partition(":")[0] for it in store.task().problems] == ["api_conversation_history.json"]
