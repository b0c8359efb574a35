import asyncio
import os
import re
import sqlite3
import stat
import sys
from pathlib import Path

import pytest

from sidecar.api.errors import StorageError
from sidecar.subagents.journal import schema as journal_schema
from sidecar.subagents.journal.journal import Journal, JournalMissing
from sidecar.subagents.journal.journal_file import log_is_missing
from tests.subagents.journal.conftest import MakeRecord


async def test_the_files_are_private(path: Path, make_record: MakeRecord) -> None:
    before = os.umask(0)
    journal = await Journal.open(path)
    await journal.save(make_record())
    modes = {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    await journal.aclose()
    os.umask(before)
    assert modes == {0o600}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows the files that a process has open")
async def test_a_lost_log_is_noticed_even_if_another_connection_has_made_a_new_one(
    path: Path, make_record: MakeRecord
) -> None:
    journal = await Journal.open(path)
    await journal.save(make_record())
    assert not log_is_missing(path, os.getpid())
    for end in ("-wal", "-shm"):
        path.with_name(path.name + end).unlink()
    assert log_is_missing(path, os.getpid())
    connection = sqlite3.connect(path)
    connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    assert path.with_name(f"{path.name}-wal").exists()
    assert log_is_missing(path, os.getpid())
    connection.close()
    await journal.aclose()


async def test_a_failed_migration_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await (await Journal.open(path)).aclose()
    before = path.read_bytes()
    broken = (*journal_schema.MIGRATIONS, ("CREATE TABLE half (x)", "NO SQL"))
    monkeypatch.setattr(journal_schema, "MIGRATIONS", broken)
    monkeypatch.setattr(journal_schema, "VERSION", len(broken))
    with pytest.raises(StorageError, match="syntax error"):
        await Journal.open(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "damage", [b"not a database, but text" * 100, b"SQLite format 3\0" + b"\xff" * 5_000]
)
async def test_a_damaged_file_is_refused_and_left_alone(path: Path, damage: bytes) -> None:
    path.write_bytes(damage)
    with pytest.raises(StorageError, match=rf"{re.escape(str(path))}.* damaged; move it"):
        await Journal.open(path)
    assert path.read_bytes() == damage


async def test_reading_a_damaged_page_raises_an_error(path: Path, make_record: MakeRecord) -> None:
    journal = await Journal.open(path)
    for _ in range(200):
        await journal.save(make_record())
    await journal.aclose()
    content = bytearray(path.read_bytes())
    content[3 * 4096 :] = b"\xff" * (len(content) - 3 * 4096)
    path.write_bytes(content)
    journal = await Journal.open(path)
    with pytest.raises(StorageError, match="damaged"):
        await journal.list(limit=200)
    await journal.aclose()


async def test_another_programs_database_is_not_touched(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE theirs (x)")
    database.close()
    before = path.read_bytes()
    with pytest.raises(StorageError, match="another program's"):
        await Journal.open(path)
    assert path.read_bytes() == before


async def test_a_path_that_cannot_be_written_is_named(path: Path) -> None:
    with pytest.raises(StorageError, match=re.escape(str(path / "x"))):
        await Journal.open(path / "x")


async def test_reading_does_not_create_a_journal(path: Path) -> None:
    with pytest.raises(JournalMissing, match="no journal yet"):
        await Journal.open(path, read_only=True)
    path.touch()
    with pytest.raises(JournalMissing):
        await Journal.open(path, read_only=True)
    assert path.stat().st_size == 0


async def test_a_reader_sees_commits_of_the_writer(
    journal: Journal, path: Path, make_record: MakeRecord
) -> None:
    reader = await Journal.open(path, read_only=True)
    for n in range(1, 4):
        await journal.save(make_record())
        assert (await reader.counts())["running"] == n
    await reader.aclose()


async def test_a_reader_may_not_write(journal: Journal, path: Path, make_record: MakeRecord) -> None:
    reader = await Journal.open(path, read_only=True)
    with pytest.raises(StorageError, match="read-only here"):
        await reader.save(make_record())
    with pytest.raises(StorageError, match="read-only here"):
        await reader.append("a", [{"seq": 1}])
    await reader.aclose()
    assert journal.depth == 0


async def test_a_closed_journal_raises_an_error(path: Path, make_record: MakeRecord) -> None:
    journal = await Journal.open(path)
    await asyncio.gather(journal.aclose(), journal.aclose())
    with pytest.raises(StorageError, match="closed"):
        await journal.save(make_record())


async def test_a_reader_opens_after_the_writer_has_closed(path: Path, make_record: MakeRecord) -> None:
    record = make_record()
    journal = await Journal.open(path)
    await journal.save(record)
    await journal.aclose()
    reader = await Journal.open(path, read_only=True)
    assert await reader.get(record.task.id) == record
    await reader.aclose()


async def test_a_path_that_is_too_long_for_sqlite_is_named_with_the_remedy(tmp_path: Path) -> None:
    folder = tmp_path
    while len(str(folder)) < 500:
        folder /= "x" * 100
    folder.mkdir(parents=True)
    with pytest.raises(StorageError, match=r"longer than 504 bytes.*use a storage root with a shorter path"):
        await Journal.open(folder / "sidecar.db")
