"""JavaScript's `Date`: times from any value, the local zone, and the guide's `toLocaleString`."""

import math
import time
from datetime import date, timedelta

from sidecar.javascript.values import UNDEFINED, number, to_number, to_string

MAX_TIME = 8.64e15
"""A Date's largest distance from the epoch, in ms."""

_DAY_MS = 86_400_000
_CYCLE_DAYS = 146_097  # a Gregorian cycle of 400 years


def time_of(value: object) -> int | float:
    """Return `new Date(value).getTime()`: whole ms, or NaN for an Invalid Date. May raise JavaScriptThrow."""
    if isinstance(value, list | dict):
        value = to_string(value)
    if isinstance(value, str):
        return parse(value)
    return time_clip(to_number(value) if value is not UNDEFINED else math.nan)


def time_clip(value: float) -> int | float:
    """Cut a time to whole ms toward zero; NaN outside of a Date's range."""
    return int(value) if abs(value) <= MAX_TIME else math.nan


def parse(text: str) -> int | float:
    """Return `Date.parse(text)` as V8 does: ISO forms first, then its lenient reading of everything else."""
    from sidecar.javascript.date_parser import parse_fields  # here, because few times are texts

    fields = parse_fields(text)
    if fields is None:
        return math.nan
    days = days_from_civil(fields.year, fields.month, fields.day)
    local = days * _DAY_MS + fields.milliseconds
    if fields.offset_seconds is not None:
        return time_clip(local - fields.offset_seconds * 1000)
    return time_clip(_to_utc(local)) if abs(local) <= MAX_TIME + _DAY_MS else math.nan


def days_from_civil(year: int, month: int, day: int) -> int:
    """Count days from 1970-01-01 in the proleptic Gregorian calendar; a day too many rolls over."""
    cycles, year_of_cycle = divmod(year, 400)
    ordinal = date(year_of_cycle + 400, month, 1).toordinal() - date(1970, 1, 1).toordinal()
    return ordinal + day - 1 + (cycles - 1) * _CYCLE_DAYS


def civil_from_days(days: int) -> tuple[int, int, int]:
    """Return year, month and day, the reverse of `days_from_civil`."""
    cycles, day_of_cycle = divmod(days, _CYCLE_DAYS)
    day = date(1970, 1, 1) + timedelta(days=day_of_cycle)
    return day.year + 400 * cycles, day.month, day.day


def to_locale_string(ms: int | float | None) -> str:
    """Print a time in the local zone as the guide's `toLocaleString` does: `04/15/2026, 12:00:00 PM`."""
    if ms is None or math.isnan(ms):
        return "Invalid Date"
    days, in_day = divmod(number(ms) + 1000 * _offset_seconds(int(ms)), _DAY_MS)
    year, month, day = civil_from_days(int(days))
    shown = year if year > 0 else 1 - year  # en-US counts years before the common era back from 1
    hour, rest = divmod(int(in_day) // 1000, 3600)
    clock = f"{hour % 12 or 12:02}:{rest // 60:02}:{rest % 60:02} {'AM' if hour < 12 else 'PM'}"
    return f"{month:02}/{day:02}/{shown}, {clock}"


def _offset_seconds(ms: int) -> int:
    """Return the local zone's distance from UTC at a time; UTC beyond the range of the platform's clock."""
    try:
        return time.localtime(ms // 1000).tm_gmtoff
    except (OverflowError, OSError, ValueError):
        return 0


def _to_utc(local: int) -> int:
    """Read a local time; of a repeated time the first counts, and a skipped one uses the offset before."""
    before = local - 1000 * _offset_seconds(local - _DAY_MS)
    if local - before == 1000 * _offset_seconds(before):
        return before
    after = local - 1000 * _offset_seconds(local + _DAY_MS)
    return after if local - after == 1000 * _offset_seconds(after) else before
