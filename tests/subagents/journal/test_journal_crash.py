import contextlib
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sidecar.api.errors import StorageError
from sidecar.subagents.journal.journal import Journal
from tests.storage.mounts import small_disk

PRELUDE = """
import asyncio, resource, sys
from pathlib import Path
from sidecar.api.runs.async_tasks import AsyncTask, Progress
from sidecar.api.errors import StorageError
from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.journal.records import RunRecord

def record(name):
    task = AsyncTask(id=name, subagent_name="s", goal_prompt="g" * 2_000, status="running", launched_at=1,
                     progress=Progress(last_activity_at=1), runner="r", workspace_dir="/w")
    return RunRecord(task=task, origin="client", request={})
"""
SAVE_AND_HANG = """
async def main():
    journal = await Journal.open(Path(sys.argv[1]))
    for n in range(20):
        await journal.save(record(f"task-{n:02}"))
    await journal.append("task-00", [{"seq": 1, "ts": 1, "type": "log"}])
    await journal.flush()
    print("saved", flush=True)
    sys.stdin.read()
asyncio.run(main())
"""
FILL_THE_DISK = """
async def main():
    journal = await Journal.open(Path(sys.argv[1]))
    await journal.save(record("before"))
    await journal.append("run", [{"seq": 1, "ts": 1, "type": "log", "text": "small"}])
    await journal.flush()
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
    await journal.append("run", [{"seq": 2, "ts": 1, "type": "log", "text": "x" * 400_000}])
    await journal.append("run", [{"seq": 3, "ts": 1, "type": "log"}])
    ended = record("run")
    ended.task.status, ended.task.completed_at = "completed", 2
    end = journal.end(ended, 4, b'{"seq":4,"ts":1,"type":"state","status":"completed"}')
    refused = []
    for attempt in (journal.flush, lambda: journal.save(record("b" * 300_000))):
        try:
            await attempt()
        except StorageError as error:
            refused.append(error.data["path"])
    await journal.stalled()
    while_full = await journal.last_seq("run"), end.done(), (await journal.counts())["completed"]
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    await end
    await journal.save(record("after"))
    await journal.flush()
    events = (await journal.read_events("run")).events
    print(len(refused), while_full, [event["seq"] for event in events],
          (await journal.get("run")).task.status, (await journal.counts())["running"])
    await journal.aclose()
asyncio.run(main())
"""
CLOSE_ON_A_FULL_DISK = """
async def main():
    journal = await Journal.open(Path(sys.argv[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
    await journal.append("run", [{"seq": 1, "ts": 1, "type": "log", "text": "x" * 400_000}])
    await journal.stalled()
    ended = record("run")
    ended.task.status, ended.task.completed_at = "completed", 2
    end = journal.end(ended, 2, b'{"seq":2,"ts":1,"type":"state","status":"completed"}')
    await journal.aclose()
    print(type(end.exception()).__name__)
asyncio.run(main())
"""


def run_and_kill(path: Path) -> None:
    command = [sys.executable, "-c", PRELUDE + SAVE_AND_HANG, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        try:
            assert child.stdout.readline() == b"saved\n"
        finally:
            child.send_signal(signal.SIGKILL)


async def test_saved_data_survives_a_kill(path: Path) -> None:
    run_and_kill(path)
    journal = await Journal.open(path)
    assert len(await journal.unfinished()) == 20
    assert await journal.last_seq("task-00") == 1
    await journal.aclose()


@pytest.mark.parametrize("torn", [1, 100, 5_000])
async def test_a_torn_log_loses_only_its_tail(path: Path, torn: int) -> None:
    run_and_kill(path)
    wal = path.with_name("sidecar.db-wal")
    wal.write_bytes(wal.read_bytes()[:-torn] + b"\xa5" * (torn // 2))
    journal = await Journal.open(path)
    names = sorted(record.task.id for record in await journal.unfinished())
    assert len(names) >= 17
    assert names == [f"task-{n:02}" for n in range(len(names))]
    await journal.aclose()


def test_a_full_disk_delays_kept_writes_and_refuses_others(path: Path) -> None:
    command = [sys.executable, "-c", PRELUDE + FILL_THE_DISK, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (done.stdout, done.returncode) == (
        "2 (1, False, 0) [1, 2, 3, 4] completed 2\n",
        0,
    ), done.stderr


def test_an_end_that_waits_for_an_earlier_event_is_not_durable_if_the_journal_closes(path: Path) -> None:
    command = [sys.executable, "-c", PRELUDE + CLOSE_ON_A_FULL_DISK, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (done.stdout, done.returncode) == ("StorageError\n", 0), done.stderr


async def test_a_journal_that_opens_on_a_full_disk_says_so(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 256) as disk:
        journal = await Journal.open(disk / "sidecar.db")
        await journal.aclose()
        with (disk / "filler").open("wb", buffering=0) as filler, contextlib.suppress(OSError):
            while filler.write(b"x" * 4096):
                pass
        with pytest.raises(StorageError, match="the disk is full; free some space"):
            await Journal.open(disk / "sidecar.db")
