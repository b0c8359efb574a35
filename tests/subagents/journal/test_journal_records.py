import asyncio
import sqlite3
from pathlib import Path

import pytest

from sidecar.api.errors import InvalidParams
from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.journal.records import Delivery
from tests.subagents.journal.conftest import MakeRecord


async def test_a_saved_record_is_returned_unchanged(journal: Journal, make_record: MakeRecord) -> None:
    record = make_record("failed", sync=True, restored=True, wants_notice=True, goal="Größe\n\x00")
    await journal.save(record)
    assert await journal.get(record.task.id) == record


@pytest.mark.parametrize("goal", ["\ud83d alone", "😀"])
async def test_any_text_of_a_json_request_is_kept(
    journal: Journal, make_record: MakeRecord, goal: str
) -> None:
    record = make_record(goal=goal)
    record.request = {"context": {"deep": [goal, 1 << 60, None]}}
    await journal.save(record)
    assert await journal.get(record.task.id) == record


async def test_changes_after_the_call_are_not_saved(journal: Journal, make_record: MakeRecord) -> None:
    record = make_record()
    saving = asyncio.create_task(journal.save(record))
    await asyncio.sleep(0)
    record.task.goal_prompt = "changed"
    await saving
    saved = await journal.get(record.task.id)
    assert saved is not None
    assert saved.task.goal_prompt == "Review it"


@pytest.mark.parametrize("task_id", ["", "none", "\ud800", "%", "a\x00b"])
async def test_an_unknown_id_returns_nothing(journal: Journal, make_record: MakeRecord, task_id: str) -> None:
    await journal.save(make_record())
    assert await journal.get(task_id) is None


async def test_a_prefix_finds_its_ids_newest_first(journal: Journal, make_record: MakeRecord) -> None:
    for name in ("aa1", "aa2", "ab1", "AA3"):
        await journal.save(make_record(id=name))
    assert [record.task.id for record in await journal.by_prefix("aa")] == ["aa2", "aa1"]
    assert [record.task.id for record in await journal.by_prefix("a", limit=1)] == ["ab1"]
    assert await journal.by_prefix("a%") == await journal.by_prefix("\ud800") == []


async def test_pages_are_newest_launch_first_and_complete(journal: Journal, make_record: MakeRecord) -> None:
    records = [make_record(at=at) for at in (5, 9, 9, 1, 7)]
    await asyncio.gather(*(journal.save(record) for record in records))
    seen: list[int | None] = []
    cursor = None
    while True:
        page = await journal.list(cursor=cursor, limit=2)
        seen += [record.task.launched_at for record in page.records]
        if (cursor := page.next_cursor) is None:
            break
    assert seen == [9, 9, 7, 5, 1]


async def test_a_page_is_not_moved_by_a_launch_in_between(journal: Journal, make_record: MakeRecord) -> None:
    for at in (1, 2, 3):
        await journal.save(make_record(at=at))
    first = await journal.list(limit=1)
    await journal.save(make_record(at=4))
    second = await journal.list(cursor=first.next_cursor, limit=5)
    assert [record.task.launched_at for record in second.records] == [2, 1]


async def test_a_queued_task_is_listed_by_the_time_it_was_queued(
    journal: Journal, make_record: MakeRecord
) -> None:
    for status, at in (("running", 1), ("queued", 2), ("completed", 3)):
        await journal.save(make_record(status, at))  # type: ignore[arg-type]  # a literal in a tuple is a str
    listed = [record.task.status for record in (await journal.list()).records]
    assert listed == ["completed", "queued", "running"]
    assert [r.task.status for r in (await journal.list(["queued", "running"])).records] == [
        "queued",
        "running",
    ]
    assert (await journal.list([])).records == []


