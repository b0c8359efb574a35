import shutil
from collections import Counter
from pathlib import Path

import pytest

from sidecar.history import TaskHistory
from sidecar.history.live import sweep as module
from sidecar.history.live.sweep import STEPS, Sweep
from sidecar.history.stores.status_by_age import DAY_MS
from tests.history.conftest import NOW, TASK_ID, Store
from tests.history.live.conftest import OTHER, Make
from tests.history.stores.fixtures.one_session import SESSION, write_session

MANY = [f"{number:08d}-0000-4000-8000-000000000000" for number in range(40)]


@pytest.fixture
def history(store: Store, say: Make) -> TaskHistory:
    """Of two roots, the second without tasks."""
    for task_id in MANY:
        store.write(ui=[say("text", "old")], task_id=task_id)
    history = TaskHistory([store.path, store.path.with_name("empty")], now=lambda: NOW)
    history.list()
    history.collect()
    return history


@pytest.fixture
def sweep(history: TaskHistory) -> Sweep:
    sweep = Sweep(history.catalogs)
    sweep.restart()
    return sweep


def go_round(sweep: Sweep) -> int:
    """Step to the end of a round; the steps it took."""
    steps = 1
    while not sweep.step(NOW):
        steps += 1
    return steps


def test_each_task_is_compared_once_in_a_round(
    history: TaskHistory, sweep: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[str] = []
    catalog = history.catalogs[0]
    changed = catalog.changed

    def note(names: list[str], now: int) -> list[str]:
        compared.extend(names)
        return changed(names, now)

    monkeypatch.setattr(catalog, "changed", note)
    assert go_round(sweep) == STEPS
    assert sorted(compared) == MANY


def test_very_many_tasks_in_watched_folders_are_compared_in_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in MANY:
        write_session(tmp_path / "claude", name)
    agent = tmp_path / "claude" / "projects" / "-w" / MANY[0] / "subagents" / "agent-1.jsonl"
    agent.parent.mkdir(parents=True)
    shutil.copyfile(write_session(tmp_path / "claude"), agent)
    history = TaskHistory([tmp_path / "claude"], now=lambda: NOW)
    history.list()
    compared = Counter[str]()
    catalog = history.catalogs[0]

    def note(names: list[str], now: int) -> list[str]:
        compared.update(names)
        return []

    monkeypatch.setattr(catalog, "changed", note)
    monkeypatch.setattr(module, "MAX_WATCHED", 10)
    sweep = Sweep(history.catalogs)
    sweep.restart()
    sweep.set_watched(True)
    assert go_round(sweep) == STEPS
    assert compared == dict.fromkeys([*MANY, SESSION, "agent-1"], 1)
    for _ in range(5):
        assert go_round(sweep) == STEPS
    assert compared == {**dict.fromkeys([*MANY, SESSION], 2), "agent-1": 6}
    sweep.set_watched(False)
    go_round(sweep)
    assert compared == {**dict.fromkeys([*MANY, SESSION], 3), "agent-1": 7}


def test_a_round_recognizes_what_an_empty_root_has_become(history: TaskHistory, sweep: Sweep) -> None:
    write_session(Path(history.roots[1].path))
    go_round(sweep)
    assert history.collect().added == [SESSION]


def test_a_round_over_many_tasks_takes_more_steps(sweep: Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_SLICE", 3)
    assert go_round(sweep) == 14


@pytest.mark.parametrize(("tasks", "steps"), [(50, 8), (51, 9), (75, 17), (100, 26), (1_000, 26)])
def test_a_round_takes_its_time_over_many_tasks(
    sweep: Sweep, monkeypatch: pytest.MonkeyPatch, tasks: int, steps: int
) -> None:
    monkeypatch.setattr(module, "FEW", len(MANY) * 50 / tasks)
    assert go_round(sweep) == steps


def test_a_round_over_nothing_takes_as_long_as_one_over_few_tasks(store: Store) -> None:
    sweep = Sweep(TaskHistory([store.path]).catalogs)
    sweep.restart()
    assert go_round(sweep) == STEPS


def test_a_change_is_found_within_a_round_wherever_it_happens(
    history: TaskHistory, sweep: Sweep, store: Store, say: Make
) -> None:
    for task_id in MANY:
        store.write(ui=[say("text", "new")], task_id=task_id)
    go_round(sweep)
    assert history.collect().changed == MANY


def test_rows_under_the_guides_rules_are_compared_too(
    history: TaskHistory, sweep: Sweep, store: Store, say: Make
) -> None:
    catalog = history.catalogs[0]
    history.list(rules="guide")
    before = catalog.rows("guide")
    store.write(ui=[say("text", "new")], task_id=MANY[0])
    go_round(sweep)
    after = catalog.rows("guide")
    assert [name for name in MANY if after[name] is not before[name]] == MANY[:1]


def test_folders_that_come_and_go_are_found_by_the_next_step(
    history: TaskHistory, sweep: Sweep, store: Store, say: Make
) -> None:
    sweep.step(NOW)
    store.write(ui=[say("text", "x")], task_id=OTHER)
    shutil.rmtree(store.path / "tasks" / MANY[3])
    sweep.step(NOW)
    changes = history.collect()
    assert (changes.added, changes.removed) == ([OTHER], [MANY[3]])


def test_folders_are_listed_again_in_each_round(
    history: TaskHistory, sweep: Sweep, store: Store, say: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some file systems do not date a folder by what is put into it."""
    monkeypatch.setattr(module, "_version", lambda root: None)
    go_round(sweep)
    store.write(ui=[say("text", "x")], task_id=OTHER)
    go_round(sweep)
    assert history.collect().added == [OTHER]


def test_folders_that_are_not_tasks_are_ignored(history: TaskHistory, sweep: Sweep, store: Store) -> None:
    (store.path / "tasks" / "_notes").mkdir()
    go_round(sweep)
    assert not history.collect().any()


def test_a_row_that_expires_is_read_by_the_next_step(
    history: TaskHistory, sweep: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog = history.catalogs[0]
    row = catalog.rows("structural")[MANY[-1]]
    row.until = NOW
    catalog._rows["structural"].ends = NOW
    sweep.step(NOW)
    assert catalog.rows("structural")[MANY[-1]] is not row


def test_a_clock_that_goes_back_has_everything_read_again(history: TaskHistory, sweep: Sweep) -> None:
    catalog = history.catalogs[0]
    before = catalog.rows("structural")
    sweep.step(NOW - DAY_MS - 1)
    after = catalog.rows("structural")
    assert after.keys() == before.keys()
    assert not any(after[name] is before[name] for name in MANY)


def test_a_task_made_while_the_clock_was_ahead_is_known_to_be(
    history: TaskHistory, store: Store, say: Make
) -> None:
    store.write(ui=[say("text", "x")], task_id=TASK_ID)
    catalog = history.catalogs[0]
    catalog.touch([TASK_ID], NOW + 2 * DAY_MS)
    assert catalog.clock_went_back(NOW)
