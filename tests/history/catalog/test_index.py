import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.history import TaskHistory
from sidecar.history.catalog import index
from sidecar.history.catalog.index import RowIndex
from sidecar.history.stores.index_row import IndexRow
from tests.history.conftest import NOW, Store

Make = Callable[..., dict[str, Any]]
REPO = Path(__file__).parents[3]


def row(number: int, body: bytes = b'"id":"x"') -> IndexRow:
    name = f"{number:08x}-0000-4000-8000-000000000000"
    return IndexRow(name, number, b"", NOW, None, "failed", 1, body, b',"problems":[]}')


def rows(count: int) -> dict[str, IndexRow]:
    return {each.id: each for each in map(row, range(count))}


def saved(directory: Path, root: str = "/root") -> RowIndex:
    made = RowIndex(directory, root)
    made.save("structural", rows(200), rows(200), NOW)
    return made


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    saved(tmp_path)
    loaded = RowIndex(tmp_path, "/root").load("structural")[0]
    assert {each.stored(each.common) for each in loaded.values()} == {
        each.stored(each.common) for each in rows(200).values()
    }


def test_loaded_rows_share_the_part_of_their_json_that_is_equal(tmp_path: Path) -> None:
    saved(tmp_path)
    loaded = RowIndex(tmp_path, "/root").load("structural")[0]
    assert len({id(each.common) for each in loaded.values()}) == 1
    assert {each.root for each in loaded.values()} == {"/root"}


def test_rule_sets_and_roots_are_kept_apart(tmp_path: Path) -> None:
    saved(tmp_path)
    assert RowIndex(tmp_path, "/root").load("guide")[0] == {}
    assert RowIndex(tmp_path, "/other").load("structural")[0] == {}


def test_rows_of_another_format_are_not_used(tmp_path: Path) -> None:
    made = saved(tmp_path)
    made.format = "another"
    assert made.load("structural")[0] == {}


def test_the_name_of_a_root_may_be_any_bytes(tmp_path: Path) -> None:
    root = os.fsdecode(b"/root\xff\n")
    saved(tmp_path, root)
    assert len(RowIndex(tmp_path, root).load("structural")[0]) == 200
    assert RowIndex(tmp_path, "/root").load("structural")[0] == {}


def test_only_the_shards_of_changed_tasks_are_written(tmp_path: Path) -> None:
    made, all_rows = saved(tmp_path), rows(200)
    first, *others = all_rows
    stale = {name: row(7, b"new") for name in all_rows}
    made.save("structural", {**stale, first: row(0, b"new")}, [first], NOW)
    loaded = made.load("structural")[0]
    same_shard = {name for name in others if index.shard_of(name) == index.shard_of(first)}
    assert loaded[first].body == b"new"
    assert all(loaded[name].body != b"new" for name in others if name not in same_shard)


def test_the_index_is_private(tmp_path: Path) -> None:
    made = saved(tmp_path / "index")
    assert made.path.stat().st_mode & 0o777 == 0o600
    assert made.path.parent.stat().st_mode & 0o777 == 0o700


def test_no_index_is_made_for_nothing(tmp_path: Path) -> None:
    RowIndex(tmp_path / "index", "/root").save("structural", {}, [], NOW)
    assert RowIndex(tmp_path / "index", "/root").load("structural")[0] == {}
    assert not (tmp_path / "index").exists()


@pytest.mark.parametrize("length", [0, 10, 100, 4096, 5000])
def test_a_cut_index_is_rebuilt(tmp_path: Path, length: int) -> None:
    made = saved(tmp_path)
    os.truncate(made.path, length)
    assert made.load("structural")[0] == {}
    made.save("structural", rows(3), rows(3), NOW)
    assert len(RowIndex(tmp_path, "/root").load("structural")[0]) == 3


def test_a_changed_byte_costs_the_index_but_not_the_rows(tmp_path: Path) -> None:
    made = saved(tmp_path)
    with sqlite3.connect(made.path) as database:
        (data,) = database.execute("SELECT rows FROM shard").fetchone()
    database.close()
    content = bytearray(made.path.read_bytes())
    content[content.index(data[:16]) + 20] ^= 1
    made.path.write_bytes(content)
    assert made.load("structural")[0] == {}
    assert not made.path.exists()


def test_a_version_that_is_no_longer_text_is_damage(tmp_path: Path) -> None:
    made = saved(tmp_path)
    content = made.path.read_bytes()
    made.path.write_bytes(content.replace(b"catalog.py", b"cat\xfflog.py"))
    assert made.load("structural")[0] == {}
    made.save("structural", rows(3), rows(3), NOW)
    assert len(RowIndex(tmp_path, "/root").load("structural")[0]) == 3


