from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.api.stored.tasks import TaskInfo
from sidecar.app.upkeep.housekeeping import expired
from tests.history.test_stats import row

DAY = 86_400_000
NOW = 1_776_254_400_000


def aged(days: float | None, task_id: str, **more: Any) -> TaskInfo:
    return row(task_id, last_activity=None if days is None else NOW - int(days * DAY), **more)


def test_without_limits_nothing_goes() -> None:
    assert expired([aged(900, "a")], {"a": 10**9}, NOW, None, None) == []


def test_old_tasks_go_and_favourites_and_undated_ones_stay() -> None:
    rows = [aged(31, "a"), aged(29, "b"), aged(31, "c", favorite=True), aged(None, "d")]
    assert expired(rows, {}, NOW, 30, None) == ["a"]


def test_the_oldest_go_until_the_rest_fits() -> None:
    rows = [aged(1, "a"), aged(3, "b"), aged(2, "c")]
    assert expired(rows, {"a": 5, "b": 5, "c": 5}, NOW, None, 9) == ["b", "c"]
    assert expired(rows, {"a": 5, "b": 5, "c": 5}, NOW, None, 15) == []


@settings(max_examples=80)
@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 9)), max_size=12),
    st.none() | st.integers(1, 50),
    st.none() | st.integers(1, 50),
)
def test_what_stays_is_newer_than_what_goes(
    tasks: list[tuple[int, int]], days: int | None, most: int | None
) -> None:
    rows = [aged(age, str(n)) for n, (age, _) in enumerate(tasks)]
    sizes = {str(n): size for n, (_, size) in enumerate(tasks)}
    gone = set(expired(rows, sizes, NOW, days, most))
    kept = [each.last_activity or 0 for each in rows if each.id not in gone]
    assert all((each.last_activity or 0) <= min(kept, default=NOW) for each in rows if each.id in gone)
    assert most is None or sum(sizes[each.id] for each in rows if each.id not in gone) <= most or not kept
