"""How long Claude Code keeps sessions."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from sidecar.history.stored.reading import Stamp, is_there, stamp_of
from sidecar.history.stores.sessions.folders import ends_of
from sidecar.history.stores.settings_file import MOST_DAYS, settings_of
from sidecar.history.stores.status_by_age import DAY_MS
from sidecar.patterns import compiled

SETTINGS: Final = "settings.json"
DEFAULT_DAYS: Final = 30
"""https://docs.claude.com/en/docs/claude-code/settings, `cleanupPeriodDays`."""
_DESKTOP: Final = compiled(rb'"entrypoint":"(?:claude-desktop(?:-3p)?|local[-_]agent)"')
"""The programs whose sessions Claude Code 2.1 does not delete because of their age, as records name them."""
_RELEASED: Final = ".desktop-released.json"
"""The end of a file's name next to a session that such a program gave up."""


class _Settings(msgspec.Struct):
    days: int | float | None = msgspec.field(default=None, name="cleanupPeriodDays")
    desktop_days: int | float | None = msgspec.field(default=None, name="desktopSessionCleanupPeriodDays")


def deletes_after(root: str) -> int:
    """Return the ms between the last change of a session and its deletion."""
    days = settings_of(Path(root, SETTINGS), _Settings).days
    kept = min(days, MOST_DAYS) if days is not None and days >= 0 else DEFAULT_DAYS
    return int(kept * DAY_MS)


class SparedFiles:
    """Recognize sessions that Claude Code keeps whatever their age; read a file again only if it changed."""

    def __init__(self, root: str) -> None:
        self._settings = Path(root, SETTINGS)
        self._known: dict[str, tuple[Stamp | None, bool]] = {}

    def has(self, paths: Iterable[str]) -> bool:
        """Return whether one of a session's files is spared: the desktop wrote its first or last records."""
        return any(map(self._is_spared, paths)) and not settings_of(self._settings, _Settings).desktop_days

    def _is_spared(self, path: str) -> bool:
        stamp = stamp_of(path)
        known, is_desktop = self._known.get(path, (None, False))
        if stamp is None or known != stamp:
            is_desktop = any(_DESKTOP.search(part) for part in ends_of(path))
            self._known[path] = stamp, is_desktop
        return is_desktop and not is_there(os.path.splitext(path)[0] + _RELEASED)  # noqa: PTH122
