"""How long Claude Code keeps sessions."""

from pathlib import Path
from typing import Final

import msgspec

from sidecar.history.stores.settings_file import MOST_DAYS, settings_of
from sidecar.history.stores.status_by_age import DAY_MS

SETTINGS: Final = "settings.json"
DEFAULT_DAYS: Final = 30
"""https://docs.claude.com/en/docs/claude-code/settings, `cleanupPeriodDays`."""


class _Settings(msgspec.Struct):
    days: int | float | None = msgspec.field(default=None, name="cleanupPeriodDays")


def deletes_after(root: str) -> int:
    """Return the ms between the last change of a session and its deletion."""
    days = settings_of(Path(root, SETTINGS), _Settings).days
    kept = min(days, MOST_DAYS) if days is not None and days >= 0 else DEFAULT_DAYS
    return int(kept * DAY_MS)
