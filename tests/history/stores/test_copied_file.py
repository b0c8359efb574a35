"""Copies of large files that are written only where they differ, and that stay as they are while read."""

import contextlib
import errno
import os
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sidecar.history.stores.sessions.databases import copied_file, private_copy
from sidecar.history.stores.sessions.databases.copied_file import (
    Unsteady,
    copy_file,
    kept_as_it_is,
    remove_unread,
    take_over,
)
from sidecar.history.stores.sessions.databases.foreign_database import ForeignDatabase
from sidecar.history.stores.sessions.databases.private_copy import NAME, copies_folder, copy_of, stamps_of

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows copies whole files")
MANY_BYTES = 3_000_000


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use an empty cache, on a file system where files do not share blocks."""
    monkeypatch.setenv("SIDECAR_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(copied_file, "_cloned", lambda *_: False)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Note how many bytes each update writes."""
    noted: list[int] = []
    write = os.pwrite

    def note(file: int, data: bytes, at: int) -> int:
        noted.append(len(data))
        return write(file, data, at)

    monkeypatch.setattr(os, "pwrite", note)
    return noted


@pytest.mark.parametrize("seed", range(20))
def test_an_older_copy_becomes_equal(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    source, copy = tmp_path / "source", tmp_path / "copy"
    data = bytearray(chance.randbytes(chance.choice([1, 65_536, MANY_BYTES])))
    copy.write_bytes(data)
    for _ in range(chance.randrange(4)):
        at = chance.randrange(len(data) + 1)
        data[at : at + 5_000] = chance.randbytes(chance.choice([0, 5_000, 9_000]))
    source.write_bytes(data)
    copy_file(str(source), copy)
    assert copy.read_bytes() == data


def test_only_what_differs_is_written(tmp_path: Path, written: list[int]) -> None:
    source, copy = tmp_path / "source", tmp_path / "copy"
    data = bytearray(random.Random(1).randbytes(MANY_BYTES))
    copy.write_bytes(data)
    data[1_000_000] ^= 1
    source.write_bytes(data)
    copy_file(str(source), copy)
    assert (written, copy.read_bytes()) == ([65_536], bytes(data))


def test_a_checkpoint_does_not_copy_the_whole_database_again(tmp_path: Path, written: list[int]) -> None:
    path = tmp_path / "some.db"
    with closing(_database(path)) as writer:
        for number in range(5):
            writer.execute("INSERT INTO t VALUES (?)", (f"row {number}",))
            assert _rows(path) == 2 * number + 2
            writer.execute("PRAGMA wal_checkpoint(RESTART)")
            writer.execute("INSERT INTO t VALUES ('the log begins again')")
            assert _rows(path) == 2 * number + 3
    assert 0 < sum(written) < MANY_BYTES / 2
    assert len([*copies_folder().glob(f"*/*/{NAME}")]) == 1


def test_a_copy_that_is_read_stays_as_it_is(tmp_path: Path, written: list[int]) -> None:
    path = tmp_path / "some.db"
    with closing(_database(path)) as writer:
        writer.execute("INSERT INTO t VALUES ('one')")
        with copy_of(str(path), stamps_of(str(path))) as copy:
            before = copy.read_bytes()
            with copy.open("rb") as opened:
                writer.execute("PRAGMA wal_checkpoint(RESTART)")
                writer.execute("INSERT INTO t VALUES ('two')")
                assert _rows(path) == 3
                assert opened.read() == before
    assert not written


def test_a_copy_that_was_taken_over_is_not_read(tmp_path: Path) -> None:
    copy = tmp_path / "old" / NAME
    copy.parent.mkdir()
    copy.write_bytes(b"old")
    take_over([copy], tmp_path / "target")
    assert [path.name for path in tmp_path.iterdir()] == ["target"]
    with pytest.raises(FileNotFoundError), kept_as_it_is(copy):
        pass


def test_a_full_disk_never_leaves_a_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, copy = tmp_path / "source", tmp_path / "copy"
    source.write_bytes(b"new")
    copy.write_bytes(b"old")
    write = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda file, data, at: write(file, data[:-1], at))
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        copy_file(str(source), copy)


def test_what_is_written_in_parts_is_written_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, copy = tmp_path / "source", tmp_path / "copy"
    source.write_bytes(b"some bytes")
    monkeypatch.delattr(os, "copy_file_range", raising=False)
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:3]))
    copy_file(str(source), copy)
    assert copy.read_bytes() == b"some bytes"


