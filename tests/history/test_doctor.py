import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.api.errors import InvalidParams
from sidecar.api.stored.doctor import DoctorResult, Finding
from sidecar.history import TaskHistory
from sidecar.history.doctor import examine
from sidecar.history.doctor.remedies import REMEDIES
from sidecar.history.stored.problems import PROBLEM_CODES
from tests.generator import ERAS, Era, generate, write_hostile
from tests.generator.story import NOW_MS
from tests.history.conftest import HOUR, NOW, TASK_ID, Store
from tests.history.damage.test_hostile import tree

Make = Callable[..., dict[str, Any]]
OTHER = "00000000-0000-4000-8000-000000000001"


def report(store: Store) -> DoctorResult:
    return examine(store.history, store.now)


def the_one(result: DoctorResult, code: str) -> Finding:
    (found,) = (each for each in result.findings if each.code == code)
    return found


def test_every_problem_of_a_task_has_a_remedy() -> None:
    assert PROBLEM_CODES.keys() <= REMEDIES.keys() and all(REMEDIES.values())


@pytest.mark.parametrize("era", ERAS, ids=lambda era: era.name)
def test_sound_stores_have_no_findings(tmp_path: Path, era: Era) -> None:
    generate(tmp_path / era.folder, era, 18)
    result = examine(TaskHistory([tmp_path / era.folder], now=lambda: NOW_MS), NOW_MS)
    assert (result.findings, result.counts) == ([], {})
    assert [(root.tasks, root.exists) for root in result.roots] == [(18, True)]


def test_an_absent_root_is_reported_and_not_an_error(tmp_path: Path) -> None:
    (root,) = examine(TaskHistory([tmp_path / "nowhere"]), NOW).roots
    assert (root.exists, root.tasks) == (False, 0)


def test_an_orphan_is_a_task_its_products_list_does_not_name(store: Store, say: Make) -> None:
    store.write(ui=[say("text", "x")], api=[])
    store.write(ui=[say("text", "y")], api=[], task_id=OTHER)
    index = {"version": 1, "entries": [{"id": OTHER, "task": "y"}]}
    (store.path / "tasks" / "_index.json").write_text(json.dumps(index))
    assert the_one(report(store), "orphan").task_id == TASK_ID


def test_without_a_list_on_disk_nothing_is_an_orphan(store: Store, say: Make) -> None:
    store.write(ui=[say("text", "x")], api=[])
    assert report(store).counts == {}


def test_an_entry_without_a_folder_is_index_only(store: Store, say: Make) -> None:
    store.write(ui=[say("text", "x")], api=[], task_id="1770000000000")
    (store.path / "state").mkdir()
    entries = [{"id": "1770000000000"}, {"id": "1770000000001"}]
    (store.path / "state" / "taskHistory.json").write_text(json.dumps(entries))
    found = the_one(report(store), "indexOnly")
    assert found.task_id == "1770000000001" and str(found.path).endswith("taskHistory.json")


@pytest.mark.parametrize(
    ("entry", "reported"),
    [
        ({"totalCost": 1.5}, "cost 1.5000 in the list entry, 0.2500 in the messages"),
        ({"tokensIn": 7}, "tokensIn 7 in the list entry, 100 in the messages"),
        ({"status": "completed"}, "list entry says completed, the messages say unknown"),
        ({"task": "another"}, "title 'another' in the list entry, 'x' in the messages"),
        ({"ts": NOW - 3 * HOUR}, "60 min older"),
    ],
)
def test_an_entry_that_disagrees_with_the_messages_is_reported(
    store: Store, say: Make, entry: dict[str, Any], reported: str
) -> None:
    usage = json.dumps({"tokensIn": 100, "tokensOut": 5, "cost": 0.25})
    messages = [say("text", "x"), say("api_req_started", usage), say("info", "z", ts=NOW - 2 * HOUR)]
    messages = [message | {"ts": NOW - 2 * HOUR} for message in messages]
    item = {"id": TASK_ID, "task": "x", "ts": NOW - 2 * HOUR, "totalCost": 0.251, "tokensIn": 100}
    store.write(ui=messages, api=[], history_item=item | entry)
    assert reported in the_one(report(store), "disagreement").message


def test_a_finished_subtask_that_was_not_handed_back_is_reported(store: Store, say: Make, ask: Make) -> None:
    finish = ask("tool", json.dumps({"tool": "finishTask"}))
    store.write(ui=[say("text", "x"), finish], api=[], history_item={"status": "interrupted"})
    assert "says interrupted" in the_one(report(store), "disagreement").message


@pytest.mark.parametrize(("age", "code"), [(0, "locked"), (600, "staleLock")])
def test_locks_are_judged_by_their_age(store: Store, say: Make, age: int, code: str) -> None:
    lock = store.write(ui=[say("text", "x")], api=[]) / "ui_messages.json.lock"
    lock.mkdir()
    then = lock.stat().st_mtime - age
    os.utime(lock, (then, then))
    assert the_one(report(store), code).path == str(lock)


