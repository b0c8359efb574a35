"""Times as JSON lines state them: ISO 8601 texts, nearly always in UTC with milliseconds."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MS: Final = timedelta(milliseconds=1)
_LONGEST: Final = 40
_LENGTH: Final = len("2026-04-15T12:00:00.000Z")


def iso_ms(text: str) -> int | None:
    """Return the ms since the epoch of an ISO 8601 time, in UTC without a zone; None if it is not a time."""
    if not 10 < len(text) <= _LONGEST:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    ms = (moment - _EPOCH) // _MS
    return ms if ms > 0 else None


def sortable(text: str) -> str:
    """Return a time in the form in which texts sort as times do; empty for a text that is not a time.

    Times in that form, by far the most, are returned as they are.
    """
    if len(text) == _LENGTH and text[23] == "Z" and text[10] == "T" and text[:2] == "20":
        return text if _is_time(text) else ""
    ms = iso_ms(text)
    if ms is None:
        return ""
    return (_EPOCH + ms * _MS).strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1000:03d}Z"


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:  # such as the month 13
        return False
    return True


def span(texts: Iterable[str]) -> tuple[str, str]:
    """Return the first and last of times, in the form that sorts; empty without a time."""
    given = sorted(filter(None, texts))  # nearly always sorted already, which takes less than `min` and `max`
    if given and _are_sortable(given):
        first, last = given[0], given[-1]
        if sortable(first) and sortable(last):
            return first, last
    times = [time for text in given if (time := sortable(text))]
    return (min(times), max(times)) if times else ("", "")


def _are_sortable(texts: list[str]) -> bool:
    """Return whether all times are in the form that sorts, faster than one by one."""
    count, step = len(texts), _LENGTH + 1
    together = "\n".join(texts)
    return (
        together.count("\n") == count - 1
        and together[_LENGTH::step] == "\n" * (count - 1)  # so that each has this length
        and together[23::step] == "Z" * count
        and together[10::step] == "T" * count
        and together[::step] == "2" * count
        and together[1::step] == "0" * count
    )
