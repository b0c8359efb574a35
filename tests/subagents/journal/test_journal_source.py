"""Read-only file systems, and write-ahead logs that are removed while in use."""

import asyncio
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sidecar.api.errors import StorageError
from sidecar.subagents.journal import schema as journal_schema
from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.journal.journal_file import Reading, Writing
from tests.subagents.journal.conftest import MakeRecord

REPO = Path(__file__).parents[3]
ENDED_WITHOUT_CLOSING = """
import asyncio, os, sys
from pathlib import Path
from sidecar.subagents.journal.journal import Journal

async def main():
    journal = await Journal.open(Path(sys.argv[1]))
    await journal.record_delivery("late", [], 5, "open")
    os._exit(0)

asyncio.run(main())
"""
READ = """
import asyncio, json, sys
from pathlib import Path
from sidecar.subagents.journal.journal import Journal

async def main():
    journal = await Journal.open(Path(sys.argv[1]), read_only=True)
    page, counts = await journal.list(), await journal.counts()
    deliveries = [each.delivery_id for each in await journal.deliveries()]
    print(json.dumps([[record.task.id for record in page.records], counts["failed"], deliveries]))
    await journal.aclose()

asyncio.run(main())
"""
MOUNTED = 'mount --bind "$1" "$2" && mount -o remount,bind,ro "$2" && shift 2 && exec "$@"'


def read(path: Path, *before: str) -> tuple[list[str], int, list[str]]:
    """Read runs, failed runs and deliveries in another process, which a command starts."""
    command = [*before, sys.executable, "-c", READ, str(path)]
    done = subprocess.run(command, cwd=REPO, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    runs, failed, deliveries = json.loads(done.stdout)
    return runs, failed, deliveries


def read_mounted(folder: Path, mount: Path) -> tuple[list[str], int, list[str]]:
    """Call `read` in a read-only mount of `folder`. This needs permission to mount."""
    mount.mkdir(exist_ok=True)
    mounted = ["unshare", "--map-root-user", "--mount", "sh", "-c", MOUNTED, "sh", str(folder), str(mount)]
    return read(mount / "sidecar.db", *mounted)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of private copies, which the test must leave empty."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    yield place
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("state", ["closed", "killed", "killed, and its index is gone", "open"])
def test_a_read_only_mount_is_read_completely(
    tmp_path: Path, temporary: Path, make_record: MakeRecord, state: str
) -> None:
    folder = tmp_path / "root"
    folder.mkdir()
    path, record = folder / "sidecar.db", make_record("failed")

    async def fill() -> None:
        journal = await Journal.open(path)
        await journal.save(record)
        if state == "open":
            await journal.record_delivery("late", [], 5, "open")
            found.extend(await asyncio.to_thread(read_mounted, folder, tmp_path / "mount"))
        await journal.aclose()

    found: list[object] = []
    asyncio.run(fill())
    if state.startswith("killed"):
        command = [sys.executable, "-c", ENDED_WITHOUT_CLOSING, str(path)]
        subprocess.run(command, cwd=REPO, timeout=60, check=True)
        assert (folder / "sidecar.db-wal").stat().st_size > 0
    if state.endswith("gone"):
        (folder / "sidecar.db-shm").unlink()
    before = sorted(file.name for file in folder.iterdir())
    if not found:
        found.extend(read_mounted(folder, tmp_path / "mount"))
    assert found == [[record.task.id], 1, [] if state == "closed" else ["late"]]
    assert state == "open" or sorted(file.name for file in folder.iterdir()) == before


async def test_a_frozen_view_ends_when_the_journal_is_written(
    path: Path, make_record: MakeRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = await Journal.open(path)
    await writer.save(make_record())
    await writer.aclose()
    monkeypatch.setattr("sidecar.subagents.journal.journal_file.connect_to_read", refusing_once())
    reader = await Journal.open(path, read_only=True)
    assert (await reader.counts())["running"] == 1
    writer = await Journal.open(path)
    await writer.save(make_record())
    assert (await reader.counts())["running"] == 2
    await reader.aclose()
    await writer.aclose()


def refusing_once() -> object:
    """Return a `connect_to_read` that cannot create the shared memory the first time."""
    calls: list[Path] = []

    def connect(path: Path, **options: object) -> sqlite3.Connection:
        calls.append(path)
        if len(calls) > 1:
            return journal_schema.connect_to_read(path, **options)  # type: ignore[arg-type]
        cause = sqlite3.OperationalError("unable to open database file")
        cause.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
        raise StorageError("no", path=str(path), reason="no") from cause

    return connect


async def test_a_file_that_may_not_be_read_is_an_error_that_names_it(path: Path) -> None:
    path.mkdir()
    with pytest.raises(StorageError, match=str(path)):
        await Journal.open(path, read_only=True)


async def test_an_owner_whose_log_is_removed_loses_nothing(path: Path, make_record: MakeRecord) -> None:
    owner = await Journal.open(path)
    first, second = make_record("failed", at=2), make_record("failed", at=1)
    await owner.save(first)
    remove_log(path)
    assert (await asyncio.to_thread(read, path))[1] == 0
    await owner.save(second)
    assert (await asyncio.to_thread(read, path))[:2] == ([first.task.id, second.task.id], 2)
    await owner.aclose()
    again = await Journal.open(path)
    assert (await again.counts())["failed"] == 2
    await again.aclose()


async def test_writes_before_a_log_was_removed_are_kept(path: Path, make_record: MakeRecord) -> None:
    owner = await Journal.open(path)
    await owner.save(make_record())
    remove_log(path)
    await owner.aclose()
    again = await Journal.open(path)
    assert len(await again.unfinished()) == 1
    await again.aclose()


def test_a_file_without_the_log_that_contains_its_tables_is_an_error(path: Path) -> None:
    script = """import os, sqlite3, sys; db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA journal_mode = WAL"); db.execute("CREATE TABLE t (x)"); os._exit(0)"""
    subprocess.run([sys.executable, "-c", script, str(path)], timeout=60, check=True)
    remove_log(path)
    with pytest.raises(StorageError, match=r"write-ahead log .* was removed; stop the sidecar that uses it"):
        Reading(path).connect()


def test_a_replaced_journal_is_not_touched(path: Path) -> None:
    source = Writing(path)
    connection = source.connect()
    assert source.is_current()
    path.rename(path.with_name("moved.db"))
    assert source.is_current()
    source.disconnect(connection)
    assert not path.exists()


def remove_log(path: Path) -> None:
    for name in (f"{path.name}-wal", f"{path.name}-shm"):
        path.with_name(name).unlink()
