"""The wall clock, in ms since the epoch, and one that does not jump."""

import os
import time

from sidecar.api.errors import InvalidParams

FIXED_CLOCK = "SIDECAR_NOW_MS"
"""The environment variable with which tests fix the clock for ages and missing dates of stored tasks."""


def wall_clock_ms() -> int:
    """Return the current time."""
    return time.time_ns() // 1_000_000


def elapsed_ms() -> int:
    """Return a time that only increases, for durations."""
    return time.monotonic_ns() // 1_000_000


def history_clock_ms() -> int:
    """Return the time for the ages of stored tasks: SIDECAR_NOW_MS if set, else the current time.

    Raises InvalidParams if SIDECAR_NOW_MS is not a whole number.
    """
    fixed = os.environ.get(FIXED_CLOCK)
    if not fixed:
        return wall_clock_ms()
    try:
        return int(fixed)
    except ValueError:
        raise InvalidParams(f"{FIXED_CLOCK}={fixed!r} is not a whole number of milliseconds") from None
