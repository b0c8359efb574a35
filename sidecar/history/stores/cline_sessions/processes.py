"""Whether the process that wrote a session still runs."""

from typing import Final

_SLACK_MS: Final = 2_000
"""How far the clocks of a manifest and of the system may differ."""


def is_alive(pid: int, started_at: int | None) -> bool:
    """Return whether a process runs that began no later than a session did, in ms; IDs are reused."""
    import psutil

    if pid <= 0:
        return False
    try:
        began = psutil.Process(pid).create_time() * 1000
    except (psutil.Error, OverflowError):
        return False
    return started_at is None or began <= started_at + _SLACK_MS
