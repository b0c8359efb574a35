import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.api.errors import InvalidParams, StorageError
from sidecar.api.stored.search import SearchParams, SearchResult
from sidecar.history.search import SearchService, service, store, worker
from sidecar.history.search.build import update
from sidecar.history.search.store import IndexedMessage, SearchStore, store_path
from sidecar.history.search.words import indexable, match_expression, readable
from tests.generator import write_hostile
from tests.history.conftest import TASK_ID, Store
from tests.history.damage.test_hostile import tree

Make = Callable[..., dict[str, Any]]
OTHER = "00000000-0000-4000-8000-000000000001"


class Searcher:
    """Search a store; the index is updated in this process instead of in a worker."""

    def __init__(self, stored: Store, directory: Path) -> None:
        self.stored, self.directory = stored, directory
        self.service = SearchService(directory, wait_seconds=30)

    def __call__(self, text: str, **more: Any) -> SearchResult:
        update(self.directory, str(self.stored.path))
        return self.service.search(self.stored.history, SearchParams(text=text, **more))

    def places(self, text: str) -> list[tuple[str, int]]:
        return [(hit.kind, hit.index) for hit in self(text).hits]


@pytest.fixture
def search(store: Store, tmp_path: Path) -> Iterator[Searcher]:
    searcher = Searcher(store, tmp_path / "cache")
    yield searcher
    searcher.service.close()


@pytest.fixture
def reported(store: Store, search: Searcher, say: Make, user: Make) -> Searcher:
    store.write(
        ui=[
            say("text", "Migrate the Database to café_v2"),
            say("api_req_started", json.dumps({"tokensIn": 5})),
            say("command_output", 'error: quote\' "doubled" AND NEAR(x)'),
        ],
        api=[user("Migrate the Database to café_v2"), user("日本語のREADMEを書いて")],
    )
    return search


def test_what_a_product_sends_with_the_words_of_a_person_is_not_searched(
    store: Store, search: Searcher, say: Make, user: Make
) -> None:
    around = "\n\n<environment_details>\n# Files\nladder.md\n</environment_details>"
    task, reply = f"<task>\nMend the roof\n</task>{around}", f"Use slate{around}"
    store.write(ui=[say("text", "Mend the roof")], api=[user(task), user(reply)])
    assert search.places("roof") == [("ui", 0)]
    assert search.places("ladder") == []
    assert search.places("slate") == [("api", 1)]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("database", [("ui", 0)]),
        ("DATABASE migrate", [("ui", 0)]),
        ("cafe_v2", [("ui", 0)]),
        ("migr*", [("ui", 0)]),
        ("migr", []),
        ('"the database"', [("ui", 0)]),
        ('"database the"', []),
        ("database doubled", []),
        ("quote' \"", [("ui", 2)]),
        ("NEAR(x)", [("ui", 2)]),
        ("AND", [("ui", 2)]),
        ("README", [("api", 1)]),
        ("本語", [("api", 1)]),
        ("語日", []),
        ("tokensIn", []),
        ("database \ud800x", []),
    ],
)
def test_messages_are_found_by_their_words(reported: Searcher, text: str, places: list[Any]) -> None:
    assert reported.places(text) == places


def test_a_hit_names_its_place_and_shows_the_words(reported: Searcher) -> None:
    (hit,) = reported("database").hits
    assert (hit.task_id, hit.root, hit.role) == (TASK_ID, str(reported.stored.path), "user")
    assert hit.snippet == "Migrate the \x02Database\x03 to café_v2"
    page = reported.stored.history.messages(hit.task_id, hit.kind, limit=20)
    assert "Database" in str(page.messages[hit.index].text)


def test_half_a_surrogate_pair_hides_no_words(search: Searcher, store: Store, say: Make) -> None:
    store.write(ui=[say("text", "a parser \ud800 for comments")])
    assert search.places("parser comments") == [("ui", 0)]


def test_a_query_limits_the_tasks(reported: Searcher) -> None:
    assert reported("database", query="status:completed").hits == []
    assert len(reported("database", query="migrate").hits) == 1


def test_the_index_follows_the_tasks(reported: Searcher, store: Store, say: Make) -> None:
    reported("database")
    folder = store.write(ui=[say("text", "something else entirely")], api=[])
    assert (reported.places("database"), reported.places("entirely")) == ([], [("ui", 0)])
    store.write(ui=[say("text", "database")], api=[], task_id=OTHER)
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    assert [hit.task_id for hit in reported("database").hits] == [OTHER]
    assert reported.places("entirely") == []


def test_the_better_hit_comes_first_over_all_tasks(search: Searcher, store: Store, say: Make) -> None:
    store.write(ui=[say("text", "needle " + "hay " * 200)], api=[])
    store.write(ui=[say("text", "needle needle")], api=[], task_id=OTHER)
    result = search("needle", limit=1)
    assert [hit.task_id for hit in result.hits] == [OTHER]
    assert (result.indexed, result.total) == (2, 2)


@settings(max_examples=80)
@given(st.one_of(st.text(max_size=30), st.text(alphabet='"*()-+:^{}ANDORT \\\x00日', max_size=30)))
def test_no_text_is_read_as_an_operator(text: str) -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE VIRTUAL TABLE m USING fts5(text)")
        try:
            expression = match_expression(text)
        except InvalidParams:
            return
        database.execute("SELECT * FROM m WHERE m MATCH ?", (expression,)).fetchall()


