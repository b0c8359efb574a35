"""Child sessions: left out of lists unless asked for, added to their parents, and counted once in totals."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sidecar.api.stored.stats import StatsParams
from sidecar.api.stored.tasks import SubtreeUsage, TokenUsage
from sidecar.history import TaskHistory
from sidecar.history.insight import stats
from sidecar.history.listing.selection import ListQuery
from sidecar.history.stores.children import subtree_usage
from sidecar.history.stores.registry import FAMILIES
from tests.history.conftest import NOW
from tests.history.stores.fixtures.jsonl_family import JsonlSessions

MAIN, CHILD, GRANDCHILD, ORPHAN, OTHER = "main", "child", "grandchild", "orphan", "other"


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    family = JsonlSessions()
    FAMILIES.append(family)
    yield
    FAMILIES.remove(family)


def say(root: Path, key: str, output: int, **more: Any) -> None:
    file = root / "sessions" / f"{key}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as opened:
        line = {"role": "assistant", "text": f"words of {key}", "ts": NOW, "output": output, **more}
        opened.write(json.dumps(line) + "\n")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    path = tmp_path / ".agent"
    say(path, MAIN, 100)
    say(path, CHILD, 10, parent=MAIN)
    say(path, GRANDCHILD, 1, parent=CHILD)
    say(path, ORPHAN, 5, parent="")
    say(path, OTHER, 1000)
    return path


@pytest.fixture
def history(root: Path) -> TaskHistory:
    return TaskHistory([root], now=lambda: NOW, cache=root.parent / "cache")


def ids(history: TaskHistory, **wanted: Any) -> list[str]:
    return sorted(task.id for task in history.list(**wanted))


def test_a_list_leaves_children_out_unless_asked(history: TaskHistory) -> None:
    assert ids(history) == [MAIN, OTHER]
    assert ids(history, children=True) == sorted([MAIN, CHILD, GRANDCHILD, ORPHAN, OTHER])
    page = history.page(ListQuery())
    assert (page.total, page.matched, page.counts) == (2, 2, {"completed": 2})
    assert history.page(ListQuery(children=True)).total == 5


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (f"parent:{MAIN}", [CHILD]),
        (f"parent:{MAIN},{CHILD}", [CHILD, GRANDCHILD]),
        (f"words OR parent:{MAIN}", [CHILD, GRANDCHILD, MAIN, ORPHAN, OTHER]),
        (f"-parent:{MAIN} id:g", [GRANDCHILD]),
        ("id:g", []),
    ],
)
def test_a_query_for_a_parent_asks_for_children(history: TaskHistory, query: str, found: list[str]) -> None:
    assert ids(history, query=query) == found


def test_a_parent_shows_its_own_usage_and_that_of_its_subtree(history: TaskHistory) -> None:
    rows = {task.id: task for task in history.list(children=True)}
    usage = {task.id: task.token_usage for task in rows.values()}
    assert usage[MAIN] == TokenUsage(total=100, output=100, with_children=SubtreeUsage(total=111, output=111))
    assert usage[CHILD] == TokenUsage(total=10, output=10, with_children=SubtreeUsage(total=11, output=11))
    assert usage[GRANDCHILD] == TokenUsage(total=1, output=1)
    assert (rows[MAIN].child_ids, rows[OTHER].child_ids) == ([CHILD], None)


def test_a_single_task_shows_the_same_as_the_list(history: TaskHistory) -> None:
    rows = {task.id: task for task in history.list(children=True)}
    assert {key: history.get(key)[0] for key in rows} == rows


def test_parents_that_name_each_other_end(root: Path, history: TaskHistory) -> None:
    say(root, "egg", 2, parent="hen")
    say(root, "hen", 3, parent="egg")
    rows = {task.id: task for task in history.list(children=True)}
    for key in ("egg", "hen"):
        usage = rows[key].token_usage
        assert usage is not None and usage.with_children == SubtreeUsage(total=5, output=5)


def test_a_parent_changes_with_its_descendants(root: Path, history: TaskHistory) -> None:
    history.list()
    history.refresh()
    say(root, GRANDCHILD, 7)
    assert history.refresh().changed == sorted([MAIN, CHILD, GRANDCHILD])
    usage = history.get(MAIN)[0].token_usage
    assert usage is not None and usage.with_children == SubtreeUsage(total=118, output=118)


def test_rows_of_children_are_kept_between_processes(root: Path, history: TaskHistory) -> None:
    before = history.list(children=True)
    history.close()
    again = TaskHistory([root], now=lambda: NOW, cache=root.parent / "cache")
    assert again.list(children=True) == before
    assert ids(again) == [MAIN, OTHER]


def test_totals_count_every_session_once(history: TaskHistory) -> None:
    found = stats(history, StatsParams(), "structural")
    assert (found.totals.tokens, found.totals.tasks) == (1116, 5)
    assert {tree.task_id: tree.tree.tokens for tree in found.parents} == {MAIN: 111, CHILD: 11}


def test_the_cost_of_a_subtree_is_known_only_if_every_part_is() -> None:
    paid, unpaid, empty = TokenUsage(total=1, cost=0.5), TokenUsage(total=2), TokenUsage()
    assert subtree_usage([paid, paid]) == SubtreeUsage(total=2, cost=1.0)
    assert subtree_usage([paid, empty]) == SubtreeUsage(total=1, cost=0.5)
    assert subtree_usage([paid, unpaid]) == SubtreeUsage(total=3)
