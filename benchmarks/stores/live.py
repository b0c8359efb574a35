"""A server's own list, in its process: answers from memory, memory itself, and reports of writes."""

import gc
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from queue import Queue
from statistics import median
from typing import Final

import orjson

from benchmarks.measure import Comparison, interleave, within
from benchmarks.processes import environment
from benchmarks.promises import CHANGE_SECONDS, HOSTILE_SECONDS, IDLE_PERCENT, LIVE_LIST, ROW_BYTES
from benchmarks.stores import corpora
from benchmarks.stores.following import QUIET_SECONDS, followed, idle_percent
from sidecar.api.stored.tasks import Rules
from sidecar.history import TaskHistory
from sidecar.history.catalog.worker import GARBAGE_THRESHOLDS
from sidecar.history.listing.selection import ListQuery
from sidecar.history.stores.registry import describe_root
from sidecar.history.stores.task_folders.reader import TaskReader
from sidecar.rpc.transport.encoding import encode_result
from tests.generator import sized, write_hostile

_PEER: Final = "orjson of 20,000 short records"
_WRITES: Final = 40
_WRITES_AFTER_QUIET: Final = 9
_BUSY_SECONDS: Final = 0.3
_HOSTILE_BYTES: Final = 1_200_000
_RULES: Final[tuple[Rules, ...]] = ("structural", "guide")
_NOW: Final = 1_776_254_400_000
_MEMORY: Final = """
import json, sys, tempfile, tracemalloc
from pathlib import Path
from sidecar.history import TaskHistory
from sidecar.history.listing.selection import ListQuery
with tempfile.TemporaryDirectory() as nothing:  # so that only tasks are counted, not what is imported
    TaskHistory([nothing], cache=Path(nothing)).page(ListQuery(filter="x"))
history = TaskHistory([sys.argv[1]], cache=Path(sys.argv[2]))
history.followed = True
tracemalloc.start()
sizes = []
for filter in (None, "x"):
    history.page(ListQuery(filter=filter, limit=20_000))
    sizes.append(tracemalloc.get_traced_memory()[0] / history.known)
print(json.dumps(sizes))
"""


def measure_list(runs: int) -> list[Comparison]:
    """Answer lists of 20,000 tasks from memory, and count the memory."""
    root = corpora.many_tasks()
    with tempfile.TemporaryDirectory() as cache:
        history = TaskHistory([root], cache=Path(cache))
        history.list()
        history.close()
        history.followed = True
        calls: dict[str, Callable[[], object]] = {
            "all as JSON": lambda: encode_result(1, history.page(ListQuery(limit=20_000)).wire()),
            "page of 50": lambda: encode_result(1, history.page(ListQuery(limit=50)).wire()),
            "filter": lambda: encode_result(1, history.page(ListQuery(filter="orders", limit=50)).wire()),
        }
        records = _short_records(history)
        sides = [partial(_seconds, call) for call in (*calls.values(), lambda: orjson.dumps(records))]
        *ours, peer = interleave(sides, max(15, runs))
        comparisons = [
            Comparison(f"live list of 20,000: {name}", _PEER, values, peer, promise=LIVE_LIST[name])
            for name, values in zip(calls, ours, strict=True)
        ]
        command = [sys.executable, "-c", _MEMORY, str(root), cache]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment(), timeout=60)
        loaded, searched = json.loads(done.stdout)
    return [
        *comparisons,
        within("live list of 20,000: memory of a task", [loaded], ROW_BYTES, "B"),
        Comparison("live list of 20,000: memory after a filter", "before", [searched], [loaded], "B"),
    ]


