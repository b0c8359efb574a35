"""Make compressed copies of files under temporary names."""

import hashlib
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from sidecar.storage.atomic import temp_path
from sidecar.storage.kept.blob_names import SUFFIX, blob_name
from sidecar.storage.kept.blobs import Stopped
from sidecar.storage.layout import FILE_MODE

_PIECE: Final = 1 << 20
_LEVEL: Final = 6
"""Higher levels of zlib take longer and save less than a percent of JSON lines."""
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_READ: Final = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # a pipe must not hold the reader
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class NoRoom(Exception):
    """The copy would exceed the limit."""


class Unsteady(OSError):
    """The file changed while it was copied."""


class Content(NamedTuple):
    """The size of a content, and its digest."""

    size: int
    digest: str


class Draft(NamedTuple):
    """A copy, durable at `temp`, that does not have its `name` yet.

    `size` and `mtime_ns` are those of the file that it was made of. Its `content` is what comes before the
    zero bytes at its end, which a power cut may leave. `packed` is the draft's own size.
    """

    temp: Path
    name: str
    size: int
    mtime_ns: int
    packed: int
    content: Content


def draft_blob(folder: Path, path: str, most: int, is_stopped: Callable[[], bool]) -> Draft:
    """Copy a file into a folder. The caller names or removes the draft.

    Raises NoRoom above `most` bytes, Unsteady, Stopped, and OSError.
    """
    temp = temp_path(folder / f"blob{SUFFIX}")
    source = os.open(path, _READ)
    try:
        before = os.fstat(source)
        digest, content = _compress(source, before.st_size, temp, most, is_stopped)
        after = os.fstat(source)
        if (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, after.st_size):
            raise Unsteady("it changed while it was copied")
        os.utime(temp, ns=(before.st_mtime_ns, before.st_mtime_ns))
        name = blob_name(digest, before.st_size)
        return Draft(temp, name, before.st_size, before.st_mtime_ns, temp.stat().st_size, content)
    except BaseException:
        temp.unlink(missing_ok=True)
        raise
    finally:
        os.close(source)


def _compress(
    source: int, size: int, temp: Path, most: int, is_stopped: Callable[[], bool]
) -> tuple[str, Content]:
    """Write a draft; return the digest of the file, and its content."""
    digest, packer = hashlib.sha256(), zlib.compressobj(_LEVEL)
    written, left = 0, size
    content = Content(0, digest.hexdigest())
    with os.fdopen(os.open(temp, _NEW, FILE_MODE), "wb") as file:
        while left > 0 and (piece := os.read(source, min(_PIECE, left))):
            if is_stopped():
                raise Stopped
            if start := piece.rstrip(b"\0"):
                digest.update(start)
                content = Content(size - left + len(start), digest.hexdigest())
            digest.update(piece[len(start) :])
            left -= len(piece)
            written += file.write(packer.compress(piece))
            if written > most:
                raise NoRoom
        written += file.write(packer.flush())
        if written > most:
            raise NoRoom
        file.flush()
        os.fsync(file.fileno())
    if left:
        raise Unsteady("it became shorter while it was copied")
    return digest.hexdigest(), content
