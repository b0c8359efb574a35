"""Linux's own notifications: news wake the reader, where watchfiles wakes 200 times a second to look."""

import ctypes
import errno
import os
import select
import struct
import time
from collections.abc import Iterator, Sequence
from typing import Final, NoReturn

_ADD_ONLY_FOLDERS: Final = 0x01000000
_MODIFY, _ATTRIB, _MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x2, 0x4, 0x40, 0x80, 0x100, 0x200
_MASK: Final = _MODIFY | _ATTRIB | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE | _ADD_ONLY_FOLDERS
_EVENT: Final = struct.Struct("iIII")
"""The watch, what happened, what belongs together, and the length of the name that follows."""
_READ_BYTES: Final = 1 << 16


class Inotify:
    """Watches on folders, not on what is in their folders. For one thread at a time; `close` ends it.

    Raises OSError: FileNotFoundError for a folder that is gone, another one when a limit is reached. Folders
    that may not be read are passed over.
    """

    def __init__(self, folders: Sequence[str], tick_ms: int, step_ms: int, debounce_ms: int) -> None:
        self._tick_ms, self._step_ms, self._debounce_seconds = tick_ms, step_ms, debounce_ms / 1000
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._handle = self._libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        if self._handle < 0:
            _fail("inotify")
        try:
            self._folders = dict(self._watched(folders))
        except BaseException:
            self.close()
            raise
        self._poll = select.poll()
        self._poll.register(self._handle, select.POLLIN)

    def wait(self) -> set[str]:
        """Return the paths of a burst of changes, or none after a tick.

        A burst ends with a step without another change, or when it was collected for long enough.
        """
        paths: set[str] = set()
        if self._poll.poll(self._tick_ms):
            end = time.monotonic() + self._debounce_seconds
            paths.update(self._read())
            while time.monotonic() < end and self._poll.poll(self._step_ms):
                paths.update(self._read())
        return paths

    def close(self) -> None:
        """End the watches."""
        os.close(self._handle)

    def _watched(self, folders: Sequence[str]) -> Iterator[tuple[int, str]]:
        for folder in folders:
            watch = self._libc.inotify_add_watch(self._handle, os.fsencode(folder), _MASK)
            if watch >= 0:
                yield watch, folder
            elif ctypes.get_errno() != errno.EACCES:
                _fail(folder)

    def _read(self) -> Iterator[str]:
        data = os.read(self._handle, _READ_BYTES)
        place = 0
        while place < len(data):
            watch, _, _, length = _EVENT.unpack_from(data, place)
            place += _EVENT.size + length
            name = data[place - length : place].rstrip(b"\0")
            if name and watch in self._folders:  # not an overflow, nor the end of a watch
                yield f"{self._folders[watch]}{os.sep}{os.fsdecode(name)}"


def _fail(path: str) -> NoReturn:
    number = ctypes.get_errno()
    if number == errno.ENOTDIR:
        number = errno.ENOENT
    raise OSError(number, os.strerror(number), path)
