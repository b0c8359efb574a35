"""Keep the journal within the settings `journal.retentionDays` and `journal.maxMegabytes`."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from pathlib import Path

from sidecar.api.errors import StorageError
from sidecar.api.settings import SettingsSource
from sidecar.app.upkeep.rounds import Rounds
from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.journal.pruning import Limits, Position

logger = logging.getLogger(__name__)

ROUND_SECONDS = 60.0
"""The time between two rounds."""
PAUSE_SECONDS = 0.05
"""The time between two transactions of a round, in which runs can write."""
_DAY_MS = 86_400_000
_MEGABYTE = 1_000_000


class JournalRetention:
    """Remove old runs and events in `rounds`. Only for the owner of the root."""

    def __init__(
        self,
        journal: Journal,
        settings: SettingsSource,
        now: Callable[[], int],
        *,
        is_idle: Callable[[], bool] = lambda: True,
        expect_journal: Callable[[Path], None] = lambda path: None,
        removed: Callable[[list[str]], None] = lambda task_ids: None,
        pause_seconds: float = PAUSE_SECONDS,
    ) -> None:
        """`now` returns ms since the epoch, and `removed` is called with the IDs of removed runs.

        Only while `is_idle`, the journal may be replaced by a smaller file; `expect_journal` gets its path.
        """
        self._journal = journal
        self._settings = settings
        self._now = now
        self._is_idle = is_idle
        self._expect_journal = expect_journal
        self._removed = removed
        self._pause_seconds = pause_seconds
        self.rounds = Rounds(self._try_round, "retention of the journal", ROUND_SECONDS)

    async def forget(self, task_ids: Sequence[str]) -> None:
        """Remove the runs whose stored tasks were deleted. Log a disk error."""
        if self._journal.is_newer:
            return
        try:
            self._report(await self._journal.maintenance.forget(task_ids))
        except StorageError as error:
            logger.warning(
                "cannot remove deleted runs from the journal; they are removed when they expire: %s",
                error.message,
            )
        self.rounds.due()

    async def round(self) -> None:
        """Remove everything that is beyond the limits now, and free its space. Raises StorageError."""
        settings = self._settings.current.journal
        limits = Limits(self._now(), settings.retention_days * _DAY_MS, settings.max_megabytes * _MEGABYTE)
        position: Position | None = Position()
        while position is not None:
            position = await self._journal.maintenance.prune(limits, position)
            self._report(position.removed if position is not None else ())
            await asyncio.sleep(self._pause_seconds)
        await self._journal.maintenance.truncate()
        if self._is_idle() and await self._journal.maintenance.needs_compaction():
            await self._journal.maintenance.compact(self._is_idle, self._expect_journal)

    def _report(self, removed: Sequence[str]) -> None:
        if removed:
            self._removed(list(removed))

    async def _try_round(self) -> None:
        try:
            await self.round()
        except StorageError as error:
            logger.warning("cannot remove old runs from the journal; trying again later: %s", error.message)
