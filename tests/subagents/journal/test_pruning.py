"""Pruning removes the events of old runs, but no events that are still needed."""

import asyncio
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path

from sidecar.subagents.journal.journal import Journal
from tests.subagents.journal.conftest import MakeRecord

DAY = 86_400_000
NOW = 200 * DAY
UNBOUNDED = 1 << 40
EVENTS = 50

PRUNE = """
import asyncio, sys
from pathlib import Path
from sidecar.subagents.journal.journal import Journal
async def main():
    journal = await Journal.open(Path(sys.argv[1]))
    print("ready", flush=True)
    while await journal.prune(int(sys.argv[2]), 0, 1):
        print("pruned", flush=True)
asyncio.run(main())
"""


def record_events(size: int = 100) -> list[dict[str, object]]:
    return [{"seq": n, "ts": 1, "type": "log", "text": "x" * size} for n in range(1, EVENTS + 1)]


async def prune_all(journal: Journal, keep_ms: int, max_bytes: int = UNBOUNDED) -> None:
    while await journal.prune(NOW, keep_ms, max_bytes):
        pass


async def kept(journal: Journal, *task_ids: str) -> list[bool]:
    return [await journal.last_seq(task_id) == EVENTS for task_id in task_ids]


async def test_only_events_of_old_runs_that_are_not_needed_are_removed(
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
        save = journal.save_end if name == "unfinished transcript" else journal.save
        await save(record)
        await journal.append(record.task.id, record_events())
    await prune_all(journal, 90 * DAY)
    found = await kept(journal, *(record.task.id for record in records.values()))
    removed = [name for name, is_kept in zip(records, found, strict=True) if not is_kept]
    assert removed == ["old", "cancelled"]
    assert len((await journal.list()).records) == len(records)


async def test_a_large_journal_keeps_the_events_of_the_last_day(path: Path, make_record: MakeRecord) -> None:
    journal = await Journal.open(path)
    records = [make_record("completed", NOW - days * DAY, sync=True) for days in (3, 2, 0)]
    for record in records:
        await journal.save(record)
        await journal.append(record.task.id, record_events(8_000))
    await journal.aclose()
    before = path.stat().st_size
    journal = await Journal.open(path)
    await prune_all(journal, 90 * DAY, max_bytes=1)
    assert await kept(journal, *(record.task.id for record in records)) == [False, False, True]
    await journal.aclose()
    with sqlite3.connect(path) as db:
        assert db.execute("PRAGMA freelist_count").fetchone() == (0,)
    db.close()
    assert path.stat().st_size < before / 2


async def test_a_process_killed_while_it_prunes_leaves_all_events_of_a_run_or_none(
    path: Path, make_record: MakeRecord
) -> None:
    journal = await Journal.open(path)
    waiting = make_record("completed", 1)
    records = [waiting, *(make_record("completed", 1, sync=True) for _ in range(100))]
    await asyncio.gather(*(journal.save(record) for record in records))
    for record in records:
        await journal.append(record.task.id, record_events())
    await journal.aclose()
    process = subprocess.Popen(
        [sys.executable, "-c", PRUNE, str(path), str(NOW)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    for expected in ("ready\n", "pruned\n"):
        assert await asyncio.to_thread(process.stdout.readline) == expected
    process.send_signal(signal.SIGKILL)
    process.communicate()
    with sqlite3.connect(path) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        counts = Counter(db.execute("SELECT task_id, count(*) FROM events GROUP BY task_id").fetchall())
    db.close()
    assert {count for _, count in counts} == {EVENTS}
    again = await Journal.open(path)
    await prune_all(again, 0)
    assert await kept(again, waiting.task.id) == [True]
    assert len((await again.list(limit=200)).records) == 101
    await again.aclose()