@pytest.mark.parametrize("change", ["DROP TABLE shard", "ALTER TABLE shard RENAME COLUMN rows TO rosw"])
def test_tables_that_lost_a_part_are_rebuilt(tmp_path: Path, change: str) -> None:
    made = saved(tmp_path)
    with sqlite3.connect(made.path) as database:
        database.execute(change)
    database.close()
    assert made.load("structural")[0] == {}
    made.save("structural", rows(3), rows(3), NOW)
    assert len(RowIndex(tmp_path, "/root").load("structural")[0]) == 3


@pytest.mark.parametrize("content", [b"no database", b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_file_that_is_not_a_database_is_replaced(tmp_path: Path, content: bytes) -> None:
    made = RowIndex(tmp_path, "/root")
    made.path.write_bytes(content)
    assert made.load("structural")[0] == {}
    made.save("structural", rows(3), rows(3), NOW)
    assert len(made.load("structural")[0]) == 3


def test_rows_of_another_version_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved(tmp_path)
    monkeypatch.setattr(index, "_version", lambda: "another")
    made = RowIndex(tmp_path, "/root")
    assert made.load("structural")[0] == {}
    made.save("structural", rows(3), rows(3), NOW)
    assert len(made.load("structural")[0]) == 3


def test_tables_with_other_columns_are_replaced(tmp_path: Path) -> None:
    made = RowIndex(tmp_path, "/root")
    with sqlite3.connect(made.path) as database:
        database.execute("CREATE TABLE made_by (something)")
        database.execute("CREATE TABLE shard (else_)")
    database.close()
    assert made.load("structural")[0] == {}
    made.save("structural", rows(3), rows(3), NOW)
    assert len(made.load("structural")[0]) == 3


def test_an_index_that_another_process_locks_is_not_used_this_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "_BUSY_SECONDS", 0.01)
    made = saved(tmp_path)
    other = sqlite3.connect(made.path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    made.save("structural", rows(300), rows(300), NOW)
    other.execute("ROLLBACK")
    other.close()
    assert len(made.load("structural")[0]) == 200
    made.save("structural", rows(300), rows(300), NOW)
    assert len(made.load("structural")[0]) == 300


@pytest.mark.parametrize("code", [sqlite3.SQLITE_READONLY_DBMOVED, sqlite3.SQLITE_FULL])
def test_an_index_on_a_disk_that_refuses_writes_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def refuse(*_: object) -> None:
        error = sqlite3.OperationalError("the disk takes nothing")
        error.sqlite_errorcode = code
        raise error

    made = saved(tmp_path)
    monkeypatch.setattr(made, "_save", refuse)
    made.save("structural", rows(3), rows(3), NOW)
    assert made.load("structural")[0] == {}
    assert len(RowIndex(tmp_path, "/root").load("structural")[0]) == 200


def test_an_index_at_a_path_that_is_not_a_folder_is_not_used(tmp_path: Path, store: Store, say: Make) -> None:
    (tmp_path / "file").write_bytes(b"")
    store.write(ui=[say("text", "x")])
    history = TaskHistory([store.path], now=lambda: NOW, cache=tmp_path / "file" / "index")
    assert len(history.list()) == 1
    history.close()
    assert (tmp_path / "file").read_bytes() == b""


_WRITER = """
import sys
from pathlib import Path
from tests.history.catalog.test_index import NOW, RowIndex, rows
made = RowIndex(Path(sys.argv[1]), "/root")
print("ready", flush=True)
while True:
    made.save("structural", rows(2000), rows(2000), NOW)
"""


def test_a_kill_in_the_middle_of_a_write_leaves_whole_shards(tmp_path: Path) -> None:
    for _ in range(3):
        writer = subprocess.Popen([sys.executable, "-c", _WRITER, tmp_path], stdout=subprocess.PIPE, cwd=REPO)
        assert writer.stdout is not None
        writer.stdout.readline()
        made = RowIndex(tmp_path, "/root")
        while not made.load("structural")[0]:
            assert writer.poll() is None
        writer.kill()
        writer.wait(10)
        writer.stdout.close()
        assert len(RowIndex(tmp_path, "/root").load("structural")[0]) == 2000


def test_several_writers_and_readers_do_not_disturb_each_other(tmp_path: Path) -> None:
    counts: list[int] = []

    def work() -> None:
        made = RowIndex(tmp_path, "/root")
        for _ in range(5):
            made.save("structural", rows(200), rows(200), NOW)
            counts.append(len(made.load("structural")[0]))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert set(counts) <= {0, 200} and counts[-1] == 200


@pytest.mark.usefixtures("open_umask")
def test_every_directory_made_for_the_index_is_private(tmp_path: Path) -> None:
    RowIndex(tmp_path / "cache" / "index", "/root").save("structural", rows(3), rows(3), NOW)
    modes = {path: path.stat().st_mode & 0o777 for path in (tmp_path / "cache", tmp_path / "cache" / "index")}
    assert set(modes.values()) == {0o700}
