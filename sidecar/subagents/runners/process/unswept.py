"""Track which runs may have processes left, so that none of them outlives this process."""

import asyncio
import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from sidecar.subagents.runners.process.subreaper import orphan_reaper

logger = logging.getLogger(__name__)


class Contained(Protocol):
    """The processes of one start of a run."""

    @property
    def task_id(self) -> str:
        """The ID of the run."""

    @property
    def pid(self) -> int | None:
        """The first process; None until it has started."""


class UnsweptRuns:
    """The starts whose processes were not seen to end. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._starts: dict[Contained, None] = {}

    def add(self, start: Contained) -> None:
        """Register a start before its first process exists."""
        with self._lock:
            self._starts[start] = None

    def discard(self, start: Contained) -> None:
        """Forget a start that has left no process."""
        with self._lock:
            self._starts.pop(start, None)

    async def kill(self, limit: float) -> None:
        """Kill the processes of all of them within `limit` seconds. Logs those that survive.

        On a busy machine, stopping a run may take longer than a shutdown may: this is what remains to do. It
        has a thread of its own, because a shared pool may be busy.
        """
        if not self._starts:
            return
        pool = ThreadPoolExecutor(1, thread_name_prefix="last sweep")
        killing = asyncio.get_running_loop().run_in_executor(pool, self._kill, limit)
        pool.shutdown(wait=False)
        if survivors := await killing:
            logger.error("processes %s of runs cannot be killed", survivors)

    def _kill(self, limit: float) -> tuple[int, ...]:
        from sidecar.subagents.runners.process.marker import sweep  # here, since most runs need no such end

        deadline = time.monotonic() + limit
        with self._lock:
            starts = list(self._starts)
        left = sweep([start.task_id for start in starts], limit).survivors
        for pid in [start.pid for start in starts if start.pid is not None]:
            left += orphan_reaper.sweep(pid, max(0.0, deadline - time.monotonic()))
        return left


unswept = UnsweptRuns()
"""Those of this process."""
