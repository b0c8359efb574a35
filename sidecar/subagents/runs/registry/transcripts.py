"""Write the ends of runs into their stored tasks and make them durable."""

import asyncio
import contextlib
import logging

from sidecar.api.errors import StorageError
from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.runs.registry.background_work import BackgroundWork
from sidecar.subagents.runs.run import Executor, Run

logger = logging.getLogger(__name__)

RETRY_SECONDS = 1.0
"""The delay before a transcript is made durable, and between attempts: no caller waits for it."""


class TranscriptFinisher:
    """Show ends in stored tasks. Retry in the background while the disk refuses."""

    def __init__(self, journal: Journal, work: BackgroundWork) -> None:
        self._journal = journal
        self._work = work
        self._is_closing = asyncio.Event()

    async def finish(self, run: Run, ended: RunRecord) -> None:
        """Write the end of a run into its stored task, and make it durable later."""
        executor = run.executor
        if executor is None:
            return
        try:
            await executor.finish(ended.task)
        except StorageError as error:
            logger.error("%s", error)
        self._work.start(self._sync(executor, ended), f"transcript of {run.id}")

    def close(self) -> None:
        """Make the last attempts now. The next start of the sidecar repeats those that fail."""
        self._is_closing.set()

    async def _sync(self, executor: Executor, ended: RunRecord) -> None:
        """Retry until the stored task shows the end and is durable, then note that in the journal."""
        while True:
            is_last_attempt = await self._is_closing_within(RETRY_SECONDS)
            try:
                await executor.finish(ended.task)
                await executor.sync()
            except StorageError as error:
                logger.debug("%s", error)
            else:
                await self._journal.transcript_finished(ended.task.id)
                return
            if is_last_attempt:
                return

    async def _is_closing_within(self, seconds: float) -> bool:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._is_closing.wait()
        return self._is_closing.is_set()
