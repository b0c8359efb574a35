"""Journals of all earlier versions are migrated, and those of later versions are read-only."""

import shutil
import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pytest

from sidecar.api.errors import StorageError
from sidecar.api.runs.launches import LaunchParams
from sidecar.app.host import Host
from sidecar.app.launching.workspace import Workspace
from sidecar.app.settings import SettingsStore
from sidecar.subagents.journal import pruning
from sidecar.subagents.journal import schema as journal_schema
from sidecar.subagents.journal.journal import Journal, JournalNewer
from sidecar.subagents.journal.pruning import Limits, Position
from tests.app.callers import caller
from tests.subagents.journal.conftest import MakeRecord

FORMATS = sorted(Path(__file__).with_name("versions").glob("*.sql"))
"""Journals as the versions that introduced these formats wrote them, with one run of each status."""
IDS = [f"0000000{n}-0000-4000-8000-000000000000" for n in range(1, 7)]
TEXT = "x" * 1_000
LONG = b'{"seq":1,"ts":1,"type":"message","text":"%s"}' % TEXT.encode()
NEWER = r"newer version \(format \d+, this one knows \d+\); update the sidecar, or use another storage root"


def write_old(path: Path, script: Path) -> None:
    with sqlite3.connect(path) as database:
        database.executescript(script.read_text())
        database.execute("PRAGMA journal_mode = WAL")
    database.close()


def make_newer(path: Path, *statements: str) -> None:
    with sqlite3.connect(path) as database:
        for statement in (*statements, f"PRAGMA user_version = {journal_schema.VERSION + 1}"):
            database.execute(statement)
    database.close()


async def prune(journal: Journal, now: int = 1_776_000_000_000) -> None:
    position: Position | None = Position()
    while position is not None:
        position = await journal.maintenance.prune(Limits(now, 86_400_000, 1 << 30), position)


def format_of(path: Path) -> int:
    with sqlite3.connect(path) as database:
        found = int(database.execute("PRAGMA user_version").fetchone()[0])
    database.close()
    return found


def columns(path: Path) -> set[tuple[object, ...]]:
    query = "SELECT m.name, m.type, c.name, c.type FROM sqlite_master m LEFT JOIN pragma_table_info(m.name) c"
    with sqlite3.connect(path) as database:
        found = set(database.execute(query).fetchall())
    database.close()
    return found


def test_there_is_a_journal_of_every_earlier_format() -> None:
    assert [script.stem for script in FORMATS] == [str(n) for n in range(1, journal_schema.VERSION)]


@pytest.mark.parametrize("script", FORMATS, ids=lambda script: script.stem)
async def test_a_journal_of_an_earlier_version_is_migrated_with_its_runs(path: Path, script: Path) -> None:
    write_old(path, script)
    journal = await Journal.open(path)
    records = {record.task.id: record for record in (await journal.list()).records}
    assert sorted(records) == IDS
    assert not any(record.unreadable for record in records.values())
    assert [records[each].task.status for each in IDS] == [
        "completed",
        "failed",
        "cancelled",
        "completed",
        "running",
        "queued",
    ]
    assert [len((await journal.read_events(each)).events) for each in IDS] == [2] * 6
    assert [record.task.id for record in await journal.unfinished()] == IDS[4:]
    assert [record.task.id for record in await journal.undelivered()] == [IDS[1]]
    assert [each.delivery_id for each in await journal.deliveries()] == ["d1"]
    await journal.record_delivery("d2", [], 1, "open", "mcp")
    assert [each.client for each in await journal.deliveries()] == ["mcp", None]
    assert [each.id for each in await journal.permissions()] == (["p1"] if script.stem != "1" else [])
    await prune(journal, now=1_800_000_000_000)
    assert sorted(await journal.ids()) == [IDS[1], *IDS[4:]]
    await journal.aclose()
    new = path.with_name("new.db")
    await (await Journal.open(new)).aclose()
    assert columns(path) == columns(new)


@pytest.mark.parametrize("script", FORMATS, ids=lambda script: script.stem)
async def test_a_journal_of_an_earlier_version_can_be_read_before_it_is_migrated(
    path: Path, script: Path
) -> None:
    write_old(path, script)
    before = path.read_bytes()
    reader = await Journal.open(path, read_only=True)
    assert len((await reader.list()).records) == 6
    assert (await reader.counts())["completed"] == 2
    assert (await reader.read_events(IDS[0])).last_seq == 2
    assert len(await reader.permissions()) == (0 if script.stem == "1" else 1)
    await reader.aclose()
    assert path.read_bytes() == before


@pytest.mark.parametrize("script", FORMATS, ids=lambda script: script.stem)
async def test_a_journal_without_space_for_a_copy_of_its_events_works_as_it_is(
    path: Path, script: Path, make_record: MakeRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_old(path, script)
    with monkeypatch.context() as full:
        full.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=2 * path.stat().st_size))
        journal = await Journal.open(path)
        record = make_record("completed")
        await journal.save(record)
        await journal.append(record.task.id, [{"seq": 1, "ts": 1, "type": "log"}])
        await journal.maintenance.forget([IDS[0]])
        await prune(journal)
        await journal.aclose()
    assert format_of(path) == 4
    journal = await Journal.open(path)
    assert (await journal.read_events(record.task.id)).last_seq == 1
    assert sorted(await journal.ids()) == sorted([*IDS[1:], record.task.id])
    assert [(await journal.read_events(each)).last_seq for each in IDS] == [0, *[2] * 5]
    await journal.aclose()
    assert format_of(path) == journal_schema.VERSION


