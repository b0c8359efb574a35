"""How long Claude Code keeps sessions."""

import os
from typing import Final

import msgspec

from sidecar.history.stored.parsing import UNREADABLE
from sidecar.history.stored.reading import read_file
from sidecar.history.stores.status_by_age import DAY_MS

SETTINGS: Final = "settings.json"
DEFAULT_DAYS: Final = 30
"""https://docs.claude.com/en/docs/claude-code/settings, `cleanupPeriodDays`."""
_MAX_BYTES: Final = 4 << 20


class _Settings(msgspec.Struct):
    days: int | float | None = msgspec.field(default=None, name="cleanupPeriodDays")


def deletes_after(root: str) -> int:
    """Return the ms between the last change of a session and its deletion."""
    data = read_file(f"{root}{os.sep}{SETTINGS}", SETTINGS, _MAX_BYTES).data
    try:
        days = msgspec.json.decode(data or b"{}", type=_Settings).days
    except UNREADABLE:
        days = None
    return int((days if days is not None and days >= 0 else DEFAULT_DAYS) * DAY_MS)
