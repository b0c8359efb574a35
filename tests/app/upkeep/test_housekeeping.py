import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from sidecar.api.settings import HistorySettings, Settings
from sidecar.app.upkeep.housekeeping import Action, Housekeeping
from sidecar.history import TaskHistory
from sidecar.storage.layout import OwnRoot
from tests.generator import ERAS, Task, generate
from tests.generator.story import NOW_MS


class House:
    """Housekeeping over generated tasks; `running` and `settings` may be changed."""

    def __init__(self, path: Path) -> None:
        self.tasks = generate(path / "own", ERAS[2], 6)
        self.foreign = generate(path / "foreign", ERAS[3], 1, seed=5)
        self.history = TaskHistory([path / "own", path / "foreign"], now=lambda: NOW_MS)
        self.running: set[str] = set()
        self.retired: asyncio.Queue[list[str]] = asyncio.Queue()
        self.settings = HistorySettings()
        self.keeping = Housekeeping(
            OwnRoot(path / "own"),
            self,
            self,
            self,
            lambda: NOW_MS,
            self.retired.put,
        )

    @property
    def current(self) -> Settings:
        return Settings(history=self.settings)

    def live(self, task_id: str) -> str | None:
        return task_id if task_id in self.running else None

    def apply(self, action: Action, *tasks: Task | str) -> tuple[list[str], list[int]]:
        ids = [task if isinstance(task, str) else task.id for task in tasks]
        result = self.keeping.apply(action, ids)
        return result.done, [failed.code for failed in result.failed]

    async def entered(self) -> None:
        return

    def touch(self, root: str, task_ids: list[str]) -> None:
        self.history.touch(root, task_ids)

    def ids(self) -> set[str]:
        return {row.id for row in self.history.list()}


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


@pytest.mark.parametrize("action", ["delete", "archive"])
def test_a_task_goes_and_comes_back(house: House, action: Any) -> None:
    task, before = house.tasks[0], house.ids()
    assert house.apply(action, task) == ([task.id], []) and house.ids() == before - {task.id}
    assert house.apply("restore", task) == ([task.id], []) and house.ids() == before


def test_a_removed_task_is_listed_by_its_title_until_it_is_restored(house: House) -> None:
    archived, deleted = house.tasks[:2]
    house.apply("archive", archived)
    house.apply("delete", deleted)
    found = house.keeping.removed(10)
    assert {(each.id, each.title, each.shelf) for each in found.items} == {
        (archived.id, archived.truth["title"], "archive"),
        (deleted.id, deleted.truth["title"], "trash"),
    }
    assert [each.at for each in found.items if each.shelf == "trash"] == [NOW_MS]
    house.apply("restore", archived, deleted)
    assert house.keeping.removed(10).total == 0


def test_a_list_of_removed_tasks_is_bounded_and_counts_them_all(house: House) -> None:
    house.apply("delete", *house.tasks)
    found = house.keeping.removed(2)
    assert (len(found.items), found.total) == (2, len(house.tasks))


def test_what_is_not_a_task_in_the_trash_is_not_offered(house: House, tmp_path: Path) -> None:
    house.apply("delete", house.tasks[0])
    trash = tmp_path / "own" / "trash"
    (trash / "notes.txt").write_text("mine")
    (trash / "link").symlink_to(house.tasks[1].folder)
    assert [each.id for each in house.keeping.removed(10).items] == [house.tasks[0].id]


@pytest.mark.parametrize("action", ["delete", "archive", "restore"])
def test_a_foreign_task_is_never_moved(house: House, action: Any) -> None:
    assert house.apply(action, house.foreign[0]) == ([], [-32018])
    assert house.foreign[0].folder.is_dir()


@pytest.mark.parametrize("action", ["delete", "archive"])
def test_a_running_task_is_never_moved(house: House, action: Any) -> None:
    house.running.add(house.tasks[0].id)
    assert house.apply(action, house.tasks[0], house.tasks[1]) == ([house.tasks[1].id], [-32017])


@pytest.mark.parametrize("task_id", ["", "nope", "../own", "3f2b"])
def test_an_unknown_task_is_named(house: House, task_id: str) -> None:
    result = house.keeping.apply("delete", [task_id])
    assert [(failed.id, failed.code) for failed in result.failed] == [(task_id, -32010)]


def test_a_prefix_is_not_an_id_where_things_are_deleted(house: House) -> None:
    assert house.apply("delete", house.tasks[0].id[:20]) == ([], [-32010])


def test_a_listed_task_cannot_be_restored(house: House) -> None:
    assert house.apply("restore", house.tasks[0]) == ([], [-32017])


def test_naming_a_task_twice_moves_it_once(house: House) -> None:
    assert house.apply("delete", house.tasks[0], house.tasks[0]) == ([house.tasks[0].id], [])


def test_retention_puts_old_tasks_away_and_empties_the_trash(house: House) -> None:
    house.settings = HistorySettings(retention_days=1, trash_days=0)
    old = {row.id for row in house.history.list() if row.root.endswith("own") and _age(row) > 86_400_000}
    assert set(house.keeping.retire()) == old and old
    house.settings = HistorySettings(trash_days=-1)
    assert house.keeping.retire() == [] and house.ids().isdisjoint(old)


def test_retention_leaves_running_tasks_alone(house: House) -> None:
    house.running.update(task.id for task in house.tasks)
    house.settings = HistorySettings(retention_days=1, max_bytes=1)
    assert house.keeping.retire() == []


def test_the_disk_is_accounted_for(house: House) -> None:
    house.apply("delete", house.tasks[0])
    house.apply("archive", house.tasks[1])
    used = house.keeping.disk_use()
    assert used.task_bytes >= used.message_bytes > 0
    assert used.trash_bytes > 0 and used.archive_bytes > 0


async def test_the_rounds_begin_at_once_and_end_when_closed(house: House) -> None:
    house.settings = HistorySettings(retention_days=1)
    house.keeping.rounds.start()
    assert await asyncio.wait_for(house.retired.get(), 20)
    await house.keeping.rounds.aclose()


def test_a_root_that_cannot_be_written_is_reported(house: House) -> None:
    if os.geteuid() == 0:
        (house.tasks[0].folder.parents[1] / "trash").write_bytes(b"a file where the trash should be")
    else:
        os.chmod(house.tasks[0].folder.parents[1], 0o500)
    assert house.apply("delete", house.tasks[0]) == ([], [-32016])


def _age(row: Any) -> int:
    return NOW_MS - int(row.last_activity or NOW_MS)
