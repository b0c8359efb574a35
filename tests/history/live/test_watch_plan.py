import os
import shutil
from collections import Counter
from pathlib import Path

import pytest

from sidecar.history import TaskHistory
from sidecar.history.live import watch_plan as module
from sidecar.history.live.watch_plan import NEW_MS, ChangedPaths, TaskKey, WatchPlan
from sidecar.history.stores.status_by_age import DAY_MS
from tests.history.conftest import NOW, TASK_ID, Store
from tests.history.live.conftest import OTHER, Make
from tests.history.stores.fixtures.one_session import OTHER as ANOTHER
from tests.history.stores.fixtures.one_session import SESSION, write_session


@pytest.fixture
def plan(store: Store, say: Make) -> WatchPlan:
    store.write(ui=[say("text", "x")])
    history = TaskHistory([store.path])
    history.list()
    return WatchPlan(history.catalogs)


def test_folders_of_lists_and_active_tasks_are_watched(store: Store, plan: WatchPlan) -> None:
    (store.path / "state").mkdir()
    tasks = store.path / "tasks"
    assert list(plan.folders(NOW)) == [str(tasks), str(store.path / "state"), str(tasks / TASK_ID)]


def test_old_tasks_are_watched_as_long_as_they_are_among_the_newest(
    store: Store, say: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "NEWEST", 2)
    for number in range(5):
        file = store.write(ui=[say("text", "x")], task_id=f"{number:08d}-0000-4000-8000-000000000000")
        os.utime(file / "ui_messages.json", (number, number))
    history = TaskHistory([store.path])
    history.list()
    plan, catalog = WatchPlan(history.catalogs), history.catalogs[0]
    assert [name[7] for name in plan.active(catalog, 10 * DAY_MS)] == ["4", "3"]


def test_the_newest_tasks_are_those_of_all_roots_together(tmp_path: Path, say: Make) -> None:
    roots = [tmp_path / "many", tmp_path / "few"]
    for root, times in zip(roots, ([1, 3, 5, 6, 7], [2, 4]), strict=True):
        for number in times:
            file = Store(root).write(
                ui=[say("text", "x")], task_id=f"{number:08d}-0000-4000-8000-000000000000"
            )
            os.utime(file / "ui_messages.json", (number, number))
    history = TaskHistory(roots)
    history.list()
    plan = WatchPlan(history.catalogs)
    assert plan.shares(4, 10 * DAY_MS) == {str(roots[0]): 3, str(roots[1]): 1}
    assert plan.shares(100, 10 * DAY_MS) == {str(roots[0]): 5, str(roots[1]): 2}


def test_which_tasks_are_active_follows_what_is_read(store: Store, say: Make, plan: WatchPlan) -> None:
    catalog = plan._catalogs[0]
    assert plan.active(catalog, NOW) == [TASK_ID]
    store.write(ui=[say("text", "x")], task_id=OTHER)
    catalog.touch([OTHER], NOW)
    assert sorted(plan.active(catalog, NOW)) == sorted([TASK_ID, OTHER])


def test_a_folder_in_the_place_of_another_is_another_one(store: Store, plan: WatchPlan) -> None:
    before = plan.folders(NOW)
    folder = store.path / "tasks" / TASK_ID
    folder.rename(store.path / "away")
    shutil.copytree(store.path / "away", folder)
    after = plan.folders(NOW)
    assert after.keys() == before.keys()
    assert after[str(folder)] != before[str(folder)]


def test_a_link_to_a_root_may_come_to_lead_elsewhere(tmp_path: Path, store: Store, say: Make) -> None:
    store.write(ui=[say("text", "x")])
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    plan = WatchPlan(TaskHistory([link]).catalogs)
    assert plan.shared() == {str(link): {}}
    link.unlink()
    link.symlink_to(store.path)
    assert list(plan.shared()[str(link)]) == [str(store.path / "tasks")]


def test_a_new_folder_is_watched_before_it_holds_a_task(store: Store, plan: WatchPlan) -> None:
    watched = plan.folders(NOW)
    folder = store.path / "tasks" / OTHER
    folder.mkdir()
    assert plan.unwatched(plan.changed([str(folder)]), watched, NOW)
    assert str(folder) in plan.folders(NOW)
    assert str(folder) not in plan.folders(NOW + NEW_MS)


def test_a_watched_or_removed_folder_needs_no_watch(store: Store, plan: WatchPlan) -> None:
    watched = plan.folders(NOW)
    folders = [store.path / "tasks" / name for name in (TASK_ID, OTHER)]
    assert not plan.unwatched(plan.changed(map(str, folders)), watched, NOW)


def test_other_files_are_ignored(store: Store, plan: WatchPlan) -> None:
    tasks = store.path / "tasks"
    noise = [
        "/elsewhere",
        tasks / "_x",
        tasks / TASK_ID / "ui_messages.json.lock",
        store.path / "settings.json",
    ]
    assert plan.changed(map(str, noise)) == ChangedPaths(set(), set(), {})
    root, key = str(store.path), TaskKey(str(store.path), TASK_ID)
    assert plan.changed([str(tasks / TASK_ID / "ui_messages.json")]) == ChangedPaths({key}, set(), {})
    assert plan.changed([str(tasks / TASK_ID)]) == ChangedPaths({key}, set(), {str(tasks / TASK_ID): key})
    for name in ("tasks/_index.json", "state/taskHistory.json"):
        assert plan.changed([str(store.path / name)]) == ChangedPaths(set(), {root}, {})


def test_roots_share_the_watches_if_there_are_too_few(
    tmp_path: Path, store: Store, say: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Store(tmp_path / "other")
    for number in range(5):
        for each in (store, other):
            each.write(ui=[say("text", "x")], task_id=f"{number:08d}-0000-4000-8000-000000000000")
    history = TaskHistory([store.path, other.path])
    history.list()
    monkeypatch.setattr(module, "MAX_WATCHES", 6)
    watched = Counter(Path(path).parent.parent for path in WatchPlan(history.catalogs).folders(NOW))
    assert (watched[store.path], watched[other.path]) == (2, 2)


def test_a_folder_of_many_sessions_takes_one_watch(
    tmp_path: Path, store: Store, say: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude = tmp_path / "claude"
    for session in (SESSION, ANOTHER):
        write_session(claude, session)
    store.write(ui=[say("text", "x")])
    history = TaskHistory([claude, store.path])
    history.list()
    project, tasks = claude / "projects" / "-w", store.path / "tasks"
    monkeypatch.setattr(module, "MAX_WATCHES", 4)
    watched = [*WatchPlan(history.catalogs).folders(NOW)]
    assert watched == [str(project.parent), str(project), str(tasks), str(tasks / TASK_ID)]


def test_more_shared_folders_than_watches_leave_none_for_tasks(
    plan: WatchPlan, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    (store.path / "state").mkdir()
    monkeypatch.setattr(module, "MAX_WATCHES", 1)
    assert list(plan.folders(NOW)) == [str(store.path / "tasks"), str(store.path / "state")]
