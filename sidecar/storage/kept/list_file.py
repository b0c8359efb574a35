"""Write the list of kept copies so that each line is whole and durable, or not there."""

import contextlib
import errno
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from sidecar.storage.atomic import sync_directory, write_atomic
from sidecar.storage.kept.records import KeptSession, head_line, parse_list, session_line
from sidecar.storage.kept.regular import open_regular
from sidecar.storage.layout import FILE_MODE

_APPEND: Final = (
    os.O_RDWR
    | os.O_CREAT
    | os.O_APPEND
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def append(path: Path, lines: bytes) -> None:
    """Append durable lines, after removing a last one that was not written to its end.

    Raises OSError; then nothing is appended.
    """
    descriptor = open_regular(path, _APPEND, FILE_MODE)
    try:
        size = os.fstat(descriptor).st_size
        if size and os.pread(descriptor, 1, size - 1) != b"\n":
            if torn := _torn(path.read_bytes()):
                size -= torn
                os.ftruncate(descriptor, size)
            else:
                lines = b"\n" + lines
        try:
            if os.write(descriptor, lines) < len(lines):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(descriptor)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, size)
            raise
    finally:
        os.close(descriptor)
    if not size:
        sync_directory(path.parent)


def rewrite(path: Path, root: str, product: str, lines: Iterable[tuple[str, KeptSession]]) -> None:
    """Replace the list by one with these lines. Raises OSError."""
    written = (session_line(key, session, root, product) for key, session in lines)
    write_atomic(path, b"".join((head_line(root, product), *written)), durable=True)


def _torn(data: bytes) -> int:
    """Return the size of a last line that was not written to its end; it names nothing that is finished."""
    last = data[data.rfind(b"\n") + 1 :]
    return len(last) if parse_list(last).damaged else 0
