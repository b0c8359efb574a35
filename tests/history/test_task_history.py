import json
import os
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.api.errors import AmbiguousTaskId, InvalidParams, StorageError, TaskNotFound
from sidecar.api.stored.tasks import Sort
from sidecar.history import TaskHistory
from sidecar.history.export import export
from sidecar.history.insight import files
from sidecar.history.listing.selection import ListQuery
from sidecar.history.stores.task_folders import reader
from sidecar.history.stores.task_folders.files import TaskFiles, read_task
from tests.history.conftest import HOUR, NOW, TASK_ID, Store

Make = Callable[..., dict[str, Any]]
Twins = tuple[TaskHistory, str, str]


def numbered(number: int) -> str:
    return f"{number:08x}-0000-4000-8000-000000000000"


@pytest.fixture
def many(store: Store, say: Make) -> Store:
    """25 tasks; every fifth has no time of its own, every second is completed."""
    for number in range(25):
        ts = None if number % 5 == 0 else NOW - number * 60_000
        ending = [{"ts": ts, "type": "ask", "ask": "completion_result"}] if number % 2 else []
        folder = store.write(
            ui=[say("text", f"task {number}", ts=ts), *ending], api=[], task_id=numbered(number)
        )
        if ts is None:
            os.utime(folder / "ui_messages.json", (1_000 + number, 1_000 + number))
    return store


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the task folders read, in order."""
    names: list[str] = []

    def counted(folder: str, with_metadata: bool) -> TaskFiles:
        names.append(Path(folder).name)
        return read_task(folder, with_metadata)

    monkeypatch.setattr(reader, "read_task", counted)
    return names


@pytest.mark.parametrize("setup", ["", "tasks"])
def test_a_root_without_tasks_is_empty(tmp_path: Path, setup: str) -> None:
    (tmp_path / setup).mkdir(exist_ok=True)
    history = TaskHistory([tmp_path, tmp_path / "nowhere"])
    assert history.list() == [] and history.page().total == 0


def test_files_links_and_private_names_are_not_tasks(store: Store, say: Make, tmp_path: Path) -> None:
    store.write(ui=[say("text", "real")], api=[])
    tasks = store.path / "tasks"
    (tasks / numbered(1)).write_bytes(b"a file")
    (tasks / numbered(2)).symlink_to(tasks / TASK_ID)
    (tasks / "_staging").mkdir()
    assert [task.id for task in store.history.list()] == [TASK_ID]


def test_the_newest_comes_first_and_the_undated_last(many: Store) -> None:
    ids = [task.id for task in many.history.list()]
    dated = [numbered(n) for n in range(25) if n % 5]
    undated = [numbered(n) for n in (20, 15, 10, 5, 0)]  # by the files' times
    assert ids == dated + undated


def test_an_unchanged_task_is_not_read_again(many: Store, reads: list[str]) -> None:
    first = many.history.list()
    reads.clear()
    assert many.history.list() == first
    assert reads == []


def test_a_changed_task_alone_is_read_again(many: Store, say: Make, reads: list[str]) -> None:
    many.history.list()
    reads.clear()
    many.write(ui=[say("text", "another title")], api=[], task_id=numbered(3))
    assert "another title" in {task.title for task in many.history.list()}
    assert reads == [numbered(3)]


def test_growing_older_changes_the_status(store: Store, say: Make) -> None:
    store.write(ui=[say("text", "x", ts=NOW)], api=[])
    seen = []
    for days in (0, 2, 8):
        store.now = NOW + days * 24 * HOUR
        seen.append(store.task().status)
    assert seen == ["active", "unknown", "abandoned"]


def test_a_new_list_entry_is_noticed(store: Store, say: Make) -> None:
    store.write(ui=[say("text", "x")], api=[], task_id="1770000000000")
    assert store.task("1770000000000").favorite is False
    (store.path / "state").mkdir()
    entries = [{"id": "1770000000000", "isFavorited": True}]
    (store.path / "state" / "taskHistory.json").write_text(json.dumps(entries))
    assert store.task("1770000000000").favorite is True


@pytest.mark.parametrize(
    "by", ["createdAt", "lastActivity", "title", "tokens", "cost", "messages", "duration", "size"]
)
@pytest.mark.parametrize("order", ["asc", "desc"])
def test_pages_join_to_the_whole_list(many: Store, by: Any, order: Any) -> None:
    sort = Sort(by=by, order=order)
    whole = [task.id for task in many.history.page(ListQuery(sort=sort, limit=100)).items]
    paged, cursor = [], None
    while True:
        page = many.history.page(ListQuery(sort=sort, limit=4, cursor=cursor))
        paged += [task.id for task in page.items]
        if (cursor := page.next_cursor) is None:
            break
    assert paged == whole and len(set(whole)) == 25


def test_a_task_added_between_pages_moves_nothing(many: Store, say: Make) -> None:
    first = many.history.page(ListQuery(limit=10))
    many.write(ui=[say("text", "new", ts=NOW)], api=[], task_id=numbered(99))
    second = many.history.page(ListQuery(limit=10, cursor=first.next_cursor))
    assert {task.id for task in first.items} & {task.id for task in second.items} == set()
    assert second.items[0].id == numbered(13)


def test_a_page_may_end_at_a_task_that_is_gone(many: Store) -> None:
    first = many.history.page(ListQuery(limit=3))
    (many.path / "tasks" / first.items[-1].id / "ui_messages.json").unlink()
    (many.path / "tasks" / first.items[-1].id / "api_conversation_history.json").unlink()
    (many.path / "tasks" / first.items[-1].id).rmdir()
    assert many.history.page(ListQuery(limit=1, cursor=first.next_cursor)).items[0].id == numbered(4)


def test_counts_cover_the_matched_tasks(many: Store) -> None:
    page = many.history.page(ListQuery(filter="completed", limit=2))
    assert (page.total, page.matched, page.counts) == (25, 12, {"completed": 12})


@pytest.mark.parametrize("cursor", ["", "x", "é", "W10", "WzFd", "e30", "bnVsbA", "Ww" * 5_000])
def test_a_bad_cursor_is_refused(many: Store, cursor: str) -> None:
    with pytest.raises(InvalidParams, match="cursor"):
        many.history.page(ListQuery(cursor=cursor))


def test_a_cursor_belongs_to_its_query(many: Store) -> None:
    cursor = many.history.page(ListQuery(limit=3)).next_cursor
    with pytest.raises(InvalidParams, match="another query"):
        many.history.page(ListQuery(limit=3, cursor=cursor, sort=Sort(by="title")))


@pytest.mark.parametrize("limit", [0, -1, 20_001, True, 1.5])
def test_a_limit_out_of_bounds_is_refused(store: Store, limit: Any) -> None:
    with pytest.raises(InvalidParams, match="limit"):
        store.history.page(ListQuery(limit=limit))


def test_guide_pages_keep_the_guides_order(many: Store) -> None:
    whole = [task.id for task in many.history.list(rules="guide")]
    first = many.history.page(ListQuery(rules="guide", limit=7))
    second = many.history.page(ListQuery(rules="guide", limit=100, cursor=first.next_cursor))
    assert [task.id for task in first.items + second.items] == whole


def test_only_known_roots_may_be_asked_for(store: Store, tmp_path: Path) -> None:
    with pytest.raises(InvalidParams, match="nowhere"):
        store.history.page(ListQuery(roots=[str(tmp_path / "nowhere")]))
    assert store.history.page(ListQuery(roots=[str(store.path)])).total == 0


def test_several_roots_are_one_list(tmp_path: Path, say: Make) -> None:
    one, two = Store(tmp_path / "one"), Store(tmp_path / "two")
    one.write(ui=[say("text", "a")], api=[])
    two.write(ui=[say("text", "b")], api=[])
    history = TaskHistory([one.path, two.path], now=lambda: NOW)
    assert {(task.root, task.title) for task in history.list()} == {
        (str(one.path), "a"),
        (str(two.path), "b"),
    }
    assert history.page(ListQuery(roots=[str(two.path)])).total == 1


@pytest.fixture
def twins(tmp_path: Path, say: Make) -> Twins:
    """A history of two roots that hold the same id, titled "a" and "b", and the paths of the roots."""
    one, two = Store(tmp_path / "one"), Store(tmp_path / "two")
    for store, title in ((one, "a"), (two, "b")):
        tool = {"tool": "readFile", "path": f"{title}.py"}
        store.write(
            ui=[say("text", title), say("tool", json.dumps(tool)), say("text", f"{title}'s end")], api=[]
        )
    return TaskHistory([one.path, two.path], now=lambda: NOW), str(one.path), str(two.path)


@pytest.mark.parametrize("task_id", [TASK_ID, TASK_ID[:6]])
def test_of_an_id_in_two_roots_the_first_is_opened_unless_a_root_is_named(twins: Twins, task_id: str) -> None:
    history, one, two = twins
    for root, path, title in ((None, one, "a"), (one, one, "a"), (two, two, "b"), (f"{two}/", two, "b")):
        task = history.get(task_id, root)[0]
        assert (task.root, task.title) == (path, title)
        assert history.messages(task_id, root=root).messages[0].text == title
        assert [file.path for file in files(history, task_id, root).files] == [f"{title}.py"]
        exported = json.loads(export(history, task_id, "json", root=root).text)
        assert (exported["task"]["root"], exported["messages"][0]["text"]) == (path, title)


def test_only_a_named_root_is_searched(twins: Twins, tmp_path: Path, say: Make) -> None:
    history, one, two = twins
    Store(Path(two)).write(ui=[say("text", "only here")], api=[], task_id=numbered(1))
    assert history.get("0000", two)[0].title == "only here"
    with pytest.raises(TaskNotFound, match=re.escape(one)):
        history.get(numbered(1), one)


@pytest.mark.parametrize("root", ["/nowhere", "~a user who does not exist", ""])
def test_an_unknown_root_is_refused_by_its_name(twins: Twins, root: str) -> None:
    history, _, _ = twins
    with pytest.raises(InvalidParams, match=rf"^root: .*{root}.* is not a root of this server"):
        history.resolve(TASK_ID, root)


def test_a_cursor_belongs_to_the_messages_of_one_root(twins: Twins) -> None:
    history, one, two = twins
    cursor = history.messages(TASK_ID, limit=1).next_cursor
    assert history.messages(TASK_ID, cursor=cursor, root=one).messages[-1].text == "a's end"
    with pytest.raises(InvalidParams, match="another query"):
        history.messages(TASK_ID, cursor=cursor, root=two)


def test_the_other_holders_of_an_id_are_named(twins: Twins) -> None:
    history, one, two = twins
    assert [root.path for root in history.other_holders(TASK_ID, one)] == [two]
    assert [root.path for root in history.other_holders(TASK_ID, two)] == [one]
    assert history.other_holders(TASK_ID[:6], one) == []


def test_a_task_is_found_by_its_id_or_a_unique_prefix(many: Store) -> None:
    assert many.history.get(numbered(7))[0].title == "task 7"
    assert many.history.get("00000007")[0].id == numbered(7)


def test_a_whole_id_wins_over_longer_ones(store: Store, say: Make) -> None:
    for task_id in ("177000000000", "1770000000001"):
        store.write(ui=[say("text", task_id)], api=[], task_id=task_id)
    assert store.history.get("177000000000")[0].title == "177000000000"


@pytest.mark.parametrize("task_id", ["", "zzz", "../x", TASK_ID + "0"])
def test_an_unknown_task_is_not_found(store: Store, say: Make, task_id: str) -> None:
    store.write(ui=[say("text", "x")], api=[])
    with pytest.raises(TaskNotFound) as caught:
        store.history.get(task_id)
    assert caught.value.data == {"taskId": task_id}


def test_an_ambiguous_prefix_names_its_candidates(many: Store) -> None:
    with pytest.raises(AmbiguousTaskId) as caught:
        many.history.get("0000000")
    candidates = caught.value.data["candidates"]
    assert len(candidates) == 16 and candidates[1] == {"id": numbered(1), "label": "task 1"}


def test_the_revision_is_the_hosts(tmp_path: Path) -> None:
    assert TaskHistory([tmp_path], revision=lambda: 42).page().revision == 42


def test_refresh_returns_what_changed(many: Store, say: Make) -> None:
    assert len(many.history.refresh().added) == 25
    many.history.list()
    many.write(ui=[say("text", "other")], api=[], task_id=numbered(3))
    many.write(ui=[say("text", "new")], api=[], task_id=numbered(90))
    changes = many.history.refresh()
    assert (changes.added, changes.changed, changes.removed) == ([numbered(90)], [numbered(3)], [])
    assert many.history.refresh().changed == []


def test_the_first_refresh_compares_with_what_was_listed(many: Store, say: Make) -> None:
    many.history.page(ListQuery(limit=3))
    many.write(ui=[say("text", "new")], api=[], task_id=numbered(90))
    assert len(many.history.list()) == 26
    changes = many.history.refresh()
    assert (changes.added, changes.changed, changes.removed) == ([numbered(90)], [], [])


def test_many_threads_may_ask_at_once(many: Store) -> None:
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(len(many.history.list()))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert found == [25] * 8


@pytest.mark.parametrize(
    ("end", "expected"), [("start", [[0, 1, 2], [3, 4, 5], [6]]), ("end", [[4, 5, 6], [1, 2, 3], [0]])]
)
def test_messages_are_paged_from_either_end(store: Store, say: Make, end: Any, expected: object) -> None:
    store.write(ui=[say("text", f"m{n}") for n in range(7)], api=[])
    pages, cursor = [], None
    for _ in range(3):
        page = store.history.messages(TASK_ID[:6], cursor=cursor, limit=3, from_=end)
        assert page.total == 7
        pages.append([message.index for message in page.messages])
        cursor = page.next_cursor
    assert (pages, cursor) == (expected, None)


def test_messages_appended_between_pages_move_nothing(store: Store, say: Make) -> None:
    store.write(ui=[say("text", f"m{n}") for n in range(4)], api=[])
    first = store.history.messages(TASK_ID, limit=2, from_="end")
    store.write(ui=[say("text", f"m{n}") for n in range(9)], api=[])
    second = store.history.messages(TASK_ID, limit=2, from_="end", cursor=first.next_cursor)
    assert [message.text for message in second.messages] == ["m0", "m1"]


def test_a_cut_file_still_shows_its_messages(store: Store) -> None:
    store.write(ui=b'[{"ts":1,"type":"say","say":"text","text":"kept"},{"ts"', api=[])
    page = store.history.messages(TASK_ID)
    assert (page.total, page.messages[0].text) == (1, "kept")


def test_an_absent_file_holds_no_messages(store: Store, say: Make) -> None:
    store.write(ui=[say("text", "x")])
    assert store.history.messages(TASK_ID, kind="api").total == 0


def test_an_unreadable_file_is_named(store: Store) -> None:
    folder = store.write(api=[])
    (folder / "ui_messages.json").mkdir()
    with pytest.raises(StorageError, match="ui_messages") as caught:
        store.history.messages(TASK_ID)
    assert caught.value.data["path"] == str(folder / "ui_messages.json")


def test_a_list_cursor_opens_no_messages(many: Store) -> None:
    cursor = many.history.page(ListQuery(limit=1)).next_cursor
    with pytest.raises(InvalidParams, match="cursor"):
        many.history.messages(numbered(1), cursor=cursor)


def test_an_id_from_the_future_becomes_valid(store: Store, tmp_path: Path) -> None:
    later = NOW + 3 * 24 * HOUR
    store.write(api=[], task_id=str(later))
    history = TaskHistory([store.path], now=lambda: store.now, cache=tmp_path / "cache")
    seen = []
    for store.now in (NOW, later, NOW):
        seen.append(history.list()[0].created_at == later)
    assert seen == [False, True, False]


def test_an_index_of_a_clock_that_went_back_is_not_used(store: Store, tmp_path: Path) -> None:
    later = NOW + 3 * 24 * HOUR
    store.write(api=[], task_id=str(later))
    seen = []
    for store.now in (NOW, later, NOW):
        history = TaskHistory([store.path], now=lambda: store.now, cache=tmp_path / "cache")
        seen.append(history.list()[0].created_at == later)
        history.close()
    assert seen == [False, True, False]


def test_a_list_between_processes_reads_nothing(many: Store, reads: list[str], tmp_path: Path) -> None:
    for _ in range(2):
        history = TaskHistory([many.path], now=lambda: NOW, cache=tmp_path / "cache")
        assert [task.id for task in history.list()] == [task.id for task in many.history.list()]
        history.close()
    assert len(reads) == 2 * 25