def test_a_copy_that_another_process_makes_is_not_taken_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: list[int]
) -> None:
    path = tmp_path / "some.db"
    with closing(_database(path)) as writer:
        writer.execute("INSERT INTO t VALUES ('one')")
        copy, inner = copied_file.copy_file, list[int]()

        def copy_and_be_interrupted(source: str, target: Path) -> None:
            copy(source, target)
            if source.endswith("-wal") and not inner:
                inner.append(0)
                inner[0] = _rows(path)

        monkeypatch.setattr(private_copy, "copy_file", copy_and_be_interrupted)
        assert (_rows(path), inner) == (2, [2])
        monkeypatch.undo()
        monkeypatch.setenv("SIDECAR_CACHE_DIR", str(tmp_path / "cache"))
        assert _rows(path) == 2


def test_a_folder_whose_copy_was_taken_over_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    with closing(_database(path)) as writer:
        writer.execute("INSERT INTO t VALUES ('one')")
        with copy_of(str(path), stamps_of(str(path))) as copy:
            pass
        copy.unlink()
        assert _rows(path) == 2


def test_a_copy_without_its_log_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    with closing(_database(path)) as writer:
        writer.execute("INSERT INTO t VALUES ('one')")
        with copy_of(str(path), stamps_of(str(path))) as copy:
            pass
        copy.with_name(f"{NAME}-wal").unlink()
        assert _rows(path) == 2


