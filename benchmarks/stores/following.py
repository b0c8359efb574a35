"""Follow stores of many sessions: from an appended answer to the list, and the cost of waiting."""

import gc
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from statistics import median
from typing import Final

from benchmarks.measure import Comparison, within
from benchmarks.promises import APPEND_SECONDS, SESSIONS_IDLE_PERCENT
from sidecar.app.serve import GARBAGE_THRESHOLDS
from sidecar.corpus.agents import claude
from sidecar.history import TaskHistory
from sidecar.history.listing.selection import ListQuery
from sidecar.history.live import LiveHistory
from sidecar.history.live.watcher import BUSY_SECONDS
from sidecar.history.task_history import Changes

QUIET_SECONDS: Final = 5.0
_SESSIONS: Final = 10_000
_BYTES: Final = 10_000
_APPENDS: Final = 40
_PAUSE_SECONDS: Final = 0.7
_EVERY: Final = 8
"""Before every eighth append nothing changes until the watcher checks less often."""
_IDLE_SECONDS: Final = 52.0
"""Two rounds of the sweep over 20,000 tasks."""


def measure(runs: int) -> list[Comparison]:
    """Append answers to 10,000 followed sessions of Claude Code, and measure the cost of following them."""
    gc.set_threshold(*GARBAGE_THRESHOLDS)  # as the sidecar does
    seen: Queue[Changes] = Queue()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        claude.sized(root, _SESSIONS, _BYTES)
        with followed(root, seen.put) as history:
            files = sorted(root.glob("projects/*/*.jsonl"))
            appended = enumerate(files[:: _SESSIONS // _APPENDS])
            delays = [_seconds_to_list(file, history, seen, n % _EVERY == 0) for n, file in appended]
            time.sleep(QUIET_SECONDS)
            idle = idle_percent()
    what = "an appended answer until it is in the list, 10,000 sessions"
    return [
        within(f"{what}: median", [median(delays)], APPEND_SECONDS),
        within(f"{what}: slowest of {len(delays)}", [max(delays)], APPEND_SECONDS),
        within("processor time of following 10,000 sessions while idle", [idle], SESSIONS_IDLE_PERCENT, "%"),
    ]


@contextmanager
def followed(root: Path, announce: Callable[[Changes], None]) -> Iterator[TaskHistory]:
    """Follow a root, from the time when its watches are open and its first changes are reported."""
    history = TaskHistory([root])
    history.list()
    live = LiveHistory(history, announce)
    live.start()
    try:
        while live.state.mode != "watch":
            time.sleep(0.05)
        time.sleep(QUIET_SECONDS)
        yield history
    finally:
        live.close()


def idle_percent() -> float:
    """Return the share of a processor, in percent, that this process uses while nothing happens."""
    used = time.process_time()
    time.sleep(_IDLE_SECONDS)
    return (time.process_time() - used) / _IDLE_SECONDS * 100


def _seconds_to_list(
    file: Path, history: TaskHistory, seen: "Queue[Changes]", is_first: bool = False
) -> float:
    """Append an answer, the first after a quiet time or not, and return the time until the list counts it."""
    time.sleep(BUSY_SECONDS + 0.5 if is_first else _PAUSE_SECONDS)
    before = _messages(file.stem, history)
    line = _answer(file)
    while not seen.empty():
        seen.get()
    start = time.perf_counter()
    with file.open("a", encoding="utf-8") as opened:
        opened.write(line)
    while _messages(file.stem, history) == before:
        seen.get(timeout=20)
    return time.perf_counter() - start


def _answer(file: Path) -> str:
    """Return another answer like the last one of a session."""
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    answer = next(record for record in reversed(records) if record["type"] == "assistant")
    answer["uuid"] = answer["message"]["id"] = f"appended-{time.time_ns()}"
    return json.dumps(answer) + "\n"


def _messages(session: str, history: TaskHistory) -> int | None:
    """Return how many messages the list counts in a session."""
    (row,) = history.page(ListQuery(filter=session)).items
    return row.message_count
