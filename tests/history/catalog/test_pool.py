import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from sidecar.history import TaskHistory
from sidecar.history.catalog.pool import WorkerPool, estimate_ms
from sidecar.history.stores.registry import describe_root, open_store
from tests.history.conftest import NOW, Store

Make = Callable[..., dict[str, Any]]
REPO = Path(__file__).parents[3]
_FAULTY = """
import os, sys, time
sys.path.insert(0, {repo!r})
from sidecar.history.catalog import worker
from sidecar.history.stores.task_folders.reader import TaskReader
read = TaskReader.files
def files(self, name, seconds):
    if name.startswith("dead"):
        os._exit(3)
    if name.startswith("slow"):
        time.sleep(60)
    return read(self, name, seconds)
TaskReader.files = files
worker.main()
"""
DEAD, GOOD = ("deadbeef-0000-4000-8000-000000000000", "600d0000-0000-4000-8000-00000000000{}")
Make_pool = Callable[..., WorkerPool]


@pytest.fixture
def make_pool() -> Iterator[Make_pool]:
    """Pools that use workers for everything; at the end none of their processes may be left."""
    made: list[WorkerPool] = []

    def make(**more: Any) -> WorkerPool:
        made.append(WorkerPool(worth_ms=0, **more))
        return made[-1]

    yield make
    for each in made:
        pids = each.pids
        each.close()
        assert not any(psutil.pid_exists(pid) for pid in pids)


def faulty() -> list[str]:
    return [sys.executable, "-c", _FAULTY.format(repo=str(REPO))]


def filled(store: Store, say: Make, *names: str) -> None:
    for name in names:
        store.write(ui=[say("text", name)], api=[], task_id=name)


def test_workers_read_the_same_as_this_process(store: Store, say: Make, make_pool: Make_pool) -> None:
    filled(store, say, *(GOOD.format(number) for number in range(10)))
    pooled = TaskHistory([store.path], now=lambda: NOW, read=make_pool().read)
    assert pooled.list() == store.history.list()
    assert pooled.list(rules="guide") == store.history.list(rules="guide")


def test_a_worker_that_dies_costs_one_row(store: Store, say: Make, make_pool: Make_pool) -> None:
    filled(store, say, DEAD, *(GOOD.format(number) for number in range(5)))
    history = TaskHistory([store.path], now=lambda: NOW, read=make_pool(command=faulty()).read)
    rows = {row.id: row for row in history.list()}
    assert [problem.code for problem in rows.pop(DEAD).problems] == ["internal"]
    assert [row.problems for row in rows.values()] == [[]] * 5


def test_a_row_that_was_lost_is_not_tried_again_before_it_changes(
    store: Store, say: Make, make_pool: Make_pool, caplog: pytest.LogCaptureFixture
) -> None:
    filled(store, say, DEAD)
    history = TaskHistory([store.path], now=lambda: NOW, read=make_pool(command=faulty()).read)
    assert history.list() == history.list()
    assert len([record for record in caplog.records if DEAD in record.getMessage()]) == 1


def test_a_worker_that_hangs_is_ended(store: Store, say: Make, make_pool: Make_pool) -> None:
    slow = "510e0000-0000-4000-8000-000000000000"
    filled(store, say, slow, GOOD.format(1))
    command = [part.replace('"slow"', '"510e"') for part in faulty()]
    history = TaskHistory(
        [store.path], now=lambda: NOW, read=make_pool(command=command, batch_seconds=1.0).read
    )
    rows = {row.id: row for row in history.list()}
    assert [problem.code for problem in rows[slow].problems] == ["internal"]
    assert rows[GOOD.format(1)].problems == []


def test_without_any_worker_tasks_are_read_here(store: Store, say: Make, make_pool: Make_pool) -> None:
    filled(store, say, *(GOOD.format(number) for number in range(5)))
    for command in ([sys.executable, "-c", ""], ["/no/such/program"]):
        history = TaskHistory([store.path], now=lambda: NOW, read=make_pool(command=command).read)
        assert history.list() == store.history.list()


def test_small_work_needs_no_worker(store: Store, say: Make) -> None:
    filled(store, say, GOOD.format(1))
    small = WorkerPool()
    assert TaskHistory([store.path], now=lambda: NOW, read=small.read).list() == store.history.list()
    assert small.pids == []


def test_big_files_are_worth_a_worker(store: Store) -> None:
    store.write(ui=b"[" + b" " * 10_000_000 + b"]", task_id=GOOD.format(1))
    opened = open_store(describe_root(store.path))
    assert estimate_ms(opened, [GOOD.format(1)]) > 5 > estimate_ms(opened, [GOOD.format(2)])


def test_closing_ends_what_is_being_read(store: Store, say: Make, make_pool: Make_pool) -> None:
    slow = "510e0000-0000-4000-8000-000000000000"
    filled(store, say, slow)
    busy = make_pool(command=[part.replace('"slow"', '"510e"') for part in faulty()], workers=1)
    history = TaskHistory([store.path], now=lambda: NOW, read=busy.read)
    listing = threading.Thread(target=history.list)
    listing.start()
    deadline = time.monotonic() + 20
    while not busy.pids and time.monotonic() < deadline:
        listing.join(0.01)
    busy.close()
    listing.join(10)
    assert not listing.is_alive()


def test_idle_workers_are_ended_and_started_again(store: Store, say: Make, make_pool: Make_pool) -> None:
    filled(store, say, GOOD.format(1))
    resting = make_pool(workers=1)
    history = TaskHistory([store.path], now=lambda: NOW, read=resting.read)
    history.list()
    resting.rest(1000)
    assert resting.pids
    resting.rest(0)
    assert resting.pids == []
    filled(store, say, GOOD.format(2))
    assert len(history.list()) == 2


def test_the_working_directory_is_not_on_a_workers_path(
    tmp_path: Path, store: Store, say: Make, make_pool: Make_pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "msgspec.py").write_text("import os; os._exit(9)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(REPO), *(path for path in sys.path if path)])
    filled(store, say, GOOD.format(1))
    safe = make_pool(workers=1)
    assert len(TaskHistory([store.path], now=lambda: NOW, read=safe.read).list()) == 1
    assert safe.pids and os.getcwd() == str(tmp_path)


def test_what_a_worker_logs_is_logged_here(
    store: Store, say: Make, make_pool: Make_pool, caplog: pytest.LogCaptureFixture
) -> None:
    filled(store, say, GOOD.format(1))
    command = [part.replace("os._exit(3)", "raise ValueError") for part in faulty()]
    noisy = [
        part.replace("read(self, name", "__import__('logging').warning('odd') or read(self, name")
        for part in command
    ]
    TaskHistory([store.path], now=lambda: NOW, read=make_pool(command=noisy, workers=1).read).list()
    assert "odd" in caplog.text