@pytest.mark.parametrize("text", ["", " ", '""', "*", "-- ()", "x" * 2_000, "w " * 100])
def test_a_text_without_words_or_with_too_many_is_refused(text: str) -> None:
    with pytest.raises(InvalidParams, match="text:"):
        match_expression(text)


@given(st.text(alphabet="ab日本\x02\x03 \n", max_size=20))
def test_ideographs_are_joined_again(text: str) -> None:
    shown = readable(indexable(text))
    assert shown.replace(" ", "") == "".join(text.replace("\x02", "").replace("\x03", "").split())


def test_too_common_words_end_in_time(reported: Searcher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "QUERY_SECONDS", -1.0)
    monkeypatch.setattr(store, "_STEPS", 1)
    with pytest.raises(StorageError, match="too many"):
        reported("database")


@pytest.mark.parametrize("damage", [b"no database at all" * 100, b""])
def test_a_damaged_index_is_rebuilt(reported: Searcher, damage: bytes) -> None:
    reported("database")
    path = store_path(reported.directory, str(reported.stored.path))
    for suffix in ("-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    path.write_bytes(damage)
    assert reported.places("database") == [("ui", 0)]


def test_words_that_are_damaged_in_the_middle_are_rebuilt(reported: Searcher) -> None:
    reported("database")
    path = store_path(reported.directory, str(reported.stored.path))
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("UPDATE message_data SET block = x'ff' WHERE id > 10")
    assert [hit.index for hit in reported("database").hits] == [0]


def test_an_index_of_another_version_is_rebuilt(reported: Searcher, monkeypatch: pytest.MonkeyPatch) -> None:
    reported("database")
    monkeypatch.setattr(store, "VERSION", 99)
    with closing(SearchStore(store_path(reported.directory, str(reported.stored.path)))) as opened:
        assert opened.versions() == {}


def test_a_failed_replacement_leaves_the_old_messages(tmp_path: Path) -> None:
    def broken() -> Iterator[IndexedMessage]:
        yield IndexedMessage("ui", 0, "user", None, "new")
        raise StorageError("gone")

    with closing(SearchStore(tmp_path / "x.db")) as opened:
        opened.replace("a", "1", [IndexedMessage("ui", 0, "user", None, "old")])
        with pytest.raises(StorageError):
            opened.replace("a", "2", broken())
        assert opened.versions() == {"a": "1"}
        assert [hit.snippet for hit in opened.find("old")] == ["\x02old\x03"]


@pytest.mark.slow
def test_hostile_folders_are_indexed_and_left_as_they_are(tmp_path: Path) -> None:
    made = write_hostile(tmp_path / "root")
    before = tree(tmp_path / "root")
    update(tmp_path / "cache", str(tmp_path / "root"))
    with closing(SearchStore(store_path(tmp_path / "cache", str(tmp_path / "root")))) as opened:
        assert opened.versions().keys() == {name for name, kind in made.items() if kind.listed}
        assert any(opened.find('"bug"'))
    assert tree(tmp_path / "root") == before


def test_a_worker_builds_the_index_while_the_first_search_waits(
    store: Store, say: Make, tmp_path: Path
) -> None:
    store.write(ui=[say("text", "needle")], api=[])
    searcher = SearchService(tmp_path / "cache", wait_seconds=30)
    try:
        result = searcher.search(store.history, SearchParams(text="needle"))
    finally:
        searcher.close()
    assert (len(result.hits), result.indexed, result.total) == (1, 1, 1)


@pytest.mark.parametrize("spoil", ["a device", "a file", "a read-only folder"])
def test_an_index_that_cannot_be_written_is_an_error_with_its_remedy(
    store: Store, say: Make, tmp_path: Path, spoil: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write(ui=[say("text", "needle")], api=[])
    folder = tmp_path / "cache"
    if spoil == "a device":
        folder = Path(os.devnull) / "cache"
    elif spoil == "a file":
        folder.write_text("")
    else:
        SearchStore(store_path(folder, str(store.path))).close()
        monkeypatch.setattr("os.access", lambda *_, **__: False)  # root may write everywhere
    searcher = SearchService(folder, wait_seconds=30)
    with pytest.raises(StorageError, match=r"cannot be used: .*SIDECAR_CACHE_DIR") as raised:
        searcher.search(store.history, SearchParams(text="needle"))
    searcher.close()
    assert raised.value.data["path"] == str(folder)


def test_a_complete_index_is_searched_although_it_cannot_be_written(
    reported: Searcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported("database")
    monkeypatch.setattr("sidecar.history.search.service.require_writable", lambda path: os.open(path, -1))
    assert reported.service.search(reported.stored.history, SearchParams(text="database")).hits


def test_a_worker_ends_when_nobody_holds_its_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    process = worker.start(tmp_path, [str(tmp_path / "nowhere")])
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(20) in (0, 1)


def test_closing_ends_the_worker(store: Store, say: Make, tmp_path: Path) -> None:
    store.write(ui=[say("text", "needle")], api=[])
    searcher = service.SearchService(tmp_path / "cache", wait_seconds=0)
    result = searcher.search(store.history, SearchParams(text="needle"))
    searcher.close()
    assert result.total == 1 and searcher.search(store.history, SearchParams(text="needle")).total == 1


@pytest.mark.usefixtures("open_umask")
def test_every_directory_made_for_the_search_is_private(tmp_path: Path) -> None:
    path = tmp_path / "cache" / "search" / "x.db"
    SearchStore(path).close()
    assert {folder.stat().st_mode & 0o777 for folder in path.parents if folder > tmp_path} == {0o700}
