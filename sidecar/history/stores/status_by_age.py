"""The status of an unfinished task, which changes with its age."""

from typing import Final

from sidecar.api.stored.tasks import TaskStatus

DAY_MS: Final = 86_400_000
ACTIVE_MS: Final = DAY_MS
ABANDONED_MS: Final = 7 * DAY_MS
FOR_EVER: Final = 2**62
"""A time in ms later than any clock."""


def by_age(last_activity: int | float | None, now: int) -> TaskStatus:
    """Return the status of an unfinished task: active under a day, abandoned over a week."""
    if last_activity is None:
        return "unknown"
    age = now - last_activity
    if age < ACTIVE_MS:
        return "active"
    return "abandoned" if age > ABANDONED_MS else "unknown"


def next_change(last_activity: int | None, now: int) -> int:
    """Return the time in ms when `by_age` may change, at most a day from `now`."""
    limits = [now + DAY_MS]
    if last_activity is not None:
        limits += [last_activity + ACTIVE_MS, last_activity + ABANDONED_MS + 1]
    return min(limit for limit in limits if limit > now)


def change_after(last_activity: int | float, now: int) -> int:
    """Return a time in ms before which `by_age` does not change; `FOR_EVER` if it never does again."""
    whole = int(last_activity)
    limits = (whole + limit + later for limit in (ACTIVE_MS, ABANDONED_MS) for later in (0, 1, 2))
    return min((limit for limit in limits if limit > now), default=FOR_EVER)
