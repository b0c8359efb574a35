"""What folders held when they were listed, kept until a folder changes."""

import os
import time
from collections.abc import Callable, Mapping
from typing import Final, Generic, NamedTuple, TypeVar

from sidecar.history.stored.reading import UNREAD, Stamp, stamp_from
from sidecar.history.stores.sessions.folders import Folders

_SETTLED_NS: Final = 3_000_000_000
"""How old the last change of a folder is if the time of the next one surely differs: FAT counts in 2 s."""
_TRUSTED_SECONDS: Final = 60.0
"""How long a listing is trusted, in case a file system does not note each change of a folder."""

T = TypeVar("T")


class _Listing(NamedTuple, Generic[T]):
    """What a folder held at a time of the monotonic clock."""

    stamp: Stamp
    at: float
    found: T


class KeptListings(Generic[T]):
    """What `make` finds in folders, each of which it lists with `folders`. Thread-safe."""

    def __init__(self, folders: Folders, make: Callable[[str], T]) -> None:
        self._folders = folders
        self._make = make
        self._former: Mapping[str, _Listing[T]] = {}
        self._known: dict[str, _Listing[T]] = {}

    def start(self) -> None:
        """Forget the folders that were not asked for since the last start."""
        self._former, self._known = self._known, {}

    def of(self, path: str) -> T:
        """Return what a folder holds: the same object as before if the folder did not change."""
        stamp, now = _stamp_of_folder(path), time.monotonic()
        known = self._known.get(path) or self._former.get(path)
        if known is None or known.stamp != stamp or now >= known.at + _TRUSTED_SECONDS:
            is_settled = time.time_ns() - max(stamp[0], stamp[3]) > _SETTLED_NS
            known = _Listing(stamp, now, self._make(path))
            if not (is_settled and self._folders.was_listed(path)):
                return known.found
        self._known[path] = known
        return known.found


def _stamp_of_folder(path: str) -> Stamp:
    """Stat what is listed, behind a link if the path is one."""
    try:
        return stamp_from(os.stat(path))  # noqa: PTH116 (roots keep texts)
    except OSError:
        return UNREAD
