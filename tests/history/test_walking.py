import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.history import walking
from sidecar.history.forking import Forked, can_fork
from sidecar.history.roots import describe_root
from sidecar.history.walking import changed_names, task_names
from tests.history.conftest import NOW, TASK_ID, Store

Make = Callable[..., dict[str, Any]]
EPOCH_ID = "1770000000000"


def changed(store: Store) -> list[str]:
    (catalog,) = store.history.catalogs
    rows = catalog.rows("structural")
    return changed_names(catalog.root, task_names(catalog.root), rows, {}, NOW)


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
    monkeypatch.setattr(walking, "_RELATIVE", platform == "relative")
    monkeypatch.setattr(walking, "_HAS_NO_FOLLOW", platform == "relative")
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


def test_half_of_a_long_walk_is_done_by_a_fork(listed: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    forks: list[int] = []

    class Counted(Forked):
        def __init__(self, work: Callable[[], list[str]]) -> None:
            forks.append(1)
            super().__init__(work)

    monkeypatch.setattr(walking, "WORTH_A_FORK", 1)
    monkeypatch.setattr(walking, "Forked", Counted)
    monkeypatch.setattr(walking, "can_fork", lambda: True)
    assert changed(listed) == []
    for task_id in (TASK_ID, EPOCH_ID):
        listed.write(ui=[], task_id=task_id)
    assert set(changed(listed)) == {TASK_ID, EPOCH_ID}
    assert len(forks) == 2


def test_a_fork_that_dies_costs_nothing() -> None:
    parent = os.getpid()

    def work() -> list[str]:
        if os.getpid() != parent:
            os._exit(1)
        return ["a"]

    with Forked(work) as forked:
        assert forked.result() == ["a"]


def test_a_fork_is_ended_when_nobody_asks() -> None:
    with Forked(lambda: ["x" * 1_000_000]) as forked:
        pid = forked._pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_no_fork_beside_other_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("threading.active_count", lambda: 2)
    assert not can_fork()