def measure_changes(runs: int) -> list[Comparison]:
    """Time reports of writes to 1,000 watched tasks, against watchfiles as it is, and the cost of waiting."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        tasks = [task.folder / "ui_messages.json" for task in sized(root, 1_000, 5_000)]
        peer = _changes_by_defaults(root, tasks)
        seen: Queue[float] = Queue()
        with followed(root, lambda _: seen.put(time.perf_counter())):
            busy = [_delay(path, seen, _BUSY_SECONDS) for path in tasks[:_WRITES]]
            time.sleep(QUIET_SECONDS)
            quiet = [_delay(path, seen, QUIET_SECONDS) for path in tasks[-_WRITES_AFTER_QUIET:]]
            idle = idle_percent()
    with followed(corpora.many_tasks(), lambda _: None):
        many = idle_percent()
    return [
        Comparison("write to report, 1,000 tasks", "watchfiles' defaults", busy, peer),
        within("write to report while busy, median", [median(busy)], CHANGE_SECONDS["while busy"]),
        within("write to report after 5 s of quiet, median", [median(quiet)], CHANGE_SECONDS["after quiet"]),
        within("processor time of following 1,000 tasks while idle", [idle], IDLE_PERCENT[1_000], "%"),
        within("processor time of following 20,000 tasks while idle", [many], IDLE_PERCENT[20_000], "%"),
    ]


def measure_hostile(runs: int) -> list[Comparison]:
    """Read every damaged or hostile task of up to 1 MB, as workers do; the slowest counts."""
    gc.set_threshold(*GARBAGE_THRESHOLDS)
    with tempfile.TemporaryDirectory() as folder:
        kinds = write_hostile(Path(folder))
        reader = TaskReader(describe_root(folder))
        names = {
            task_id: kind.name
            for task_id, kind in kinds.items()
            if _size(Path(folder, "tasks", task_id)) <= _HOSTILE_BYTES
        }
        return [_slowest(reader, names, rules, max(3, runs)) for rules in _RULES]


def _slowest(reader: TaskReader, names: dict[str, str], rules: Rules, runs: int) -> Comparison:
    read = partial(reader.rows, rules=rules, now=_NOW)
    seconds = {
        name: min(_processor_seconds(partial(read, [task_id])) for _ in range(runs))
        for task_id, name in names.items()
    }
    name = max(seconds, key=seconds.__getitem__)
    return within(f"slowest hostile task of 1 MB, {rules} ({name})", [seconds[name]], HOSTILE_SECONDS)


def _short_records(history: TaskHistory) -> list[dict[str, object]]:
    """Return the rows with only the guide's eleven members: 360 bytes of JSON each."""
    return [
        {
            "id": task.id,
            "title": task.title,
            "status": task.status,
            "createdAt": task.created_at,
            "lastActivity": task.last_activity,
            "duration": task.duration,
            "mode": {"current": task.mode.current, "name": task.mode.name},
            "tokenUsage": {"total": 0, "cost": 0},
            "messageCount": task.message_count,
            "workspaceDir": task.workspace_dir,
            "root": task.root,
        }
        for task in history.list()
    ]


def _seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _processor_seconds(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def _delay(path: Path, seen: "Queue[float]", pause: float) -> float:
    """Rename a new file to a task's, wait for its report, then `pause`."""
    new = path.parents[2] / "new.json"  # outside the task's folder, where it would be a change already
    messages = json.loads(path.read_bytes())
    messages[0]["text"] = f"title at {time.time()}"
    new.write_text(json.dumps(messages))
    while not seen.empty():
        seen.get()
    start = time.perf_counter()
    os.replace(new, path)
    seconds = seen.get(timeout=20) - start
    time.sleep(pause)
    return seconds


def _changes_by_defaults(root: Path, tasks: list[Path]) -> list[float]:
    from watchfiles import watch

    seen: Queue[float] = Queue()
    stop = threading.Event()

    def follow() -> None:
        changes: Iterator[object] = watch(root, stop_event=stop, raise_interrupt=False)
        for _ in changes:
            seen.put(time.perf_counter())

    thread = threading.Thread(target=follow)
    thread.start()
    time.sleep(1)
    delays = [_delay(path, seen, _BUSY_SECONDS) for path in tasks[:_WRITES]]
    stop.set()
    thread.join()
    return delays


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*"))
