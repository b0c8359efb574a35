"""Check strings against the formats of the Agent Client Protocol: email, uri, date, date-time."""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date, datetime

_EMAIL = re.compile(
    r"[^\s@\"(),:;<>\[\\\]\x00-\x1f\x7f]+@[^\s@\"(),:;<>\[\\\]\x00-\x1f\x7f.]+(\.[^\s@.\x00-\x1f]+)*"
)
_URI = re.compile(r"[a-z][a-z0-9+.-]*:[^\s\x00-\x20\x7f-\x9f\"<>\\^`{|}]+", re.IGNORECASE | re.ASCII)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})",
    re.ASCII,
)


def _is_date(text: str) -> bool:
    with suppress(ValueError):
        return bool(_DATE.fullmatch(text)) and date.fromisoformat(text) is not None
    return False


def _is_time(text: str) -> bool:
    with suppress(ValueError):
        return bool(_TIME.fullmatch(text)) and datetime.fromisoformat(text.upper()) is not None
    return False


_CHECKS: Mapping[str, Callable[[str], bool]] = {
    "email": lambda text: _EMAIL.fullmatch(text) is not None,
    "uri": lambda text: _URI.fullmatch(text) is not None,
    "date": _is_date,
    "date-time": _is_time,
}
NAMES: Mapping[str, str] = {
    "email": "an email address",
    "uri": "an address with its scheme, such as https://example.com",
    "date": "a date, such as 2026-03-14",
    "date-time": "a date and time with its offset, such as 2026-03-14T09:30:00Z",
}
"""What each known format expects, in words."""


def fits(format_: str, text: str) -> bool:
    """Return whether a text has a format. `format_` is one of `NAMES`."""
    return _CHECKS[format_](text)
