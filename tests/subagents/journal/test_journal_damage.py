"""Unreadable rows are listed with the reason, and everything else works."""

import sqlite3
from pathlib import Path

import pytest

from sidecar.api.errors import StorageError
from sidecar.api.runs.async_tasks import STATUSES
from sidecar.api.runs.permissions import RememberedPermission
from sidecar.subagents.journal.journal import Journal
from tests.subagents.journal.conftest import MakeRecord

END = {"type": "state", "status": "failed", "endReason": "error", "ts": 5}


async def damage(journal: Journal, path: Path, task_id: str, **columns: object) -> None:
    await journal.flush()
    with sqlite3.connect(path) as db:
        for name, value in columns.items():
            db.execute(f"UPDATE runs SET {name} = ? WHERE id = ?", (value, task_id))
    db.close()


@pytest.mark.parametrize(
    ("body", "names"),
    [
        (b"\x00not json", "cannot be read"),
        (b'{"task": 5}', "cannot be read"),
    ],
)
async def test_a_bad_row_is_listed_as_failed_with_its_reason(
    journal: Journal, path: Path, make_record: MakeRecord, body: bytes, names: str
) -> None:
    bad, good = make_record("completed"), make_record("completed")
    await journal.save(bad)
    await journal.save(good)
    await damage(journal, path, bad.task.id, body=body)
    page = await journal.list()
    tasks = {record.task.id: record.task for record in page.records}
    assert tasks[good.task.id] == good.task
    assert (tasks[bad.task.id].status, tasks[bad.task.id].end_reason) == ("failed", "error")
    assert names in str(tasks[bad.task.id].error)


async def test_a_value_of_a_newer_version_is_named_and_the_rest_of_the_row_shown(
    journal: Journal, path: Path, make_record: MakeRecord
) -> None:
    record = make_record("failed", goal="Upgrade it")
    await journal.save(record)
    with sqlite3.connect(path) as db:
        (body,) = db.execute("SELECT body FROM runs").fetchone()
    db.close()
    newer = body.replace(b'"status":"failed"', b'"status":"failed","endReason":"paused"')
    await damage(journal, path, record.task.id, body=newer)
    found = await journal.get(record.task.id)
    assert found is not None
    assert found.task.goal_prompt == "Upgrade it"
    assert "'paused'" in str(found.task.error)


async def test_an_unreadable_live_row_stops_counting_as_running_and_is_kept(
    journal: Journal, path: Path, make_record: MakeRecord
) -> None:
    bad, good = make_record(), make_record()
    for record in (bad, good):
        await journal.save(record)
    await journal.append(bad.task.id, [{"seq": 1, "ts": 1, "type": "state", "status": "running"}])
    await damage(journal, path, bad.task.id, body=b"[]")
    assert await journal.unreadable() == [bad.task.id]
    await journal.close_unreadable([bad.task.id], END)
    assert await journal.unreadable() == []
    assert (await journal.counts())["running"] == 1
    assert [record.task.id for record in await journal.unfinished()] == [good.task.id]
    assert [record.task.id for record in await journal.undelivered()] == [bad.task.id]
    assert [record.task.id for record in await journal.unfinished_transcripts()] == [bad.task.id]
    assert (await journal.read_events(bad.task.id)).events[1:] == [{**END, "seq": 2}]
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT body FROM runs WHERE id = ?", (bad.task.id,)).fetchone() == (b"[]",)
    db.close()


async def test_an_unreadable_row_whose_events_contain_an_end_gets_no_second_one(
    journal: Journal, path: Path, make_record: MakeRecord
) -> None:
    bad = make_record()
    await journal.save(bad)
    await journal.append(bad.task.id, [{"seq": 1, "ts": 1, "type": "state", "status": "completed"}])
    await damage(journal, path, bad.task.id, body=b"[]")
    await journal.close_unreadable([bad.task.id], END)
    assert (await journal.read_events(bad.task.id)).last_seq == 1


async def test_the_status_of_the_record_replaces_an_unknown_status_in_the_column(
    journal: Journal, path: Path, make_record: MakeRecord
) -> None:
    records = {status: make_record(status) for status in STATUSES}
    for record in records.values():
        await journal.save(record)
    await journal.flush()
    with sqlite3.connect(path) as db:
        db.execute("UPDATE runs SET status = 'paused'")
    db.close()
    assert await journal.counts() == dict.fromkeys(STATUSES, 1)
    for status in STATUSES:
        assert [each.task for each in (await journal.list([status])).records] == [records[status].task]
    unfinished = [record.task.status for record in await journal.unfinished()]
    assert sorted(unfinished) == ["queued", "running"] and await journal.unreadable() == []
    for record in await journal.unfinished():
        record.task.status, record.task.completed_at = "failed", 2_000
        await journal.save_end(record)
    assert (await journal.counts())["failed"] == 3