def test_a_copy_is_not_removed_between_two_looks_of_its_reader(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    with closing(_database(path)) as writer:
        writer.execute("INSERT INTO t VALUES ('one')")
        with copy_of(str(path), stamps_of(str(path))) as copy:
            writer.execute("INSERT INTO t VALUES ('two')")
            assert _rows(path) == 3
            with closing(sqlite3.connect(f"{copy.as_uri()}?mode=ro&vfs=unix-none", uri=True)) as reader:
                reader.execute("PRAGMA locking_mode=EXCLUSIVE")
                assert _count(reader) == 2
        writer.execute("INSERT INTO t VALUES ('three')")
        assert _rows(path) == 4
    assert len([*copies_folder().glob("*/*")]) == 1


def test_a_copy_that_another_reader_removes_meanwhile_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "some.db"
    removed = list[Path]()
    keep = kept_as_it_is

    def remove_first(copy: Path) -> contextlib.AbstractContextManager[None]:
        if not removed:
            removed.append(copy)
            remove_unread(copy, copy.parent.with_name("away"))
        return keep(copy)

    monkeypatch.setattr(private_copy, "kept_as_it_is", remove_first)
    with closing(_database(path)) as writer:
        writer.execute("INSERT INTO t VALUES ('one')")
        assert _rows(path) == 2
    assert removed


def _emptied(copy: Path) -> None:
    os.truncate(copy, 0)


def _halved(copy: Path) -> None:
    os.truncate(copy, copy.stat().st_size // 2)


def _zeroed(copy: Path) -> None:
    copy.write_bytes(bytes(copy.stat().st_size))


def _as_folder(copy: Path) -> None:
    copy.unlink()
    copy.mkdir()


def _as_pipe(copy: Path) -> None:
    copy.unlink()
    os.mkfifo(copy)


def _as_link(copy: Path) -> None:
    copy.replace(copy.with_name("moved"))
    copy.symlink_to("moved")


@pytest.mark.parametrize("name", [NAME, f"{NAME}-wal"])
@pytest.mark.parametrize("harm", [Path.unlink, _emptied, _halved, _zeroed, _as_folder, _as_pipe, _as_link])
def test_a_copy_that_was_damaged_is_made_again(
    tmp_path: Path, harm: Callable[[Path], None], name: str
) -> None:
    path = tmp_path / "some.db"
    with closing(_database(path)) as writer:
        writer.execute("INSERT INTO t VALUES ('one')")
        assert _rows(path) == 2
        (copy,) = copies_folder().glob(f"*/*/{name}")
        harm(copy)
        assert _rows(path) == 2
        assert len([*copies_folder().glob(f"*/*/{NAME}")]) == 1


def test_a_log_that_vanishes_before_it_is_opened_is_copied_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "some.db"
    connect: Callable[..., sqlite3.Connection] = sqlite3.connect
    vanished = list[Path]()

    def vanish(*arguments: Any, **options: Any) -> sqlite3.Connection:
        if not vanished:
            vanished.extend(copies_folder().glob(f"*/*/{NAME}-wal"))
            vanished[0].unlink()
        return connect(*arguments, **options)

    with closing(_database(path)) as writer:
        writer.execute("INSERT INTO t VALUES ('one')")
        monkeypatch.setattr(sqlite3, "connect", vanish)
        assert _rows(path) == 2
    assert vanished


def test_a_damaged_copy_is_made_again_while_rows_are_read(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    with closing(_database(path)) as writer:
        writer.execute("INSERT INTO t VALUES ('one')")
        assert _rows(path) == 2
        (copy,) = copies_folder().glob(f"*/*/{NAME}")
        with copy.open("r+b") as file:
            file.seek(-8_192, os.SEEK_END)
            file.write(b"\xff" * 8_192)
        database = ForeignDatabase(str(path))

        def read(connection: sqlite3.Connection) -> int | None:
            try:
                return len([*connection.execute("SELECT value FROM t")])
            except sqlite3.Error as error:
                database.refused(error)
                return None

        assert database.read(read)[1] == 2


def test_copies_are_synced_where_the_start_of_the_machine_is_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = list[str]()
    monkeypatch.setattr(private_copy, "_boot", lambda: "")
    monkeypatch.setattr(private_copy, "sync_file", lambda path: synced.append(path.name))
    path = tmp_path / "some.db"
    with closing(_database(path)) as writer:
        writer.execute("INSERT INTO t VALUES ('one')")
        assert _rows(path) == 2
    assert synced == [NAME, f"{NAME}-wal"]


def test_a_copy_of_before_the_last_start_of_the_machine_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "some.db"
    with closing(_database(path)) as writer:
        writer.execute("INSERT INTO t VALUES ('one')")
        names = list[str]()
        for boot in ("one", "two", "two"):
            monkeypatch.setattr(private_copy, "_boot", lambda boot=boot: boot)
            assert _rows(path) == 2
            names += [folder.name for folder in copies_folder().glob("*/*")]
    assert len(names) == 3
    assert names[0] != names[1] == names[2]


def test_a_copy_that_was_updated_since_is_not_read_with_an_older_log(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    with closing(_database(path)) as writer:
        writer.execute("INSERT INTO t VALUES ('one')")
        before = stamps_of(str(path))
        with copy_of(str(path), before):
            pass
        writer.execute("PRAGMA wal_checkpoint(RESTART)")
        with pytest.raises(Unsteady), copy_of(str(path), before):
            pass


def test_readers_in_one_process_see_the_logs_of_their_own_copies(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    with closing(_database(path)) as writer:
        for number in range(5):
            writer.execute("INSERT INTO t VALUES (?)", (number,))

            def read_between(connection: sqlite3.Connection) -> tuple[int, int]:
                before = _count(connection)
                writer.execute("INSERT INTO t VALUES ('more')")
                return before, _rows(path)

            first = 2 * number + 2
            assert ForeignDatabase(str(path)).read(read_between)[1] == (first, first + 1)


def test_a_name_that_was_given_to_another_file_meanwhile_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy, other = tmp_path / "copy", tmp_path / "other"
    copy.write_bytes(b"old")
    other.write_bytes(b"new")
    monkeypatch.setattr("fcntl.flock", lambda *_: other.replace(copy))
    with pytest.raises(Unsteady), kept_as_it_is(copy):
        pass


def test_what_an_unsteady_copy_wrote_is_used_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: list[int]
) -> None:
    path = tmp_path / "some.db"
    with closing(_database(path)) as writer:
        writer.execute("INSERT INTO t VALUES ('one')")
        before = stamps_of(str(path))
        monkeypatch.setattr(private_copy, "_is_steady", lambda *_: False)
        with pytest.raises(Unsteady), copy_of(str(path), before):
            pass
        monkeypatch.undo()
        monkeypatch.setenv("SIDECAR_CACHE_DIR", str(tmp_path / "cache"))
        monkeypatch.setattr(copied_file, "_copy_blocks", _only_logs)
        assert _rows(path) == 2
    assert not written
    assert len([*copies_folder().glob("*/*")]) == 1


def _only_logs(given: int, made: int) -> None:
    data = os.read(given, MANY_BYTES)
    assert len(data) < MANY_BYTES / 2
    os.write(made, data)


def _database(path: Path) -> sqlite3.Connection:
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA journal_mode=WAL")
    writer.execute("CREATE TABLE t (value)")
    writer.execute("INSERT INTO t VALUES (?)", (random.Random(1).randbytes(MANY_BYTES),))
    writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return writer


def _rows(path: Path) -> int:
    return ForeignDatabase(str(path)).read(_count)[1]


def _count(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM t").fetchone()[0])
