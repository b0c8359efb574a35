"""Whatever happens to the files of the cache, lists and searches are right, and the files are built again."""

import os
import socket
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from sidecar.api.stored.search import SearchParams, SearchResult
from sidecar.history import TaskHistory
from sidecar.history.catalog import index
from sidecar.history.catalog.index import RowIndex
from sidecar.history.catalog.root_rows import format_of
from sidecar.history.search import SearchService
from sidecar.history.search import worker as search_worker
from sidecar.history.search.build import update
from sidecar.history.search.store import SearchStore, store_path
from sidecar.history.stores.registry import describe_root, open_store
from tests.history.conftest import NOW, Store

Make = Callable[..., dict[str, Any]]
Damage = Callable[[Path], object]
TASKS = 12
SEEDS = range(240)


@pytest.fixture
def stored(store: Store, say: Make) -> Store:
    for number in range(TASKS):
        words = " ".join(f"word{number}x{place}" for place in range(60))
        store.write(
            ui=[say("text", f"needle {number} {words}"), say("text", "and more")],
            api=[],
            task_id=f"{number:08x}-0000-4000-8000-000000000000",
        )
    return store


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture(autouse=True)
def _update_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker process for each of hundreds of searches would take minutes."""

    def start(directory: Path, roots: list[str], kept: str = "") -> "subprocess.Popen[bytes]":
        for root in roots:
            update(directory, root, kept)
        return subprocess.Popen(["true"], stdin=subprocess.PIPE)

    monkeypatch.setattr(search_worker, "start", start)


@pytest.fixture
def searches(cache: Path) -> Iterator[SearchService]:
    service = SearchService(cache, wait_seconds=30)
    yield service
    service.close()


def titles(stored: Store, cache: Path) -> set[str]:
    """List as a new process does."""
    history = TaskHistory([stored.path], now=lambda: NOW, cache=cache)
    try:
        return {task.title.split(" word")[0] for task in history.list()}
    finally:
        history.close()


def found(stored: Store, service: SearchService) -> SearchResult:
    return service.search(stored.history, SearchParams(text="needle", limit=100))


def index_file(stored: Store, cache: Path) -> Path:
    return RowIndex(cache, str(stored.path)).path


def rows_kept(stored: Store, cache: Path) -> int:
    index = RowIndex(cache, str(stored.path))
    index.format = format_of(open_store(describe_root(stored.path)))
    return len(index.load("structural")[0])


def spoiled(content: bytes, random: Random) -> bytes:
    """Overwrite a stretch, mostly in the headers of the file and of its pages, or cut the end."""
    data = bytearray(content)
    page = random.randrange(len(data) // 4096) * 4096
    start = random.choice([random.randrange(len(data)), random.randrange(100), page + random.randrange(64)])
    for place in range(start, min(len(data), start + random.choice([1, 1, 2, 8, 64, 512, 5_000]))):
        data[place] = random.randrange(256)
    if random.random() < 0.1:
        del data[random.randrange(len(data)) :]
    return bytes(data)


def put_directory(path: Path) -> None:
    path.mkdir()


def put_full_directory(path: Path) -> None:
    path.mkdir()
    (path / "file").write_bytes(b"someone's")


def put_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        here = Path.cwd()
        os.chdir(path.parent)  # the path of a socket is limited to 108 bytes
        try:
            made.bind(path.name)
        finally:
            os.chdir(here)


def put_link(path: Path) -> None:
    path.symlink_to(path.parent / "nowhere")


IN_ITS_PLACE: list[Damage] = [put_directory, put_full_directory, os.mkfifo, put_socket, put_link]


def test_random_damage_of_the_index_costs_no_list_and_is_repaired(stored: Store, cache: Path) -> None:
    expected = titles(stored, cache)
    path = index_file(stored, cache)
    content = path.read_bytes()
    assert len(expected) == TASKS
    for seed in SEEDS:
        path.write_bytes(spoiled(content, Random(seed)))
        assert titles(stored, cache) == expected, seed
        assert rows_kept(stored, cache) == TASKS, seed


@pytest.mark.slow
def test_random_damage_of_the_search_file_costs_no_search_and_is_repaired(
    stored: Store, cache: Path, searches: SearchService
) -> None:
    expected = found(stored, searches)
    path = store_path(cache, str(stored.path))
    content = path.read_bytes()
    assert len(expected.hits) == expected.indexed == TASKS
    for seed in SEEDS:
        for other in cache.glob("*.search.db-*"):
            other.unlink()
        path.write_bytes(spoiled(content, Random(seed)))
        assert found(stored, searches).hits == expected.hits, seed


@pytest.mark.parametrize("put", IN_ITS_PLACE, ids=lambda put: put.__name__)
@pytest.mark.parametrize("suffix", ["", "-journal", "-wal"])
def test_what_is_not_a_file_is_replaced(
    stored: Store, cache: Path, searches: SearchService, put: Damage, suffix: str
) -> None:
    expected, hits = titles(stored, cache), found(stored, searches).hits
    for path in (index_file(stored, cache), store_path(cache, str(stored.path))):
        place = Path(f"{path}{suffix}")
        place.unlink(missing_ok=True)
        put(place)
    assert titles(stored, cache) == expected
    assert rows_kept(stored, cache) == TASKS
    assert found(stored, searches).hits == hits


def test_a_directory_with_content_is_put_aside(stored: Store, cache: Path) -> None:
    path = index_file(stored, cache)
    for _ in range(2):
        cache.mkdir(exist_ok=True)
        path.unlink(missing_ok=True)
        put_full_directory(path)
        titles(stored, cache)
    assert path.is_file()
    assert [(aside / "file").read_bytes() for aside in cache.glob("*.moved-*")] == [b"someone's"] * 2


def test_damage_while_the_history_is_open_is_repaired(
    stored: Store, cache: Path, searches: SearchService, say: Make
) -> None:
    history = TaskHistory([stored.path], now=lambda: NOW, cache=cache)
    history.list()
    hits = found(stored, searches).hits
    index_file(stored, cache).write_bytes(b"\xff" * 5_000)
    store_path(cache, str(stored.path)).write_bytes(b"\xff" * 5_000)
    stored.write(ui=[say("text", "one more")], task_id="ffffffff-0000-4000-8000-000000000000")
    assert len(history.list()) == TASKS + 1
    history.close()
    assert rows_kept(stored, cache) == TASKS + 1
    assert found(stored, searches).hits == hits


def test_text_that_sqlite_quotes_and_python_cannot_decode_is_damage(
    stored: Store, cache: Path, searches: SearchService
) -> None:
    """SQLite names the damaged table in its message, and Python fails on the name."""
    expected, hits = titles(stored, cache), found(stored, searches).hits
    for path, name in (
        (index_file(stored, cache), b"tableshardshard"),
        (store_path(cache, str(stored.path)), b"tabletasktask"),
    ):
        content = path.read_bytes()
        assert name in content
        path.write_bytes(content.replace(name, b"table\xff" + name[6:]))
        with pytest.raises(UnicodeDecodeError), closing(sqlite3.connect(path)) as database:
            database.execute("SELECT * FROM shard, task")
    assert titles(stored, cache) == expected
    assert rows_kept(stored, cache) == TASKS
    assert found(stored, searches).hits == hits


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE shard SET made_at = 'late'",
        "UPDATE shard SET rows = 'text'",
        "UPDATE shard SET checksum = 1.5",
        "UPDATE shard SET rows = x''",
        "UPDATE made_by SET version = x'ff'",
        "PRAGMA user_version = 7",
    ],
)
def test_values_of_another_type_are_damage_of_the_index(stored: Store, cache: Path, change: str) -> None:
    expected = titles(stored, cache)
    with closing(sqlite3.connect(index_file(stored, cache), isolation_level=None)) as database:
        database.execute(change)
    assert titles(stored, cache) == expected
    assert rows_kept(stored, cache) == TASKS


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE task SET first = 'x'",
        "UPDATE task SET first = 1, last = 100000",
        "UPDATE task SET name = x'ff' WHERE first = 1",
        "UPDATE message_content SET c1 = x'ff'",
        "UPDATE message_content SET c2 = 'neither'",
        "UPDATE message_content SET c3 = 'x'",
        "UPDATE message_content SET c5 = 'x'",
        "UPDATE message_content SET c0 = 'needle, but another text'",
        "PRAGMA user_version = 7",
    ],
)
def test_values_that_were_not_written_are_damage_of_the_search_file(
    stored: Store, cache: Path, searches: SearchService, change: str
) -> None:
    hits = found(stored, searches).hits
    with closing(sqlite3.connect(store_path(cache, str(stored.path)), isolation_level=None)) as database:
        database.execute(change)
    assert found(stored, searches).hits == hits


def test_a_damaged_file_of_each_of_two_roots_is_built_again(
    stored: Store, cache: Path, tmp_path: Path, say: Make
) -> None:
    other = Store(tmp_path / "other")
    other.write(ui=[say("text", "needle in another root")])
    history = TaskHistory([stored.path, other.path], now=lambda: NOW)
    service = SearchService(cache, wait_seconds=30)
    everything = SearchParams(text="needle", limit=100)
    hits = service.search(history, everything).hits
    for each in (stored, other):
        with closing(sqlite3.connect(store_path(cache, str(each.path)), isolation_level=None)) as database:
            database.execute("UPDATE message_content SET c0 = 'x'")
    assert service.search(history, everything).hits == hits
    service.close()


def test_a_new_index_holds_all_rows_after_one_task_changed(
    stored: Store, cache: Path, say: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "_IN_ALL_SHARDS", 1_000)
    history = TaskHistory([stored.path], now=lambda: NOW, cache=cache)
    history.list()
    index_file(stored, cache).unlink(missing_ok=True)
    stored.write(ui=[say("text", "one more")], task_id="ffffffff-0000-4000-8000-000000000000")
    history.list()
    history.close()
    assert rows_kept(stored, cache) == TASKS + 1


def test_a_store_that_is_opened_again_knows_its_tasks(stored: Store, cache: Path) -> None:
    update(cache, str(stored.path))
    with closing(SearchStore(store_path(cache, str(stored.path)))) as opened:
        assert len(opened.versions()) == TASKS
