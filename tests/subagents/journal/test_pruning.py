"""Pruning removes old runs and events in small steps, but nothing that is still needed."""

import asyncio
import itertools
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.journal.pruning import BYTES_AT_ONCE, EVENTS_AT_ONCE, Limits, Position
from sidecar.subagents.journal.records import RunRecord
from tests.subagents.journal.conftest import MakeRecord

DAY = 86_400_000
NOW = 200 * DAY
UNBOUNDED = 1 << 40
EVENTS = 50
OLD = Limits(NOW, 90 * DAY, UNBOUNDED)

PRUNE = """
import asyncio, sys
from pathlib import Path
from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.journal.pruning import Limits, Position
async def main():
    journal = await Journal.open(Path(sys.argv[1]))
    position = Position()
    print("ready", flush=True)
    while position is not None:
        position = await journal.maintenance.prune(Limits(int(sys.argv[2]), 0, 1 << 40), position)
        print("pruned", flush=True)
asyncio.run(main())
"""


def record_events(size: int = 100, count: int = EVENTS) -> list[dict[str, object]]:
    return [{"seq": n, "ts": 1, "type": "log", "text": "x" * size} for n in range(1, count + 1)]


async def prune_all(journal: Journal, limits: Limits) -> int:
    """Prune a whole round and return its number of transactions."""
    position: Position | None = Position()
    steps = 0
    while position is not None:
        position = await journal.maintenance.prune(limits, position)
        steps += 1
    return steps


async def store(journal: Journal, record: RunRecord, size: int = 100, count: int = EVENTS) -> str:
    await journal.save(record)
    await journal.append(record.task.id, record_events(size, count))
    return record.task.id


async def kept(journal: Journal, *task_ids: str) -> list[tuple[bool, bool]]:
    """Return for each run whether its record and its events are in the journal."""
    return [
        (await journal.get(each) is not None, await journal.last_seq(each) == EVENTS) for each in task_ids
    ]


