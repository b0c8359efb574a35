"""Tasks read together give the rows that each gives alone."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.api.stored.tasks import Rules
from sidecar.history.stores.registry import describe_root
from sidecar.history.stores.sessions import saving
from sidecar.history.stores.task_folders import leftovers
from sidecar.history.stores.task_folders.reader import TaskReader
from sidecar.history.stores.task_folders.scan import task_names
from sidecar.history.stores.task_folders.structural import extract as structural
from sidecar.history.stores.task_folders.structural.view import TaskSource
from tests.generator import write_hostile
from tests.history.conftest import NOW, Store

GONE = "00000000-0000-4000-8000-000000000000"
IDS = [f"0000000{digit}-0000-4000-8000-000000000000" for digit in range(1, 6)]


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["structural", "guide"])
def test_damaged_tasks_read_together_are_read_as_each_alone(
    tmp_path: Path, rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = time.time()
    for module in (leftovers, saving):
        monkeypatch.setattr(module, "wall_seconds", lambda: at)  # no save ends between the two
    write_hostile(tmp_path)
    root = describe_root(str(tmp_path))
    names, reader = task_names(root), TaskReader(root)
    reader.refresh_lists()
    alone = {name: row for each in names for name, row in reader.rows([each], rules, NOW).items()}
    assert reader.rows(names, rules, NOW) == alone


def test_a_task_that_defeats_the_rules_costs_the_others_nothing(
    store: Store, say: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    extract = structural.extract

    def fail_at_third(sources: list[TaskSource]) -> list[structural.Extract]:
        if any(source.task_id == IDS[2] for source in sources):
            raise MemoryError
        return extract(sources)

    monkeypatch.setattr(structural, "extract", fail_at_third)
    for task_id in IDS:
        store.write(ui=[say("text", "Mend the roof")], api=[], task_id=task_id)
    titles = {task.id: task.title for task in store.history.list()}
    assert [task_id for task_id in IDS if titles[task_id] == "Mend the roof"] == [*IDS[:2], *IDS[3:]]


def test_a_folder_that_is_gone_has_no_row(store: Store, say: Callable[..., Any]) -> None:
    folder = store.write(ui=[say("text", "x")], api=[], task_id=IDS[0])
    rows = TaskReader(describe_root(str(folder.parents[1]))).rows([GONE, IDS[0]], "structural", NOW)
    assert rows.keys() == {GONE, IDS[0]} and rows[GONE] is None


def test_more_tasks_than_are_held_at_once_are_all_read(store: Store, say: Callable[..., Any]) -> None:
    ids = [f"{number:08d}-0000-4000-8000-000000000000" for number in range(120)]
    folders = [store.write(ui=[say("text", task_id)], api=[], task_id=task_id) for task_id in ids]
    rows = TaskReader(describe_root(str(folders[0].parents[1]))).rows(ids, "structural", NOW)
    assert [task_id for task_id, row in rows.items() if row and task_id.encode() in row.body] == ids
