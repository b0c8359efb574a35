import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from sidecar.history import TaskHistory
from sidecar.history.catalog.comparison import changed_names
from sidecar.history.stored import reading
from sidecar.history.stores.parallel import Parallel, Work, nothing, sequential
from sidecar.history.stores.registry import describe_root
from sidecar.history.stores.task_folders import scan
from sidecar.history.stores.task_folders.scan import fingerprints, task_names
from tests.history.conftest import NOW, TASK_ID, Store

T = TypeVar("T")
Make = Callable[..., dict[str, Any]]
EPOCH_ID = "1770000000000"


def changed(store: Store, spread: Parallel = sequential) -> list[str]:
    (catalog,) = store.history.catalogs
    seen = fingerprints(catalog.root, task_names(catalog.root), spread)
    return changed_names(seen, catalog.rows("structural"), {}, NOW)


@pytest.fixture
def listed(store: Store, say: Make) -> Store:
    for task_id in (TASK_ID, EPOCH_ID):
        store.write(ui=[say("text", "x")], api=[], task_id=task_id)
    store.history.list()
    return store


@pytest.mark.parametrize("platform", ["relative", "absolute"])
@pytest.mark.parametrize(
    ("name", "concerned"),
    [
        ("ui_messages.json", {TASK_ID, EPOCH_ID}),
        ("history_item.json", {TASK_ID, EPOCH_ID}),
        ("task_metadata.json", {EPOCH_ID}),  # no other product's tells anything
        ("settings.json", set()),
    ],
)
def test_only_files_that_are_read_matter(
    listed: Store, name: str, concerned: set[str], platform: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan, "_RELATIVE", platform == "relative")
    monkeypatch.setattr(reading, "_HAS_NO_FOLLOW", platform == "relative")
    assert changed(listed) == []
    for folder in (listed.path / "tasks").iterdir():
        (folder / name).write_bytes(b"{}")
    assert set(changed(listed)) == concerned


def test_a_file_that_is_gone_matters(listed: Store) -> None:
    (listed.path / "tasks" / TASK_ID / "api_conversation_history.json").unlink()
    assert changed(listed) == [TASK_ID]


def test_a_dangling_link_in_a_files_place_matters(listed: Store) -> None:
    (listed.path / "tasks" / TASK_ID / "history_item.json").symlink_to("/nowhere")
    assert changed(listed) == [TASK_ID]


def test_a_root_without_tasks_has_no_names(tmp_path: Path) -> None:
    assert task_names(describe_root(tmp_path)) == []


def test_a_long_walk_is_spread(listed: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    parts: list[int] = []

    def spread(
        work: Work[T], names: list[str], answer: type[list[T]], meanwhile: Callable[[], None] = nothing
    ) -> list[T]:
        parts.append(len(names))
        return [found for name in names for found in work([name])]

    monkeypatch.setattr(scan, "WORTH_FORKING", 1)
    assert changed(listed, spread) == []
    for task_id in (TASK_ID, EPOCH_ID):
        listed.write(ui=[], task_id=task_id)
    assert set(changed(listed, spread)) == {TASK_ID, EPOCH_ID}
    assert parts == [2, 2]


@pytest.mark.parametrize("file", ["ui_messages.json", "api_conversation_history.json", "history_item.json"])
@pytest.mark.parametrize("trace", ["time", "size", "inode"])
def test_each_trace_of_a_change_is_enough(listed: Store, file: str, trace: str) -> None:
    path = listed.path / "tasks" / TASK_ID / file
    path.write_bytes(b"[]")
    listed.history.list()
    before = path.stat()
    if trace == "inode":
        path.rename(path.with_name("kept"))  # so that its inode is not given again
        path.write_bytes(b"[]")
    else:
        path.write_bytes(b"[]" if trace == "time" else b"[] ")
    os.utime(path, ns=(0, before.st_mtime_ns + (trace == "time")))
    assert changed(listed) == [TASK_ID]


def test_what_an_index_knows_is_compared_with_files_checked_before_it_was_loaded(
    listed: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spread(
        work: Work[T], names: list[str], answer: type[list[T]], meanwhile: Callable[[], None] = nothing
    ) -> list[T]:
        found = work(names)
        meanwhile()
        return found

    def titles() -> list[str]:
        history = TaskHistory([listed.path], now=lambda: NOW, cache=tmp_path / "cache", parallel=spread)
        found = [task.title for task in history.list()]
        history.close()
        return sorted(found)

    monkeypatch.setattr(scan, "WORTH_FORKING", 1)
    assert titles() == ["x", "x"]
    listed.write(ui=[{"type": "say", "say": "text", "text": "new"}])
    assert titles() == ["new", "x"]
    shutil.rmtree(listed.path / "tasks" / EPOCH_ID)
    (listed.path / "tasks" / "no-task").mkdir()
    assert titles() == ["new"]
