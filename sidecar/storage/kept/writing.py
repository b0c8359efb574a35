"""Make and remove kept copies. Only for the owner of the root, in one thread at a time.

A session is listed once all of its files are copied and durable, so a kill leaves at most files that nothing
refers to, which `sweep` removes.
"""

import errno
import logging
import os
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Final

from sidecar.storage.atomic import sync_directory, write_atomic
from sidecar.storage.kept.blobs import write_blob
from sidecar.storage.kept.copies import Copies
from sidecar.storage.kept.records import KeptFile, KeptSession, head_line, parse_list, session_line
from sidecar.storage.layout import FILE_MODE, make_private_dirs

_log = logging.getLogger(__name__)

_APPEND: Final = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
_READ: Final = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # a pipe must not hold the reader
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_OUTDATED: Final = 64
"""How many outdated lines a list may have in addition to as many as it has sessions."""


class NoRoom(Exception):
    """The copy would exceed the limit."""


class CopyWriter(Copies):
    """Write the copies of one root; `is_stopped` is called often, and ends a copy in progress."""

    def __init__(self, folder: str, is_stopped: Callable[[], bool] = lambda: False) -> None:
        super().__init__(folder)
        self._is_stopped = is_stopped

    def add(self, root: str, product: str, key: str, paths: Sequence[str], room: int) -> int:
        """Copy the files of a session and list it; return how many bytes that took.

        Raises NoRoom beyond `room` bytes, Stopped, and OSError if a file cannot be copied; then nothing is
        listed.
        """
        blobs = Path(self.blobs)
        make_private_dirs(blobs)
        files, used = [], 0
        for path in paths:
            name = os.path.relpath(path, root).replace(os.sep, "/")
            source = os.open(path, _READ)
            try:
                blob = write_blob(blobs, source, room - used, self._is_stopped)
            finally:
                os.close(source)
            if blob is None:
                raise NoRoom
            if blob.is_new:
                used += (blobs / blob.name).stat().st_size
            files.append(KeptFile(name, blob.name, blob.size, blob.mtime_ns))
        sync_directory(blobs)
        self._append(root, product, key, KeptSession(tuple(files)))
        return used

    def remove(self, keys: Collection[str]) -> bool:
        """Remove the copies of sessions; return whether there were any. Raises OSError."""
        listed, there = self.listed(), self.sessions()
        gone = {key: there[key] for key in keys if key in there}
        for key, session in gone.items():
            self._append(listed.root, listed.product, key, session._replace(deleted=True))
        if gone:
            self.sweep()
        return bool(gone)

    def sweep(self) -> None:
        """Remove the files that no session refers to, and shorten a list with many outdated lines.

        Raises OSError. If the list or one of its lines cannot be read, every file may be in use, and none is
        removed.
        """
        listed = self.listed() if self.version is None else parse_list(Path(self.list).read_bytes())
        if listed.damaged or (self.version is not None and not listed.lines):
            _log.warning("%s is damaged; copies that it does not name are not removed", self.list)
            return
        if listed.lines > 2 * len(listed.sessions) + _OUTDATED:
            lines = [session_line(key, session) for key, session in listed.sessions.items()]
            data = b"".join((head_line(listed.root, listed.product), *lines))
            write_atomic(Path(self.list), data, durable=True)
        used = {
            file.blob for session in listed.sessions.values() if not session.deleted for file in session.files
        }
        for entry in self.entries():
            if entry.name not in used:
                os.unlink(entry.path)  # noqa: PTH108

    def _append(self, root: str, product: str, key: str, session: KeptSession) -> None:
        is_first = self.version is None
        descriptor = os.open(self.list, _APPEND, FILE_MODE)
        try:
            size = os.fstat(descriptor).st_size
            is_cut = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
            if is_cut and (torn := _torn(Path(self.list).read_bytes())):
                size, is_cut = size - torn, False
                os.ftruncate(descriptor, size)
            head = head_line(root, product) if is_first or not size else b"\n" * is_cut
            line = head + session_line(key, session)
            if os.write(descriptor, line) < len(line):
                os.ftruncate(descriptor, size)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if is_first:
            sync_directory(Path(self.folder))


def _torn(data: bytes) -> int:
    """Return the size of a last line that was not written to its end, which lists nothing."""
    last = data[data.rfind(b"\n") + 1 :]
    return len(last) if parse_list(last).damaged else 0
