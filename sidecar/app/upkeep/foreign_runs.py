"""Notify readers of a root of the runs of its owner, by polling the journal."""

import logging
from collections.abc import Callable

from sidecar.api.errors import StorageError
from sidecar.api.runs.async_tasks import AsyncStatus, AsyncTask
from sidecar.subagents.journal.journal import Journal

logger = logging.getLogger(__name__)


class ForeignRuns:
    """Compare the journal with its last state, and notify of each run whose state changed."""

    def __init__(self, journal: Journal, announce: Callable[[AsyncTask], None]) -> None:
        self._journal = journal
        self._announce = announce
        self._live: dict[str, AsyncStatus] = {}
        self._newest: int | None = None
        """The row of the newest run; None before the first check, which does not notify."""

    async def check(self) -> None:
        """Notify of changes since the last check. If the journal cannot be read, the next check does it."""
        try:
            live = {record.task.id: record.task.status for record in await self._journal.unfinished()}
            newest, launched = await self._journal.launched_after(self._newest or 0)
            changed = [task_id for task_id, _ in live.items() ^ self._live.items()]
            ids = [] if self._newest is None else [*dict.fromkeys([*changed, *launched])]
            records = [await self._journal.get(task_id) for task_id in ids]
        except StorageError as error:
            logger.debug("the runs of the owner are unknown: %s", error.message)
            return
        self._live, self._newest = live, newest
        for record in records:
            if record is not None:
                self._announce(record.task)
