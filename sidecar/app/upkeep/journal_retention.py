"""Remove old events from the journal."""

import asyncio
import logging
from collections.abc import Callable

from sidecar.api.errors import StorageError
from sidecar.api.settings import SettingsSource
from sidecar.app.upkeep.rounds import Rounds
from sidecar.subagents.journal.journal import Journal

logger = logging.getLogger(__name__)

PAUSE_SECONDS = 0.05
"""The time between two transactions of a round, in which runs can write."""
DEFAULT_DAYS = 90
"""How long events are kept if `history.retentionDays` is not set."""
MAX_BYTES = 500 * 1024 * 1024
"""Beyond this size, newer events are removed too, the oldest first."""
_DAY_MS = 86_400_000


class JournalRetention:
    """Remove the events of old runs in `rounds`. Only for the owner of the root."""

    def __init__(self, journal: Journal, settings: SettingsSource, now: Callable[[], int]) -> None:
        self._journal = journal
        self._settings = settings
        self._now = now
        self.rounds = Rounds(self._try_round, "retention of events")

    async def _try_round(self) -> None:
        try:
            await self._round()
        except StorageError as error:
            logger.warning("old events are kept: %s", error.message)

    async def _round(self) -> None:
        days = self._settings.current.history.retention_days or DEFAULT_DAYS
        has_more = True
        while has_more:
            has_more = await self._journal.prune(self._now(), days * _DAY_MS, MAX_BYTES)
            await asyncio.sleep(PAUSE_SECONDS)