@pytest.fixture
def long_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all files be old, to which no test can set the time of their last renaming."""
    monkeypatch.setattr("sidecar.history.doctor.folders.LOCK_STALE_SECONDS", -1)


@pytest.mark.usefixtures("long_ago")
@pytest.mark.parametrize(
    "name",
    [".ui_messages.json.new_17_a.tmp", ".ui_messages.json.bak_17_a.tmp", "ui_messages.json.tmp.17.x.json"],
)
def test_leftovers_next_to_a_sound_file_are_reported(store: Store, say: Make, name: str) -> None:
    (store.write(ui=[say("text", "x")], api=[]) / name).write_bytes(b"[")
    assert name in the_one(report(store), "leftover").message


@pytest.mark.usefixtures("long_ago", "long_after")
@pytest.mark.parametrize("name", [".ui_messages.json.new_17_a.tmp", ".bak_17_a.tmp"])
def test_a_leftover_that_may_be_all_there_is_is_never_called_superfluous(store: Store, name: str) -> None:
    (store.write(api=[]) / name).write_bytes(b"[{")
    found = report(store)
    assert found.counts == {"missing": 1, "fragment": 1}
    assert the_one(found, "fragment").message == f"{name} may hold the missing part of ui_messages.json"


@pytest.mark.parametrize("there", [True, False], ids=["before", "between the renames"])
def test_a_save_that_continues_is_not_damage(store: Store, say: Make, there: bool) -> None:
    folder = store.write(ui=[say("text", "x")] if there else None, api=[])
    (folder / ".ui_messages.json.new_17_a.tmp").write_bytes(b'[{"ts":1}]')
    (folder / ".ui_messages.json.bak_17_a.tmp").write_bytes(b'[{"ts":1}]')
    (folder / "ui_messages.json.lock").mkdir()
    assert report(store).counts == {"locked": 1}


def test_a_save_that_ended_meanwhile_is_not_damage(
    store: Store, say: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = store.write(api=[])
    rows = store.history.list()
    assert [problem.code for problem in rows[0].problems] == ["missing"]
    (folder / "ui_messages.json").write_text(json.dumps([say("text", "x")]))
    monkeypatch.setattr(store.history, "select", lambda *_: rows)
    assert report(store).counts == {}


def test_a_folder_that_still_holds_checkpoints_is_not_called_empty(store: Store) -> None:
    (store.path / "tasks" / TASK_ID / "checkpoints").mkdir(parents=True)
    result = report(store)
    found = the_one(result, "messagesGone")
    assert "still holds checkpoints" in found.message and "nothing is lost" not in found.remedy
    assert (found.task_id, result.roots[0].tasks, result.roots[0].empty_folders) == (None, 0, 1)


def test_empty_folders_are_counted(store: Store, say: Make) -> None:
    store.write(ui=[say("text", "x")], api=[])
    for task_id in (OTHER, "1770000000000"):
        (store.path / "tasks" / task_id).mkdir()
    result = report(store)
    assert (result.roots[0].tasks, result.roots[0].empty_folders, result.counts) == (1, 2, {"empty": 2})
    assert {each.task_id for each in result.findings} == {OTHER, "1770000000000"}
    assert all("is not listed" in each.message for each in result.findings)


def test_a_fragment_in_a_folder_without_messages_is_reported(store: Store) -> None:
    folder = store.path / "tasks" / TASK_ID
    folder.mkdir(parents=True)
    (folder / ".ui_messages.json.new_1770000000001_x1.tmp").write_bytes(b"[{")
    assert store.history.list() == []
    assert {each.code for each in report(store).findings} == {"messagesGone"}


def test_a_task_in_several_roots_is_named(tmp_path: Path, say: Make) -> None:
    stores = [Store(tmp_path / name) for name in ("b", "a", "c")]
    for one in stores:
        one.write(ui=[say("text", "x")], api=[])
    stores[0].write(ui=[say("text", "y")], api=[], task_id=OTHER)
    history = TaskHistory([one.path for one in stores], now=lambda: NOW)
    found = the_one(examine(history, NOW), "duplicate")
    assert (found.task_id, found.root) == (TASK_ID, str(tmp_path / "b"))
    assert found.message == f"also in {tmp_path / 'a'}, {tmp_path / 'c'}"


@pytest.mark.usefixtures("long_after")
def test_a_recoverable_task_says_so_once(store: Store) -> None:
    folder = store.write(api=[])
    (folder / ".ui_messages.json.bak_1770000000001_x1.tmp").write_bytes(b'[{"ts":1}]')
    assert report(store).counts == {"recovered": 1}


def test_names_that_are_not_tasks_are_reported(store: Store) -> None:
    tasks = store.path / "tasks"
    for name in ("notes", "_staging", ".git"):
        (tasks / name).mkdir(parents=True)
    (tasks / TASK_ID).write_bytes(b"a file")
    found = [each.path for each in report(store).findings if each.code == "strangeName"]
    assert sorted(map(str, found)) == [str(tasks / TASK_ID), str(tasks / "notes")]


def test_the_doctor_says_where_it_searched_for_stores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLINE_DIR", str(tmp_path / "cline"))
    (tmp_path / "cline" / "data" / "tasks").mkdir(parents=True)
    history = TaskHistory([tmp_path / "root"])
    places = examine(history, NOW, home=tmp_path).searched or []
    searched = {place.path: place.found for place in places}
    assert searched[str(tmp_path / "cline" / "data")]
    assert len(searched) > 5
    assert examine(history, NOW, [str(tmp_path / "root")], tmp_path).searched is None


@pytest.mark.slow
@pytest.mark.usefixtures("long_after")
def test_every_hostile_folder_is_reported_and_left_as_it_is(tmp_path: Path) -> None:
    made = write_hostile(tmp_path)
    before = tree(tmp_path)
    result = examine(TaskHistory([tmp_path], now=lambda: NOW_MS), NOW_MS)
    reported = {(each.task_id, each.code) for each in result.findings}
    reported |= {(task_id, "empty") for task_id, code in reported if code == "messagesGone"}
    assert reported >= {(task_id, code) for task_id, kind in made.items() for code in kind.codes}
    assert all(each.remedy for each in result.findings) and tree(tmp_path) == before


def test_only_known_roots_are_examined(store: Store) -> None:
    with pytest.raises(InvalidParams, match="elsewhere"):
        examine(store.history, NOW, ["/elsewhere"])