@pytest.mark.parametrize("cursor", ["", "x", "ä", "MS4y!", "LTEuMg", "MQ", "OTk5OTk5OTk5OTk5OTk5OTk5OTkuMQ"])
async def test_a_bad_cursor_is_refused_by_name(journal: Journal, cursor: str) -> None:
    with pytest.raises(InvalidParams, match=r"^cursor: "):
        await journal.list(cursor=cursor)


async def test_all_five_states_are_counted(journal: Journal, make_record: MakeRecord) -> None:
    await journal.save(make_record("completed"))
    await journal.save(make_record("completed"))
    counts = {"queued": 0, "running": 0, "completed": 2, "failed": 0, "cancelled": 0}
    assert await journal.counts() == counts
    assert await journal.foreground() == 0


async def test_a_running_synchronous_run_is_counted_separately(
    journal: Journal, make_record: MakeRecord
) -> None:
    await journal.save(make_record("running"))
    await journal.save(make_record("running", sync=True))
    await journal.save(make_record("failed", sync=True))
    counts = {"queued": 0, "running": 1, "completed": 0, "failed": 1, "cancelled": 0}
    assert await journal.counts() == counts
    assert await journal.foreground() == 1


async def test_runs_left_by_a_crash_are_returned_oldest_first(
    journal: Journal, make_record: MakeRecord
) -> None:
    records = [make_record("queued", 3), make_record("running", 2), make_record("failed", 1)]
    for record in records:
        await journal.save(record)
    assert await journal.unfinished() == [records[1], records[0]]


async def test_only_ends_that_need_a_notification_are_undelivered(
    journal: Journal, make_record: MakeRecord
) -> None:
    notified = make_record("completed")
    notified.task.notified_at = 9
    wanted = [make_record("failed"), make_record("cancelled", wants_notice=True), make_record("completed")]
    others = [make_record("cancelled"), make_record("completed", sync=True), make_record(), notified]
    for record in wanted + others:
        await journal.save(record)
    assert await journal.undelivered() == wanted


async def test_an_end_is_marked_once_and_stays_marked(journal: Journal, make_record: MakeRecord) -> None:
    record = make_record("completed")
    await journal.save(record)
    assert await journal.mark_notified([record.task.id, "unknown"], 50) == [record.task.id]
    assert await journal.mark_notified([record.task.id], 60) == []
    await journal.save(record)
    saved = await journal.get(record.task.id)
    assert saved is not None
    assert saved.task.notified_at == 50


async def test_a_delivery_keeps_its_latest_state(journal: Journal) -> None:
    await journal.record_delivery("one", ["a", "b"], 1, "open")
    await journal.record_delivery("two", ["c"], 2, "open", "mcp")
    await journal.record_delivery("one", ["a", "b"], 3, "delivered")
    assert await journal.deliveries() == [
        Delivery("two", ["c"], 2, "open", "mcp"),
        Delivery("one", ["a", "b"], 3, "delivered"),
    ]


async def test_old_deliveries_are_deleted(journal: Journal) -> None:
    for n in range(1_010):
        await journal.record_delivery(str(n), [], n, "delivered")
    kept = await journal.deliveries(limit=5_000)
    assert [len(kept), kept[0].delivery_id, kept[-1].delivery_id] == [1_000, "1009", "10"]


async def test_concurrent_saves_share_commits(journal: Journal, path: Path, make_record: MakeRecord) -> None:
    await journal.flush()
    with sqlite3.connect(path) as watcher:
        before = wal_commits(path)
        await asyncio.gather(*(journal.save(make_record()) for _ in range(200)))
        assert watcher.execute("SELECT count(*) FROM runs").fetchone() == (200,)
    watcher.close()
    assert wal_commits(path) - before < 100


def wal_commits(path: Path) -> int:
    """Count commit frames, whose header contains the database size (SQLite file format, section 4.1)."""
    wal = path.with_name(path.name + "-wal").read_bytes()
    frame = 24 + int.from_bytes(wal[8:12])
    return sum(any(wal[at + 4 : at + 8]) for at in range(32, len(wal), frame))
