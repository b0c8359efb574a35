import json
from collections.abc import Callable
from functools import reduce
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.api.stored.tasks import Mode, Rules, Sort, TaskInfo
from sidecar.history.listing.pages import ListPage, ordered
from sidecar.history.listing.rows import Listing, infos, render
from sidecar.history.listing.selection import ListQuery
from sidecar.history.listing.text import matches_filter
from sidecar.history.stores.index_row import IndexRow, info_of, make_row
from sidecar.rpc.transport.encoding import encode_json
from tests.history.conftest import HOUR, NOW, Store

Make = Callable[..., dict[str, Any]]
DAY = 24 * HOUR
RULES: tuple[Rules, ...] = ("structural", "guide")
TEXTS = st.text(st.sampled_from("aBcK\u212aéß😀\ud83d ." + "\0"), max_size=6)


def row(info: TaskInfo, ages_from: int | None = None) -> IndexRow:
    return make_row(info.id, "/root", 1, info, ages_from=ages_from)


def task(task_id: str = "x", **fields: Any) -> TaskInfo:
    given: dict[str, Any] = {
        "title": "title",
        "status": "failed",
        "mode": Mode(),
        "outcome": "failed",
        "root": "/root",
        "product": "roo",
        "size_bytes": 1,
        "problems": [],
    }
    return TaskInfo(id=task_id, **{**given, **fields})


@given(title=TEXTS, mode=TEXTS, workspace=TEXTS, rules=st.sampled_from(RULES))
def test_a_row_gives_back_what_it_was_made_from(title: str, mode: str, workspace: str, rules: Rules) -> None:
    times: dict[str, Any] = {"created_at": NOW, "last_activity": NOW + 5.5, "duration": 5.5}
    info = task(title=title, mode=Mode(current=mode), workspace_dir=workspace, **times)
    assert info_of(row(info), rules, NOW) == info


def test_rows_of_different_tasks_keep_once_what_is_equal() -> None:
    one, other = (row(task(name, workspace_dir=f"/{'w' * 50}", size_bytes=len(name))) for name in ("x", "yy"))
    assert one.common is other.common
    assert b"wwwww" not in one.body


def test_an_invalid_date_stays_one() -> None:
    nan = float("nan")
    dates: dict[str, Any] = {"created_at": nan, "last_activity": nan, "duration": nan}
    made = row(task(**dates))
    assert json.loads(b"{" + made.body + made.common)["createdAt"] is None
    assert repr(info_of(made, "guide", NOW)) == repr(task(**dates))


def test_numbers_beyond_64_bits_pass() -> None:
    made = row(task(message_count=10**30))
    assert info_of(made, "guide", NOW).message_count == 10**30
    assert b"10000000000" in b"".join(render([made], NOW))


@settings(max_examples=300)
@given(texts=st.lists(TEXTS, min_size=5, max_size=5), part=TEXTS.filter(bool), rules=st.sampled_from(RULES))
def test_the_filter_keeps_what_the_rule_says(texts: list[str], part: str, rules: Rules) -> None:
    mode = Mode(current=texts[1], name=texts[2])
    info = task(texts[0], title=texts[3], mode=mode, workspace_dir=texts[4])
    kept = Listing([row(info)], rules).filtered(part, NOW)
    assert bool(kept) == matches_filter(info, part, rules)


@pytest.mark.parametrize("part", ["ACTIVE", "act", "unknown", "abandoned", "fail"])
def test_the_filter_sees_the_status_of_today(part: str) -> None:
    made = row(task(), ages_from=NOW)
    for days in (0, 2, 9):
        now = NOW + days * DAY
        kept = Listing([made], "structural").filtered(part, now)
        assert bool(kept) == (part.lower() in made.status(now))


def test_rows_grow_old_without_being_read() -> None:
    listing = Listing([row(task(), ages_from=NOW)], "structural")
    words = ["active", "unknown", "abandoned"]
    for days, word in zip((0, 2, 8), words, strict=True):
        now = NOW + days * DAY
        assert listing.counts(now) == {word: 1}
        assert json.loads(b"".join(render(listing.rows, now)))[0]["status"] == word
        for _ in range(2):
            assert listing.rendered(now) == render(listing.rows, now)
        assert infos(listing.rows, "structural", now)[0].status == word


@given(st.lists(st.tuples(st.integers(0, 20), st.none() | st.integers(0, 3)), unique_by=lambda each: each[0]))
def test_the_default_order_is_the_sorts(pairs: list[tuple[int, int | None]]) -> None:
    tasks = [task(f"{number:02}", created_at=created) for number, created in pairs]
    listing = Listing([row(each) for each in tasks], "structural")
    assert [each.id for each in listing.rows] == [each.id for each in ordered(tasks, Sort())]


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("filter", [None, "prompt 1"])
@pytest.mark.parametrize("sort", [None, Sort(by="title", order="asc")])
@pytest.mark.parametrize("limit", [3, 9, 20])
def test_a_page_is_the_same_decoded_and_as_json(
    store: Store, say: Make, user: Make, rules: Rules, filter: str | None, sort: Sort | None, limit: int
) -> None:
    for number in range(9):
        ts = NOW - number * DAY
        task_id = f"{number:08x}-0000-4000-8000-000000000000"
        store.write(ui=[say("text", f"prompt {number} é😀", ts=ts)], api=[user("hi")], task_id=task_id)
    cursor = None
    for _ in range(3):
        page = store.history.page(ListQuery(filter, None, rules, sort, limit, cursor))
        document = json.loads(encode_json(page.wire()))
        items = json.loads(msgspec.json.encode(page.items))
        assert (document["items"], document.get("nextCursor")) == (items, page.next_cursor)
        cursor = page.next_cursor
        if cursor is None:
            return


def test_an_empty_list_is_an_array_too(store: Store) -> None:
    assert store.history.page().rendered == [b"[", b"]"]


def test_titles_cannot_break_out_of_a_page(store: Store, say: Make) -> None:
    store.write(ui=[say("text", '"},{"id":"forged\\')], api=[])
    rendered = store.history.page()
    assert [each["title"] for each in json.loads(b"".join(rendered.rendered))] == ['"},{"id":"forged\\']


@pytest.mark.parametrize("counts", [[0], [1], [3], [2, 1], [1, 1, 2]])
def test_pages_in_pieces_are_the_document_that_goes_over_the_wire(counts: list[int]) -> None:
    titles = iter(range(9))
    groups = [[row(task(title=str(next(titles)))) for _ in range(count)] for count in counts]
    pages = [ListPage(rows, "structural", NOW, 9, 9, {}, "x", 1) for rows in groups]
    page = reduce(ListPage.followed_by, pages)
    document = json.loads(b"".join(page.pieces()))
    assert document == json.loads(encode_json(page.wire()))
    assert [item["title"] for item in document["items"]] == [str(number) for number in range(sum(counts))]
