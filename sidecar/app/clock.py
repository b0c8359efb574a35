"""The wall clock, in ms since the epoch."""

import os
import time

from sidecar.api.errors import InvalidParams

FIXED_CLOCK = "SIDECAR_NOW_MS"
"""Environment variable that fixes the clock used for ages and fall-back dates of stored tasks (tests)."""


def wall_clock_ms() -> int:
    """Return the time now."""
    return time.time_ns() // 1_000_000


def history_clock_ms() -> int:
    """Return the time by which stored tasks are judged: SIDECAR_NOW_MS if set, else now.

    Raises InvalidParams when SIDECAR_NOW_MS is not a whole number.
    """
    fixed = os.environ.get(FIXED_CLOCK)
    if not fixed:
        return wall_clock_ms()
    try:
        return int(fixed)
    except ValueError:
        raise InvalidParams(f"{FIXED_CLOCK}={fixed!r} is not a whole number of milliseconds") from None
