"""Sums of child sessions, compared with a slow and simple way to add them up."""

import math
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.api.stored.tasks import Mode, SubtreeUsage, TaskInfo, TokenUsage
from sidecar.history.stores import children
from sidecar.history.stores.children import ChildSessions, with_subtrees
from sidecar.history.stores.index_row import IndexRow, info_of, make_row

ROOT = "/store"
MISSING = 99

tokens = st.none() | st.integers(0, 2**40)
costs = st.none() | st.integers(0, 9) | st.floats(0, 1e9)
usages = st.none() | st.builds(
    TokenUsage,
    total=tokens,
    cost=costs,
    input=tokens,
    output=tokens,
    cache_reads=tokens,
    cache_writes=tokens,
)
Sessions = list[tuple[int | None, TokenUsage | None]]
forests: st.SearchStrategy[Sessions] = st.lists(
    st.tuples(st.none() | st.integers(0, 9) | st.just(MISSING), usages), max_size=10
)
"""Each session has a parent, which may not exist, come later, be a descendant, or be itself."""


def row(place: int, parent: int | None, usage: TokenUsage | None) -> IndexRow:
    info = TaskInfo(
        id=str(place),
        title="t",
        status="completed",
        mode=Mode(),
        token_usage=usage,
        outcome="completed",
        root=ROOT,
        product="opencode",
        size_bytes=0,
        problems=[],
    )
    return make_row(info.id, ROOT, 0, info, child_of=None if parent is None else str(parent))


def rows_of(sessions: Sessions) -> list[IndexRow]:
    return [row(place, *each) for place, each in enumerate(sessions)]


def infos_of(rows: Sequence[IndexRow]) -> list[TaskInfo]:
    return [info_of(row, "structural", 0) for row in rows]


def tree_of(sessions: Sessions, top: int) -> Iterator[TokenUsage]:
    """Iterate over what a session and each of its descendants used."""
    found, added = set[int](), {top}
    while added:
        found |= added
        added = {place for place, (parent, _) in enumerate(sessions) if parent in added} - found
    return (sessions[place][1] or TokenUsage() for place in found)


def simple_sum(used: list[TokenUsage], name: str) -> int | float | None:
    values = [value for each in used if (value := getattr(each, name)) is not None]
    if any(isinstance(value, float) for value in values):
        return math.fsum(values)
    return sum(values) if values else None


def simply_summed(sessions: Sessions, top: int) -> SubtreeUsage | None:
    if not any(parent == top for parent, _ in sessions):
        return None
    used = [*tree_of(sessions, top)]
    sums = {name: simple_sum(used, name) for name in SubtreeUsage.__struct_fields__}
    if any(each.total is not None and each.cost is None for each in used):
        sums["cost"] = None
    return SubtreeUsage(**sums)


def with_children(info: TaskInfo) -> SubtreeUsage | None:
    return info.token_usage.with_children if info.token_usage is not None else None


@given(forests)
def test_each_parent_has_the_sum_of_its_tree(sessions: Sessions) -> None:
    shown = infos_of(with_subtrees(rows_of(sessions)))
    assert [*map(with_children, shown)] == [simply_summed(sessions, top) for top in range(len(sessions))]
    for place, info in enumerate(shown):
        named = sorted(str(child) for child, (parent, _) in enumerate(sessions) if parent == place)
        assert info.child_ids == (named or None)


@given(forests)
def test_a_single_session_has_the_same_sum_as_in_a_list(sessions: Sessions) -> None:
    rows = rows_of(sessions)
    assert [*map(ChildSessions(rows).completed, infos_of(rows))] == infos_of(with_subtrees(rows))


@pytest.mark.parametrize("first", [None, 199], ids=["chain", "circle"])
def test_each_row_of_a_deep_tree_is_read_a_few_times_only(
    monkeypatch: pytest.MonkeyPatch, first: int | None
) -> None:
    read: list[str] = []

    def counted(row: IndexRow, *rest: object) -> TaskInfo:
        read.append(row.id)
        return info_of(row, "structural", 0)

    monkeypatch.setattr(children, "info_of", counted)
    used = TokenUsage(total=1)
    rows = rows_of([(first, used), *((place, used) for place in range(199))])
    shown = with_subtrees(rows)
    assert with_children(info_of(shown[0], "structural", 0)) == SubtreeUsage(total=200)
    assert len(read) <= 2 * len(rows)
