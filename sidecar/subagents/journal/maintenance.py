"""Limit the size of a journal, for the owner of the root."""

import asyncio
import functools
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from sidecar.subagents.journal import compaction, pruning, status
from sidecar.subagents.journal.pruning import Limits, Position
from sidecar.subagents.journal.queue import JournalQueue

T = TypeVar("T")

_WORTHWHILE_BYTES = 1 << 20
"""How many free bytes make it worthwhile to write the whole journal again."""


class Maintenance:
    """Remove runs from one journal, and free their space. Any call may raise StorageError."""

    def __init__(self, path: Path, queue: JournalQueue, require_writable: Callable[[], None]) -> None:
        self._path = path
        self._queue = queue
        self._require_writable = require_writable

    async def prune(self, limits: Limits, position: Position) -> Position | None:
        """Remove some old runs or events; return where to continue, or None when all are removed."""
        return await self._write(lambda db: pruning.prune(db, limits, position))

    async def forget(self, task_ids: Sequence[str]) -> list[str]:
        """Remove ended runs and their events, but keep results that the model was not notified of.

        Return the IDs of the removed runs. `prune` frees the space of the events.
        """
        removed: list[str] = []
        for start in range(0, len(task_ids), pruning.RUNS_AT_ONCE):
            some = tuple(task_ids[start : start + pruning.RUNS_AT_ONCE])
            removed += await self._write(functools.partial(pruning.forget, task_ids=some))
        return removed

    async def truncate(self) -> None:
        """Return the space that `prune` freed at the end of the file to the file system."""
        await self._queue.call(functools.partial(pruning.truncate, path=self._path), writes=False)

    async def needs_compaction(self) -> bool:
        """Return whether free space can only be returned by `compact`."""
        return await self._queue.call(_wastes_space, writes=False)

    async def compact(self, is_idle: Callable[[], bool], expect: Callable[[Path], None]) -> bool:
        """Write the journal to a smaller file and put that in its place; return whether that was possible.

        `is_idle` is called in another thread and stops the copying by False. `expect` is called with the
        file that will replace the journal.
        """
        self._require_writable()
        stopped = False
        copying = asyncio.ensure_future(
            asyncio.to_thread(compaction.write_copy, self._path, lambda: is_idle() and not stopped)
        )
        try:
            copy = await asyncio.shield(copying)
        except asyncio.CancelledError:
            stopped = True
            if (copy := await copying) is not None:
                copy.discard()
            raise
        if copy is None:
            return False
        expect(copy.path)
        compared = await self._queue.call(status.compared, writes=False)
        self._queue.reconnect(compaction.Replacing(self._path, copy, compared))
        return not await self.needs_compaction()

    async def _write(self, run: Callable[[sqlite3.Connection], T]) -> T:
        self._require_writable()
        return await self._queue.call(run, writes=True)


def _wastes_space(db: sqlite3.Connection) -> bool:
    return not pruning.can_shrink(db) and pruning.free_bytes(db) >= _WORTHWHILE_BYTES
