"""Task ids: UUIDs (Roo since 2025, Zoo, Kilo, the sidecar) and epoch milliseconds (Cline, early Roo)."""

import re
from typing import Final

from sidecar.history.stores.status_by_age import DAY_MS, FOR_EVER

_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
EPOCH_DIGITS: Final = 14
"""The longest epoch ID; a UUID has 36 characters."""
_EPOCH: Final = re.compile(rf"\d{{12,{EPOCH_DIGITS}}}", re.ASCII)

FIRST_TASK_MS: Final = 1_672_531_200_000
"""2023-01-01: no product of this format is older, so an earlier time in an ID is a coincidence."""


def is_task_id(name: str) -> bool:
    """Return whether a folder with this name is a task; other folders of products start with `_` or `.`."""
    return _UUID.fullmatch(name) is not None or is_epoch_id(name)


def is_uuid(name: str) -> bool:
    """Return whether a name is a UUID of any version and case, the only IDs of the guide."""
    return _UUID.fullmatch(name) is not None


def is_epoch_id(name: str) -> bool:
    """Return whether the ID is a time in ms."""
    return len(name) <= EPOCH_DIGITS and _EPOCH.fullmatch(name) is not None


def time_in_id(task_id: str, latest: int) -> int | None:
    """Read the creation time that an epoch or version 7 ID holds, in ms; None outside 2023 … `latest`."""
    if is_epoch_id(task_id):
        time = int(task_id)
    elif len(task_id) == 36 and task_id[14] == "7":
        time = int(task_id[:8] + task_id[9:13], 16)
    else:
        return None
    return time if FIRST_TASK_MS <= time <= latest else None


def id_holds_until(task_id: str, now: int) -> int:
    """Return the time in ms from which an ID from the future is a plausible creation time."""
    time = time_in_id(task_id, FOR_EVER)
    return time - DAY_MS if time is not None and time - DAY_MS > now else FOR_EVER
