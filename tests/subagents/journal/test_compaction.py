"""A journal that cannot shrink page by page is replaced by a smaller copy, or stays as it is."""

import asyncio
import resource
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sidecar.storage.layout import OwnRoot
from sidecar.storage.root_lock import RootLock
from sidecar.subagents.journal import compaction
from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.journal.pruning import Limits, Position
from tests.subagents.journal.conftest import MakeRecord, turn_off_auto_vacuum

HUGE = 1 << 40
COPY = """
import sys
from pathlib import Path
from sidecar.subagents.journal import compaction
def is_wanted():
    print("copying", flush=True)
    return True
compaction.write_copy(Path(sys.argv[1]), is_wanted)
"""


def nothing(path: Path) -> None:
    """Expect no new file."""


def pragma(path: Path, name: str) -> object:
    with sqlite3.connect(path) as db:
        (found,) = db.execute(f"PRAGMA {name}").fetchone()
    db.close()
    return found


@pytest.fixture
async def old(path: Path, make_record: MakeRecord) -> AsyncIterator[Journal]:
    """A journal of the first version with free pages and one run of 20 KB."""
    turn_off_auto_vacuum(path)
    journal = await Journal.open(path)
    for number in range(2):
        record = make_record("completed", number, sync=True)
        await journal.save(record)
        size = 4_000_000 if number == 0 else 20_000
        await journal.append(record.task.id, [{"seq": 1, "ts": 1, "type": "log", "text": "x" * size}])
    position: Position | None = Position()
    while position is not None:
        position = await journal.maintenance.prune(Limits(86_400_006, 86_400_000, HUGE), position)
    yield journal
    await journal.aclose()


async def content(journal: Journal) -> list[tuple[str, int]]:
    """Return the runs and their last events."""
    records = (await journal.list()).records
    return [(record.task.id, await journal.last_seq(record.task.id)) for record in records]


async def test_an_old_journal_becomes_small_and_stays_able_to_shrink(old: Journal, path: Path) -> None:
    before = await content(old)
    assert len(before) == 1
    assert path.stat().st_size > 4_000_000
    assert await old.maintenance.needs_compaction()
    assert await old.maintenance.compact(lambda: True, nothing)
    assert await content(old) == before
    assert await old.counts() == {"queued": 0, "running": 0, "completed": 1, "failed": 0, "cancelled": 0}
    assert path.stat().st_size < 200_000
    assert path.stat().st_mode & 0o777 == 0o600
    assert (pragma(path, "auto_vacuum"), pragma(path, "journal_mode")) == (2, "wal")
    await old.append(before[0][0], [{"seq": 2, "ts": 1, "type": "log"}])
    await old.flush()
    await old.aclose()
    assert pragma(path, "integrity_check") == "ok"
    again = await Journal.open(path)
    assert await content(again) == [(before[0][0], 2)]
    await again.aclose()


async def test_a_write_during_the_copying_is_kept_and_the_copy_is_not_used(
    old: Journal, path: Path, make_record: MakeRecord
) -> None:
    before, added = await content(old), make_record("completed")
    copy = compaction.write_copy(path, lambda: True)
    assert copy is not None
    await old.save(added)
    assert not copy.replace()
    assert not copy.path.exists()
    assert sorted(await content(old)) == sorted([*before, (added.task.id, 0)])


async def test_a_journal_that_another_process_reads_is_not_replaced(old: Journal, path: Path) -> None:
    reader = await Journal.open(path, read_only=True)
    inode = path.stat().st_ino
    assert not await old.maintenance.compact(lambda: True, nothing)
    assert path.stat().st_ino == inode
    assert await content(reader) == await content(old)
    await reader.aclose()
    assert await old.maintenance.compact(lambda: True, nothing)
    assert path.stat().st_ino != inode


async def test_copying_stops_once_the_host_is_busy(old: Journal, path: Path) -> None:
    inode = path.stat().st_ino
    assert not await old.maintenance.compact(lambda: False, nothing)
    assert (path.stat().st_ino, [*path.parent.glob("*.compact*")]) == (inode, [])


async def test_a_cancelled_compaction_leaves_no_copy(old: Journal, path: Path) -> None:
    work = asyncio.create_task(old.maintenance.compact(lambda: True, nothing))
    await asyncio.sleep(0)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert [*path.parent.glob("*.compact*")] == []
    assert len(await content(old)) == 1


async def test_a_full_disk_leaves_the_journal_as_it_is(old: Journal, path: Path) -> None:
    before = await content(old)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16_384, limits[1]))
    try:
        is_done = await old.maintenance.compact(lambda: True, nothing)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, ignored)
    assert not is_done
    assert [*path.parent.glob("*.compact*")] == []
    assert await content(old) == before


async def test_a_killed_copying_loses_nothing_and_is_repeated(
    old: Journal, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await content(old)
    process = subprocess.Popen([sys.executable, "-c", COPY, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert await asyncio.to_thread(process.stdout.readline) == "copying\n"
    process.kill()
    process.communicate()
    assert await old.maintenance.compact(lambda: True, nothing)
    assert await content(old) == before
    assert [*path.parent.glob("*.compact*")] == []


async def test_a_reader_that_opened_the_replaced_file_reads_the_new_one(
    old: Journal, path: Path, make_record: MakeRecord
) -> None:
    copy = compaction.write_copy(path, lambda: True)
    assert copy is not None
    await old.aclose()
    reader = await Journal.open(path, read_only=True)
    await reader.list()
    copy._reader.close()
    copy.path.replace(path)
    for name in ("-wal", "-shm"):
        path.with_name(path.name + name).unlink(missing_ok=True)
    writer = await Journal.open(path)
    added = make_record()
    await writer.save(added)
    assert added.task.id in dict(await content(reader))
    await reader.aclose()
    await writer.aclose()


def test_the_lock_of_the_root_accepts_only_the_expected_journal(tmp_path: Path) -> None:
    root = OwnRoot(tmp_path / "root")
    lock = RootLock.acquire(root)
    assert isinstance(lock, RootLock)
    for name in ("sidecar.db", "expected", "other"):
        (root.path / name).write_text(name)
    assert lock.replaced() is None
    lock.expect_journal(root.path / "expected")
    (root.path / "expected").replace(root.database)
    assert lock.replaced() is None
    (root.path / "other").replace(root.database)
    assert lock.replaced() == root.database
    lock.release()
