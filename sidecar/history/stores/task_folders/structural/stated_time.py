"""The time that an environment block states: `# Current Time`, written for a model to read.

Newer Roo writes an ISO time in UTC. Cline and older Roo write the local time as the editor's locale has it,
with the zone and its offset: `4/10/2025, 5:01:14 PM (Europe/Berlin, UTC+2:00)`. Of the many forms only those
are read in which the order of day and month is certain: year first, dots (day first), and the American form,
which alone has no leading zeros and a capital AM or PM behind a comma.
"""

import re
from datetime import datetime, timedelta, timezone
from typing import Final

import msgspec

_ISO: Final = re.compile(r"ISO 8601 UTC format: (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z)", re.ASCII)
_AM: Final = frozenset({"AM", "上午", "午前", "오전"})
_PM: Final = frozenset({"PM", "下午", "午後", "오후"})
_HALF: Final = "|".join(sorted(_AM | _PM))
_CLOCK: Final = r"(?P<hour>\d{1,2}):(?P<minute>\d\d):(?P<second>\d\d)"
_ZONE: Final = r" \([^()\n]{0,60}UTC(?P<offset>[+-]\d{1,2}(?:\.\d{1,2})?(?::\d\d)?)\)"
_AMERICAN: Final = re.compile(
    rf"(?P<month>[1-9]\d?)/(?P<day>[1-9]\d?)/(?P<year>\d{{4}}),\s(?P<hour>[1-9]\d?):(?P<minute>\d\d)"
    rf":(?P<second>\d\d)\s(?P<half>AM|PM){_ZONE}",
)
_YEAR_FIRST: Final = re.compile(
    rf"(?P<year>\d{{4}})(?:-|/|\. )(?P<month>\d{{1,2}})(?:-|/|\. )(?P<day>\d{{1,2}})\.?,?\s"
    rf"(?:(?P<half>{_HALF})\s?)?{_CLOCK}(?:\s(?P<late>AM|PM))?{_ZONE}"
)
_DOTTED: Final = re.compile(
    rf"(?P<day>\d{{1,2}})\.(?P<month>\d{{1,2}})\.(?P<year>\d{{4}}),\s{_CLOCK}(?:\s(?P<late>AM|PM))?{_ZONE}"
)
_LONGEST: Final = 300


class StatedTime(msgspec.Struct, frozen=True):
    """A stated time in ms; `other` is the time if the day comes first, None where that is not a date."""

    ms: int
    other: int | None = None


def stated_time(section: str) -> StatedTime | None:
    """Read the time in a section `# Current Time`; None for forms that are not certain."""
    text = section[:_LONGEST].strip()
    try:
        if (iso := _ISO.search(text)) is not None:
            return StatedTime(_ms(datetime.fromisoformat(iso[1])))
        if (american := _AMERICAN.match(text)) is not None:
            month, day = int(american["month"]), int(american["day"])
            other = _local(american, month=day, day=month) if day <= 12 and day != month else None
            return StatedTime(_local(american, month, day), other)
        certain = _YEAR_FIRST.match(text) or _DOTTED.match(text)
        if certain is None:
            return None
        return StatedTime(_local(certain, int(certain["month"]), int(certain["day"])))
    except (ValueError, OverflowError):  # no date, or none that Python knows
        return None


def _local(match: "re.Match[str]", month: int, day: int) -> int:
    parts = match.groupdict()
    hour, half = int(parts["hour"]), parts.get("half") or parts.get("late")
    if half is not None:
        if not 1 <= hour <= 12:
            raise ValueError(half)
        hour = hour % 12 + (12 if half in _PM else 0)
    zone = timezone(_offset(parts["offset"]))
    minute, second = int(parts["minute"]), int(parts["second"])
    return _ms(datetime(int(parts["year"]), month, day, hour, minute, second, tzinfo=zone))


def _offset(text: str) -> timedelta:
    """Read `+2:00` and `+5:30`; older products write half an hour as `+5.5:00`."""
    hours, _, minutes = text.partition(":")
    size = timedelta(hours=float(hours[1:]), minutes=int(minutes or 0))
    return -size if text[0] == "-" else size


def _ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)
