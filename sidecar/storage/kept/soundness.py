"""Find damaged copies, reading only a limited amount at a time."""

import os
from collections.abc import Callable
from typing import Final

from sidecar.storage.kept.blobs import is_sound
from sidecar.storage.kept.copies import Copies
from sidecar.storage.kept.records import KeptSession

MOST_BYTES: Final = 100_000_000
"""How many bytes of copies one round reads; they decompress to about half a gigabyte, in two seconds."""


class Soundness:
    """Remember which copies are damaged. A copy is read again only if its file changed.

    `is_stopped` is called often, and ends a check in progress.
    """

    def __init__(self, most: int = MOST_BYTES, is_stopped: Callable[[], bool] = lambda: False) -> None:
        self._most = self._left = most
        self._is_stopped = is_stopped
        self._known: dict[str, tuple[object, bool]] = {}

    def start_round(self) -> None:
        """Allow the next `MOST_BYTES` to be read."""
        self._left = self._most

    def damaged_files(self, copies: Copies, session: KeptSession) -> list[str]:
        """Return the damaged files of a session's copy; those that no round has read yet count as sound.

        Raises Stopped.
        """
        return [path for file in session.files if self._is_damaged(path := copies.blob(file))]

    def _is_damaged(self, path: str) -> bool:
        try:
            status = os.lstat(path)
        except OSError:
            return True
        stamp = status.st_mtime_ns, status.st_size, status.st_ino, status.st_ctime_ns
        known, is_damaged = self._known.get(path, (None, False))
        if known != stamp and self._left > 0:
            self._left -= status.st_size
            is_damaged = not is_sound(path, self._is_stopped)
            self._known[path] = stamp, is_damaged
        return is_damaged
