from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.api.stored.tasks import Mode, ModelUsage, TaskInfo, TokenUsage
from sidecar.history.stats import grouped, totals, trees, without_copies

NOON = 1_776_254_400_000
DAY = 86_400_000


def row(task_id: str, cost: float | None = None, **more: Any) -> TaskInfo:
    values: dict[str, Any] = {
        "title": f"task {task_id}",
        "status": "completed",
        "outcome": "completed",
        "mode": Mode(current="code"),
        "token_usage": None if cost is None else TokenUsage(cost=cost, total=10, input=8, output=2),
        "message_count": 3,
        "size_bytes": 100,
        "last_activity": NOON,
        "root": "/r",
        "product": "roo",
        "problems": [],
    }
    return TaskInfo(id=task_id, **values | more)


def test_sums_count_what_is_known_and_say_how_often() -> None:
    found = totals([row("a", 0.5), row("b", 0.25), row("c")])
    assert (found.tasks, found.tasks_with_cost, found.cost, found.tokens) == (3, 2, 0.75, 20)
    assert (found.messages, found.size_bytes, found.cache_reads) == (9, 300, None)


def test_copies_in_other_roots_are_counted_once() -> None:
    rows = [
        row("a", 1, root="/copy"),
        row("a", 1),
        row("b", 2),
        row("b", 5, root="/copy", last_activity=NOON + 1),
    ]
    kept = without_copies(rows, ["/r", "/copy"])
    assert sorted((task.id, task.root) for task in kept) == [("a", "/r"), ("b", "/copy")]


def test_unknown_figures_are_not_zero() -> None:
    assert totals([row("a")]).cost is None and totals([]).cost is None


def test_the_most_expensive_group_comes_first_and_the_unknown_last() -> None:
    rows = [row("a", 1, workspace_dir="/x"), row("b", 3, workspace_dir="/y"), row("c", 9)]
    groups = grouped(rows, "workspace")
    assert [(group.key, group.totals.cost) for group in groups] == [("/y", 3), ("/x", 1), (None, 9)]


@pytest.mark.parametrize(
    ("by", "key"),
    [("mode", "code"), ("product", "roo"), ("status", "completed"), ("model", None), ("workspace", None)],
)
def test_tasks_are_grouped_by(by: Any, key: str | None) -> None:
    assert [group.key for group in grouped([row("a"), row("b")], by)] == [key]


def two_models(**more: Any) -> TaskInfo:
    big = ModelUsage(model="big", answers=2, input=70, output=20, cache_reads=5, estimated_cost=0.75)
    small = ModelUsage(model="small", answers=1, input=7, output=3, estimated_cost=0.25)
    usage = TokenUsage(
        total=100, input=77, output=23, cache_reads=5, estimated_cost=1.0, by_model=[big, small]
    )
    return row("two", token_usage=usage, model="small", **more)


def by_model(*rows: TaskInfo) -> dict[str | None, Any]:
    return {group.key: group.totals for group in grouped(rows, "model")}


def test_each_model_of_a_task_has_its_own_tokens_and_estimate() -> None:
    groups = by_model(two_models(), row("one", 0.5, model="small"))
    big, small = groups["big"], groups["small"]
    assert (big.tasks, big.tokens, big.input, big.output, big.cache_reads) == (1, 90, 70, 20, 5)
    assert (small.tasks, small.tokens, small.input, small.output) == (2, 20, 15, 5)
    assert (big.estimated_cost, big.cost, small.estimated_cost, small.cost) == (0.75, None, 0.25, 0.5)
    assert (big.messages, small.messages, big.size_bytes, small.size_bytes) == (0, 6, 0, 200)


def test_a_cost_of_several_models_is_split_only_where_each_is_recorded() -> None:
    task = two_models()
    assert task.token_usage is not None and task.token_usage.by_model is not None
    task.token_usage.cost = 9
    assert {key: each.cost for key, each in by_model(task).items()} == {None: 9, "big": None, "small": None}
    for model, cost in zip(task.token_usage.by_model, (8, 1), strict=True):
        model.cost = cost
    assert {key: each.cost for key, each in by_model(task).items()} == {"big": 8, "small": 1}


def test_a_last_model_without_tokens_has_the_messages() -> None:
    task = two_models()
    task.model = "other"
    assert {key: (each.tokens, each.messages) for key, each in by_model(task).items()} == {
        "big": (90, 0),
        "small": (10, 0),
        "other": (None, 3),
    }


def test_days_are_newest_first() -> None:
    rows = [row("a", last_activity=NOON - DAY), row("b"), row("c", last_activity=None), row("d")]
    groups = grouped(rows, "day")
    assert [group.totals.tasks for group in groups] == [2, 1, 1]
    assert groups[0].key is not None and groups[2].key is None


def test_a_parent_has_own_and_tree_figures() -> None:
    rows = [
        row("a", 1, child_ids=["b"]),
        row("b", 2, child_ids=["c", "gone"]),
        row("c", 4),
        row("d", 8, parent_id="a"),
        row("e", 16, parent_id="gone"),
    ]
    found = {tree.task_id: (tree.own.cost, tree.tree.cost, tree.tree.tasks) for tree in trees(rows)}
    assert found == {"a": (1, 15, 4), "b": (2, 6, 2)}


def test_parents_in_another_root_do_not_count() -> None:
    assert trees([row("a"), row("b", parent_id="a", root="/other")]) == []


def test_cycles_end() -> None:
    rows = [row("a", 1, parent_id="b"), row("b", 2, parent_id="a"), row("c", 4, parent_id="a")]
    rows.append(row("self", parent_id="self", child_ids=["self"]))
    assert {tree.task_id: tree.tree.cost for tree in trees(rows)} == {"a": 5, "b": 2}


def test_a_long_chain_is_summed_at_once() -> None:
    rows = [row(f"{n:05}", 1, parent_id=f"{n - 1:05}") for n in range(5_000)]
    assert trees(rows)[0].tree.cost == 5_000


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 9), st.lists(st.integers(0, 9), max_size=3)), max_size=10))
def test_any_relations_add_up_to_no_more_than_everything(relations: list[tuple[int, list[int]]]) -> None:
    rows = [
        row(str(n), 1, parent_id=str(parent), child_ids=[str(child) for child in children])
        for n, (parent, children) in enumerate(relations)
    ]
    assert all(1 <= tree.tree.tasks <= len(rows) for tree in trees(rows))