async def test_an_event_of_more_than_a_thousand_bytes_needs_no_page_of_its_own(path: Path) -> None:
    write_old(path, FORMATS[-1])
    with sqlite3.connect(path) as database:
        database.executemany("INSERT INTO events VALUES (?, ?, ?)", [("x", n, LONG) for n in range(1, 401)])
    database.close()
    before = path.stat().st_size
    journal = await Journal.open(path)
    await journal.append("y", [{"seq": n, "ts": 1, "type": "message", "text": TEXT} for n in range(1, 401)])
    await journal.aclose()
    with sqlite3.connect(path) as database:
        used = pruning.used_bytes(database)
        kept = database.execute("SELECT seq, body FROM events WHERE task_id = 'x' ORDER BY seq").fetchall()
    database.close()
    assert kept == [(n, LONG) for n in range(1, 401)]
    assert before > 400 * 4_096
    assert used < 800 * 1.5 * len(LONG)


async def test_a_journal_of_a_newer_version_is_refused_where_it_must_be_writable(path: Path) -> None:
    await (await Journal.open(path)).aclose()
    make_newer(path)
    with pytest.raises(JournalNewer, match=NEWER) as caught:
        await Journal.open(path)
    assert caught.value.data["path"] == str(path)


@pytest.mark.parametrize("is_owner", [True, False])
async def test_a_journal_of_a_newer_version_can_be_read(
    path: Path, make_record: MakeRecord, is_owner: bool
) -> None:
    record = make_record("completed")
    journal = await Journal.open(path)
    await journal.save(record)
    await journal.append(record.task.id, [{"seq": 1, "ts": 1, "type": "log"}])
    await journal.aclose()
    make_newer(path, "ALTER TABLE runs ADD COLUMN later TEXT", "CREATE TABLE later (x)")
    before = path.read_bytes()
    journal = await Journal.open(path, read_only=not is_owner, required=False)
    assert (await journal.list()).records == [record]
    assert (await journal.read_events(record.task.id)).last_seq == 1
    with pytest.raises(StorageError, match=NEWER if is_owner else "read-only here"):
        await journal.save(make_record())
    await journal.aclose()
    assert path.read_bytes() == before


@pytest.mark.parametrize("is_owner", [True, False])
async def test_a_newer_journal_with_other_tables_is_refused_in_the_same_words(
    path: Path, is_owner: bool
) -> None:
    await (await Journal.open(path)).aclose()
    make_newer(path, "DROP TABLE events", "CREATE TABLE events (run, number, json)")
    journal = await Journal.open(path, read_only=not is_owner, required=False)
    with pytest.raises(StorageError, match=NEWER):
        await journal.list()
    await journal.aclose()


async def test_a_reader_that_becomes_the_owner_of_a_newer_journal_still_only_reads(
    path: Path, make_record: MakeRecord
) -> None:
    await (await Journal.open(path)).aclose()
    make_newer(path)
    journal = await Journal.open(path, read_only=True)
    await journal.take_over()
    assert (await journal.list()).records == []
    with pytest.raises(StorageError, match=NEWER):
        await journal.save(make_record())
    await journal.aclose()


async def test_a_host_with_a_newer_journal_lists_its_runs_and_refuses_launches(
    tmp_path: Path, make_record: MakeRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIDECAR_CACHE_DIR", str(tmp_path / "cache"))
    root = tmp_path / "root"
    root.mkdir()
    journal = await Journal.open(root / "sidecar.db")
    lost, unreported = make_record("running"), make_record("completed")
    for record in (lost, unreported):
        await journal.save(record)
    await journal.aclose()
    make_newer(root / "sidecar.db")
    before = (root / "sidecar.db").read_bytes()
    agents = tmp_path / ".sidecar" / "agents"
    agents.mkdir(parents=True)
    (agents / "cat.md").write_text("---\nname: cat\ndescription: x.\nrunner: cat\n---\n")
    settings = SettingsStore({"runners": {"cat": {"type": "command", "command": ["cat"]}}})
    host = await Host.open(root, settings)
    listed = {record.task.id: record.task.status for record in (await host.journal.list()).records}
    assert listed.keys() == {lost.task.id, unreported.task.id}
    assert (await host.journal.counts())["failed"] == 1
    with pytest.raises(StorageError, match=NEWER):
        await host.launcher.launch(
            LaunchParams(subagent_name="cat", goal_prompt="x"),
            caller(Workspace((tmp_path,), trusted=True), settings),
        )
    await host.aclose()
    assert (root / "sidecar.db").read_bytes() == before


async def test_a_failed_migration_leaves_the_journal_of_the_earlier_version(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_old(path, FORMATS[0])
    copy = Path(shutil.copy(path, tmp_path / "copy.db"))
    broken = (*journal_schema.MIGRATIONS, ("CREATE TABLE half (x)", "NO SQL"))
    monkeypatch.setattr(journal_schema, "MIGRATIONS", broken)
    monkeypatch.setattr(journal_schema, "VERSION", len(broken))
    with pytest.raises(StorageError, match="syntax error"):
        await Journal.open(path)
    assert columns(path) == columns(copy)