def query(path: Path, sql: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(path) as db:
        found = db.execute(sql).fetchall()
    db.close()
    return found


async def test_only_old_runs_that_are_not_needed_are_removed(
    journal: Journal, make_record: MakeRecord
) -> None:
    old, young = NOW - 91 * DAY, NOW - 89 * DAY
    records = {
        "old": make_record("completed", old, sync=True),
        "young": make_record("completed", young, sync=True),
        "undelivered": make_record("completed", old),
        "running": make_record("running", old),
        "unfinished transcript": make_record("failed", old, sync=True),
        "cancelled": make_record("cancelled", old),
        "cancelled and to be reported": make_record("cancelled", old, wants_notice=True),
    }
    for name, record in records.items():
        if name == "unfinished transcript":
            await journal.save_end(record)
        await store(journal, record)
    await prune_all(journal, OLD)
    found = await kept(journal, *(record.task.id for record in records.values()))
    removed = [name for name, each in zip(records, found, strict=True) if each == (False, False)]
    assert removed == ["old", "cancelled"]
    assert found.count((True, True)) == len(records) - 2


async def test_a_launch_long_ago_that_ended_recently_is_kept(
    journal: Journal, make_record: MakeRecord
) -> None:
    record = make_record("completed", NOW - 91 * DAY, sync=True)
    record.task.completed_at = NOW - DAY
    await store(journal, record)
    await prune_all(journal, OLD)
    assert await kept(journal, record.task.id) == [(True, True)]


async def test_above_the_size_the_oldest_events_are_removed_first(
    path: Path, make_record: MakeRecord
) -> None:
    journal = await Journal.open(path)
    undelivered = await store(journal, make_record("completed", NOW - 9 * DAY), 8_000)
    ids = [
        await store(journal, make_record("completed", NOW - days * DAY, sync=True), 8_000)
        for days in (3, 2, 1)
    ]
    before = query(path, "PRAGMA page_count")
    await prune_all(journal, Limits(NOW, 90 * DAY, 1_000_000))
    assert await kept(journal, undelivered, *ids) == [
        (True, True),
        (True, False),
        (True, False),
        (True, True),
    ]
    await journal.aclose()
    assert query(path, "PRAGMA freelist_count") == [(0,)]
    assert path.stat().st_size < 1_000_000 < before[0][0] * 4096  # type: ignore[operator]


async def test_far_above_the_size_only_results_without_a_delivery_and_live_runs_are_left(
    journal: Journal, make_record: MakeRecord
) -> None:
    undelivered = await store(journal, make_record("completed", NOW - 9 * DAY))
    settled = await store(journal, make_record("completed", NOW - 3 * DAY, sync=True))
    running = await store(journal, make_record("running", NOW - 3 * DAY))
    just_ended = await store(journal, make_record("completed", NOW - 10_000, sync=True))
    await prune_all(journal, Limits(NOW, 90 * DAY, 1))
    assert await kept(journal, undelivered, settled, running, just_ended) == [
        (True, False),
        (False, False),
        (True, True),
        (True, True),
    ]
    assert [record.task.id for record in await journal.undelivered()] == [undelivered]


async def test_events_of_a_large_run_vanish_at_once_and_are_deleted_in_portions(
    journal: Journal, path: Path, make_record: MakeRecord
) -> None:
    count = 4 * EVENTS_AT_ONCE
    task_id = await store(journal, make_record("completed", 1, sync=True), count=count)
    heavy = await store(journal, make_record("completed", 2, sync=True), size=BYTES_AT_ONCE // 4, count=9)
    position = await journal.maintenance.prune(OLD, Position())
    assert await journal.read_events(task_id) == ([], 0, False)
    assert await journal.get(task_id) is None
    left = [count + 9]
    while position is not None:
        position = await journal.maintenance.prune(OLD, position)
        left += [int(str(query(path, "SELECT count(*) FROM events")[0][0]))]
    assert left[-1] == 0
    assert max(before - after for before, after in itertools.pairwise(left)) <= EVENTS_AT_ONCE
    assert await journal.get(heavy) is None


async def test_a_deleted_run_is_forgotten_but_not_a_result_that_is_to_be_delivered(
    journal: Journal, make_record: MakeRecord
) -> None:
    reported, unreported, live = (
        await store(journal, make_record("completed", sync=True)),
        await store(journal, make_record("completed")),
        await store(journal, make_record("running")),
    )
    await journal.maintenance.forget([reported, unreported, live, "unknown"])
    assert await kept(journal, reported, unreported, live) == [(False, False), (True, False), (True, True)]
    await journal.mark_notified([unreported], 5)
    await journal.maintenance.forget([unreported])
    assert (await journal.list()).records == [await journal.get(live)]


async def test_a_run_after_a_removed_one_is_new_to_those_who_ask_for_new_runs(
    journal: Journal, path: Path, make_record: MakeRecord
) -> None:
    await store(journal, make_record("completed", 1, sync=True))
    newest = await store(journal, make_record("completed", 2, sync=True))
    seen, _ = await journal.launched_after(0)
    await journal.counts()
    await journal.maintenance.forget([newest])
    for _ in range(2):
        await prune_all(journal, Limits(NOW, 2 * NOW, UNBOUNDED))
    added = make_record("running")
    await journal.save(added)
    assert (await journal.launched_after(seen))[1] == [added.task.id]
    assert (await journal.counts())["running"] == 1
    await prune_all(journal, Limits(NOW, 2 * NOW, UNBOUNDED))
    await journal.maintenance.forget([added.task.id])
    assert query(path, "SELECT count(*) FROM removals") == [(0,)]


async def test_usage_that_arrives_after_a_removal_does_not_bring_the_run_back(
    journal: Journal, make_record: MakeRecord
) -> None:
    record = make_record("completed", sync=True)
    await journal.save(record)
    await journal.maintenance.forget([record.task.id])
    await journal.save_again(record)
    assert await journal.get(record.task.id) is None


async def test_a_process_killed_while_it_prunes_loses_nothing_else_and_the_next_one_continues(
    path: Path, make_record: MakeRecord
) -> None:
    journal = await Journal.open(path)
    waiting = await store(journal, make_record("completed", 1))
    for _ in range(100):
        await store(journal, make_record("completed", 1, sync=True), count=100)
    await journal.aclose()
    process = subprocess.Popen(
        [sys.executable, "-c", PRUNE, str(path), str(NOW)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    for expected in ("ready\n", "pruned\n", "pruned\n"):
        assert await asyncio.to_thread(process.stdout.readline) == expected
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert query(path, "PRAGMA integrity_check") == [("ok",)]
    again = await Journal.open(path)
    await prune_all(again, Limits(NOW, 0, UNBOUNDED))
    assert await kept(again, waiting) == [(True, True)]
    await again.aclose()
    assert query(path, "SELECT count(*) FROM events") == [(EVENTS,)]
    assert query(path, "SELECT count(*) FROM runs") == [(1,)]


async def test_removing_events_writes_few_pages(path: Path, make_record: MakeRecord) -> None:
    journal = await Journal.open(path)
    await store(journal, make_record("completed", NOW - 91 * DAY, sync=True), 3_000, EVENTS_AT_ONCE)
    await journal.aclose()  # which removes the write-ahead log
    journal = await Journal.open(path)
    await prune_steps(journal, OLD, 4)
    written = path.with_name(f"{path.name}-wal").stat().st_size
    assert written < 4 * BYTES_AT_ONCE
    await journal.aclose()


async def prune_steps(journal: Journal, limits: Limits, count: int) -> None:
    position: Position | None = Position()
    for _ in range(count):
        assert position is not None
        position = await journal.maintenance.prune(limits, position)
