"""How long Gemini CLI keeps chats: 30 days, unless its settings have another period."""

from pathlib import Path
from typing import Final

import msgspec

from sidecar.history.stores.settings_file import MOST_DAYS, settings_of
from sidecar.history.stores.status_by_age import DAY_MS
from sidecar.patterns import compiled

SETTINGS: Final = "settings.json"
DEFAULT_DAYS: Final = 30
"""The default of `general.sessionRetention.maxAge` in the settings of Gemini CLI 0.61."""
_PERIOD: Final = compiled(r"0*+([0-9]*+)([hdwm])")
_MOST_DIGITS: Final = 10
_HOURS: Final = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24}


class _Retention(msgspec.Struct, rename="camel"):
    enabled: bool = True
    max_age: str = f"{DEFAULT_DAYS}d"


class _General(msgspec.Struct, rename="camel"):
    session_retention: _Retention = msgspec.field(default_factory=_Retention)


class _Settings(msgspec.Struct):
    general: _General = msgspec.field(default_factory=_General)


def deletes_after(root: str) -> int | None:
    """Return the ms between the last change of a chat and its deletion; None if none is deleted.

    Gemini CLI deletes nothing if its settings have a period that it does not understand, or less than a day.
    """
    found = settings_of(Path(root, SETTINGS), _Settings, comments=True).general.session_retention
    period = _PERIOD.fullmatch(found.max_age)
    if not found.enabled or period is None:
        return None
    amount = int(period[1][:_MOST_DIGITS] or 0)  # more digits make no difference
    after = min(amount * _HOURS[period[2]], MOST_DAYS * 24) * DAY_MS // 24
    return after if after >= DAY_MS else None
