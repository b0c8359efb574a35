"""The asyncio tasks of a registry: each writes to the disk, so each must end before the journal closes."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from sidecar.subagents.journal.journal import Journal

logger = logging.getLogger(__name__)


class BackgroundWork:
    """Own asyncio tasks and log their errors."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Start a coroutine as an asyncio task; errors are logged with `name`."""
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    async def aclose(self, limit: float) -> None:
        """Wait until all tasks have ended or the journal cannot be written, at most `limit` seconds."""
        if not self._tasks:
            return
        stalled = asyncio.create_task(self._journal.stalled())
        done = asyncio.ensure_future(asyncio.wait(set(self._tasks)))
        waits: set[asyncio.Future[Any]] = {done, stalled}
        try:
            await asyncio.wait(waits, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
        finally:
            done.cancel()
            stalled.cancel()

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("%s failed: %s", task.get_name(), error)