@pytest.mark.parametrize("status", [*STATUSES, "paused"])
@pytest.mark.parametrize("has_been_read", [True, False])
async def test_lists_filters_and_counts_agree_on_an_unreadable_row(
    journal: Journal, path: Path, make_record: MakeRecord, status: str, has_been_read: bool
) -> None:
    bad, good = make_record("completed"), make_record("completed")
    for record in (bad, good):
        await journal.save(record)
    if has_been_read:
        await journal.counts()
    await damage(journal, path, bad.task.id, body=b'{"task": 5}', status=status)
    reader = await Journal.open(path, read_only=True)
    for each in (journal, reader):
        listed = {record.task.id: record.task.status for record in (await each.list()).records}
        assert listed == {bad.task.id: "failed", good.task.id: "completed"}
        counts = await each.counts()
        assert counts == {**dict.fromkeys(STATUSES, 0), "failed": 1, "completed": 1}
        for wanted in STATUSES:
            found = [record.task.id for record in (await each.list([wanted])).records]
            assert found == [task_id for task_id, its in listed.items() if its == wanted]
        assert bad.task.id in [record.task.id for record in await each.undelivered()]
    await reader.aclose()


async def test_lists_and_counts_show_an_end_that_is_not_written_yet(
    journal: Journal, make_record: MakeRecord
) -> None:
    run = make_record()
    await journal.save(run)
    journal.show(run.task.id, "failed")
    counts = await journal.counts()
    assert (counts["running"], counts["failed"]) == (0, 1)
    assert (await journal.list(["running"])).records == []
    assert len((await journal.list(["failed"])).records) == 1
    assert [record.task.id for record in await journal.unfinished()] == [run.task.id]


async def test_a_damaged_event_becomes_a_log_event_with_the_reason(journal: Journal, path: Path) -> None:
    await journal.append("run", [{"seq": n, "ts": n, "type": "log"} for n in (1, 2, 3)])
    await journal.flush()
    with sqlite3.connect(path) as db:
        db.execute("UPDATE events SET body = ? WHERE seq = 2", (b"{",))
    db.close()
    events = (await journal.read_events("run")).events
    assert [event["seq"] for event in events] == [1, 2, 3]
    assert "unreadable event" in events[1]["text"]


async def test_a_new_journal_opens_by_itself_once_a_damaged_one_was_moved_away(
    path: Path, make_record: MakeRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sidecar.subagents.journal.worker.RETRY_SECONDS", 0.0)
    path.write_bytes(b"this is not a database" * 1_000)
    journal = await Journal.open(path, required=False)
    with pytest.raises(StorageError, match="move it and its -wal"):
        await journal.counts()
    with pytest.raises(StorageError):
        await journal.save(make_record())
    path.unlink()
    await journal.save(make_record())
    assert (await journal.counts())["running"] == 1
    await journal.aclose()


async def test_a_missing_journal_reads_as_empty_until_it_exists(path: Path, make_record: MakeRecord) -> None:
    reader = await Journal.open(path, read_only=True, required=False)
    assert (await reader.list()).records == []
    owner = await Journal.open(path)
    await owner.save(make_record())
    assert len((await reader.list()).records) == 1
    await owner.aclose()
    await reader.take_over()
    await reader.save(make_record())
    assert (await reader.counts())["running"] == 2
    await reader.aclose()


@pytest.mark.parametrize(
    "body", [b"\x00not json", b"[]", b'{"id":"bad","decision":"perhaps"}'], ids=["bytes", "list", "newer"]
)
async def test_a_permission_that_cannot_be_read_is_left_out(
    journal: Journal, path: Path, body: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    good = RememberedPermission(
        id="good",
        subagent_name="reviewer",
        workspace_dir="/project",
        tool_kind="execute",
        decision="allow",
        title="make",
        remembered_at=1,
    )
    await journal.remember(good)
    with sqlite3.connect(path) as db:
        db.execute("INSERT INTO permissions (id, body) VALUES ('bad', ?)", (body,))
    db.close()
    assert await journal.permissions() == [good]
    assert "permission bad cannot be read" in caplog.text


@pytest.mark.parametrize("damaged", ["yesterday", b"\x00\x01", 1e300, -5])
async def test_a_row_with_a_damaged_time_is_on_exactly_one_page(
    journal: Journal, path: Path, make_record: MakeRecord, damaged: object
) -> None:
    records = [make_record("completed") for _ in range(5)]
    for record in records:
        await journal.save(record)
    for record in records[1:3]:
        await damage(journal, path, record.task.id, ordered_at=damaged, notified_at="then")
    await damage(journal, path, records[2].task.id, body=b"[]", completed_at="then")
    found, cursor = [], None
    for _ in records:
        page = await journal.list(cursor=cursor, limit=1)
        found += page.records
        cursor = page.next_cursor
    assert cursor is None
    assert sorted(each.task.id for each in found) == sorted(each.task.id for each in records)
    tasks = {each.task.id: each.task for each in found}
    assert all(isinstance(each.launched_at, int) for each in tasks.values())
    assert tasks[records[1].task.id].notified_at == 0
