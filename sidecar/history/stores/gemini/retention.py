"""How long Gemini CLI keeps chats: 30 days, unless its settings have another period."""

import os
from typing import Final

import msgspec

from sidecar.history.stored.parsing import UNREADABLE
from sidecar.history.stored.reading import read_file
from sidecar.history.stores.status_by_age import DAY_MS
from sidecar.patterns import compiled

SETTINGS: Final = "settings.json"
DEFAULT_DAYS: Final = 30
"""The default of `general.sessionRetention.maxAge` in the settings of Gemini CLI 0.61."""
_MAX_BYTES: Final = 4 << 20
_PERIOD: Final = compiled(r"(\d{1,6})([hdwm])")
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
    data = read_file(f"{root}{os.sep}{SETTINGS}", SETTINGS, _MAX_BYTES).data
    try:
        found = msgspec.json.decode(data or b"{}", type=_Settings).general.session_retention
    except UNREADABLE:
        found = _Retention()
    period = _PERIOD.fullmatch(found.max_age)
    if not found.enabled or period is None:
        return None
    after = int(period[1]) * _HOURS[period[2]] * DAY_MS // 24
    return after if after >= DAY_MS else None
