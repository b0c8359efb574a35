"""Every field of generated tasks of every era equals what the generator knows."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sidecar.api.stored.tasks import TaskInfo
from sidecar.history import TaskHistory
from tests.generator import ERAS, Era, generate
from tests.generator.story import ENDINGS, NOW_MS

NESTED = {"mode_current": "mode.current", "mode_name": "mode.name"}
THOUSANDS = 5_000
USAGE = ("input", "output", "total", "cache_reads", "cache_writes", "cost")


def flat(task: TaskInfo, name: str) -> Any:
    """The value that the generator's truth calls `name`."""
    if name == "child_ids":  # a generated task has one at most
        return " ".join(task.child_ids) if task.child_ids else None
    holder: Any = task
    if name in USAGE:
        return getattr(task.token_usage, name, None)
    for part in NESTED.get(name, name).split("."):
        holder = getattr(holder, part)
    return holder


@pytest.mark.parametrize("era", ERAS, ids=lambda era: era.name)
def test_every_field_of_every_task_is_true(tmp_path: Path, era: Era) -> None:
    tasks = generate(tmp_path / era.folder, era, 4 * len(ENDINGS), seed=7)
    rows = {row.id: row for row in TaskHistory([tmp_path / era.folder], now=lambda: NOW_MS).list()}
    assert set(rows) == {task.id for task in tasks}
    for task in tasks:
        found = {name: flat(rows[task.id], name) for name in task.truth}
        assert found == pytest.approx(task.truth, abs=1e-9, nan_ok=True) or found == task.truth


def test_without_message_times_the_environment_blocks_date_a_task(tmp_path: Path) -> None:
    era = next(era for era in ERAS if not era.api_ts)
    tasks = generate(tmp_path, era, 4 * len(ENDINGS), seed=5)
    (tmp_path / "state" / "taskHistory.json").unlink()
    asked = [task for task in tasks if task.stated is not None]
    for task in asked:
        (task.folder / "ui_messages.json").write_bytes(b"")
    rows = {row.id: row for row in TaskHistory([tmp_path], now=lambda: NOW_MS).list()}
    found = {task.id: (rows[task.id].created_at, rows[task.id].last_activity) for task in asked}
    assert found == {task.id: (task.truth["created_at"], task.stated) for task in asked}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_every_field_is_true_of_thousands_of_tasks(tmp_path: Path) -> None:
    wrong: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for era in ERAS:
        root = tmp_path / era.name / era.folder
        tasks = generate(root, era, THOUSANDS // len(ERAS), seed=11)
        rows = {row.id: row for row in TaskHistory([root], now=lambda: NOW_MS).list()}
        for task in tasks:
            for name, value in task.truth.items():
                found = flat(rows[task.id], name)
                good = found == value or found == pytest.approx(value, abs=1e-9)
                (right if good else wrong)[name] += 1
    assert {name: count for name, count in wrong.items() if count > 0.005 * (count + right[name])} == {}
    assert sum(right.values()) > THOUSANDS * 15


@pytest.mark.parametrize("era", ERAS, ids=lambda era: era.name)
def test_a_sound_task_has_no_problems(tmp_path: Path, era: Era) -> None:
    generate(tmp_path / era.folder, era, 2 * len(ENDINGS))
    rows = TaskHistory([tmp_path / era.folder], now=lambda: NOW_MS).list()
    assert [row.problems for row in rows if row.problems] == []


@pytest.mark.parametrize("era", [era for era in ERAS if era.product != "zoo"], ids=lambda era: era.name)
def test_the_product_is_known_by_marks_when_the_path_says_nothing(tmp_path: Path, era: Era) -> None:
    generate(tmp_path / "custom", era, 9)
    rows = TaskHistory([tmp_path / "custom"], now=lambda: NOW_MS).list()
    reported = {row.product for row in rows if row.ui_message_count and row.ui_message_count > 1}
    assert reported == {era.product}


def test_a_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    first = generate(tmp_path / "a", ERAS[0], 9, seed=3)
    second = generate(tmp_path / "b", ERAS[0], 9, seed=3)
    for one, other in zip(first, second, strict=True):
        name = "ui_messages.json"
        assert (one.folder / name).read_bytes() == (other.folder / name).read_bytes()
