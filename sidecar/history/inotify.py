"""Linux's own notifications: news wake the reader, where watchfiles wakes 200 times a second to look."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final

from inotify_simple import INotify, flags

from sidecar.history.watch_source import NewsLost

_MASK: Final = (
    flags.MODIFY
    | flags.ATTRIB
    | flags.MOVED_FROM
    | flags.MOVED_TO
    | flags.CREATE
    | flags.DELETE
    | flags.ONLYDIR
)


class Inotify:
    """Watches on folders, not on what is in their folders. For one thread at a time; `close` ends it.

    Raises OSError: FileNotFoundError for a folder that is gone, another one when a limit is reached. Folders
    that may not be read are passed over.
    """

    def __init__(self, folders: Sequence[str], tick_ms: int, step_ms: int, debounce_ms: int) -> None:
        self._tick_ms, self._step_ms, self._debounce_seconds = tick_ms, step_ms, debounce_ms / 1000
        self._inotify = INotify()
        try:
            self._folders = dict(self._watched(folders))
        except BaseException:
            self.close()
            raise

    def wait(self) -> set[str]:
        """Return the paths of a burst of changes, or none after a tick. Raises NewsLost.

        A burst ends with a step without another change, or when it was collected for long enough.
        """
        paths = set(self._read(self._tick_ms))
        end = time.monotonic() + self._debounce_seconds
        more = paths
        while more and time.monotonic() < end:
            more = set(self._read(self._step_ms))
            paths |= more
        return paths

    def close(self) -> None:
        """End the watches."""
        self._inotify.close()

    def _watched(self, folders: Sequence[str]) -> Iterator[tuple[int, str]]:
        for folder in folders:
            try:
                with suppress(PermissionError):
                    yield self._inotify.add_watch(folder, _MASK), folder
            except NotADirectoryError:
                raise FileNotFoundError(folder) from None

    def _read(self, timeout_ms: int) -> Iterator[str]:
        for watch, mask, _, name in self._inotify.read(timeout_ms):
            if mask & flags.Q_OVERFLOW:
                raise NewsLost("the kernel keeps no more notices")
            if name and watch in self._folders:  # not the end of a watch
                yield f"{self._folders[watch]}{os.sep}{name}"
