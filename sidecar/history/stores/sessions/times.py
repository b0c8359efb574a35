"""Times that stores record. Pure."""

from datetime import UTC, datetime
from typing import Final

EARLIEST_MS: Final = 946_684_800_000
"""2000-01-01, before any agent."""
LATEST_MS: Final = 4_102_444_800_000
"""2100-01-01."""


def time_ms(value: object) -> int | None:
    """Return a stored time in ms, given in ms since the epoch; None if it is not between 2000 and 2100."""
    if type(value) is not int and type(value) is not float:  # a bool is not a time
        return None
    return int(value) if EARLIEST_MS <= value <= LATEST_MS else None


def iso_ms(value: object) -> int | None:
    """Return a stored time in ms, given in ISO 8601; without a zone it is UTC. None if it is not a time."""
    if not isinstance(value, str) or len(value) > 64:
        return None
    try:
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return time_ms(round(moment.timestamp() * 1000))
    except (ValueError, OverflowError):
        return None
