"""Measure how long a server's event loop is blocked while tasks are read or a tool list is matched."""

import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, Final

from benchmarks.measure import Comparison, within
from benchmarks.promises import STALL_SECONDS
from benchmarks.stores import corpora, patterns
from sidecar.app.serve import SWITCH_SECONDS
from sidecar.history import TaskHistory
from sidecar.history.catalog.pool import WorkerPool
from sidecar.history.listing.selection import ListQuery

_PAUSE: Final = 1e-3
"""Seconds between two turns of the loop: a stall as long as promised is met by twenty."""


def measure(runs: int) -> list[Comparison]:
    """Measure the longest stall of each run, in threads and workers as a server has them.

    A stall is the processor time that the process used between two turns of its loop: what its other
    threads kept from it. Time that other programs took from all of them is not in it.
    """
    interval = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        stalls = [asyncio.run(_one_run(corpora.many_tasks())) for _ in range(runs)]
    finally:
        sys.setswitchinterval(interval)
    scans, reconciles = zip(*stalls, strict=True)
    decisions = [patterns.slowest_decision() for _ in range(runs)]
    return [
        within("longest stall while 20,000 tasks are read", scans, STALL_SECONDS),
        within("longest stall while 20,000 tasks are looked through", reconciles, STALL_SECONDS),
        within("longest stall of a tool list with evil patterns", decisions, STALL_SECONDS),
    ]


async def _one_run(root: Path) -> tuple[float, float]:
    pool = WorkerPool()
    with tempfile.TemporaryDirectory() as cache:
        history = TaskHistory([root], cache=Path(cache), read=pool.read)
        try:
            scan = await _longest_stall(asyncio.to_thread(history.page, ListQuery(limit=50)))
            return scan, await _longest_stall(asyncio.to_thread(history.refresh))
        finally:
            await asyncio.to_thread(history.close)
            pool.close()


async def _longest_stall(work: Awaitable[Any]) -> float:
    """Return the longest of the loop's stalls until `work` is done, in seconds."""
    working, longest = asyncio.ensure_future(work), 0.0
    while not working.done():
        start = time.process_time()
        await asyncio.sleep(_PAUSE)
        longest = max(longest, time.process_time() - start)
    await working
    return longest
