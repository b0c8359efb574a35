"""Open regular files only: a pipe in the place of one must not hold the reader."""

import errno
import os
import stat
from typing import Final

_READ: Final = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)  # Windows would translate line ends
)
_PIECE: Final = 1 << 20


class NotRegular(OSError):
    """The path is that of a folder, a pipe or a device."""


def open_regular(path: str | os.PathLike[str], flags: int = _READ, mode: int = 0o600) -> int:
    """Return a descriptor of a regular file. Raises NotRegular and OSError."""
    descriptor = os.open(path, flags, mode)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotRegular(errno.EINVAL, "it is not a regular file", str(path))
    return descriptor


def has_content(path: str) -> bool:
    """Return whether a path is surely that of a regular file that holds more than zero bytes."""
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            return any(piece.strip(b"\0") for piece in iter(lambda: file.read(_PIECE), b""))
    except OSError:
        return False


def read_regular(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a regular file. Raises NotRegular and OSError."""
    with os.fdopen(open_regular(path), "rb") as file:
        return file.read()
