"""Compressed copies of files, named by their content, so that equal files share one copy."""

import contextlib
import hashlib
import os
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Final, NamedTuple

from sidecar.storage.atomic import temp_path
from sidecar.storage.kept.blob_names import SUFFIX, blob_name, raw_size
from sidecar.storage.layout import FILE_MODE

_PIECE: Final = 1 << 20
_LEVEL: Final = 6
"""Higher levels of zlib take longer and save less than a percent of JSON lines."""
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class Unsteady(OSError):
    """The file changed while it was copied."""


class Stopped(Exception):
    """The copy was stopped before its end."""


class Blob(NamedTuple):
    """A finished copy: its name, and the size and time (in ns) of the file that it was made of.

    `grown` is how many bytes more than before are used for it.
    """

    name: str
    size: int
    mtime_ns: int
    is_new: bool
    grown: int


class Room(NamedTuple):
    """How many bytes a copy may use: `left` of the limit, and what the former copy of the same file frees.

    `former` is the size of that copy, `freed` how much of it is removed if it differs.
    """

    left: int
    former: int = 0
    freed: int = 0


def write_blob(folder: Path, source: int, room: Room, is_stopped: Callable[[], bool]) -> Blob | None:
    """Copy an open file into a blob; None if there is not enough room. A damaged blob is replaced.

    A reader finds the whole copy or none, even after a power cut. Raises Unsteady, Stopped, and OSError.
    """
    before = os.fstat(source)
    temp = temp_path(folder / f"blob{SUFFIX}")
    try:
        digest = _compress(source, before.st_size, temp, room.left + room.former, is_stopped)
        after = os.fstat(source)
        if (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, after.st_size):
            raise Unsteady("it changed while it was copied")
        if digest is None:
            return None
        target = folder / blob_name(digest, before.st_size)
        is_new, grown = not target.exists(), 0
        if is_new or not is_sound(str(target), is_stopped):
            grown = temp.stat().st_size - (0 if is_new else target.stat().st_size)
            if grown > room.left + room.freed * is_new:
                return None
            os.utime(temp, ns=(before.st_mtime_ns, before.st_mtime_ns))
            temp.replace(target)
        return Blob(target.name, before.st_size, before.st_mtime_ns, is_new, grown)
    finally:
        temp.unlink(missing_ok=True)


def open_blob(path: str) -> int:
    """Return a descriptor of a nameless file that holds what was copied. Raises OSError if it is damaged."""
    with contextlib.ExitStack() as stack:
        source = stack.enter_context(open(path, "rb"))  # noqa: PTH123 (paths of stores are texts)
        target = stack.enter_context(tempfile.TemporaryFile())
        for piece in _content(source, raw_size(path)):
            target.write(piece)
        target.flush()
        target.seek(0)
        return os.dup(target.fileno())


def is_sound(path: str, is_stopped: Callable[[], bool] = lambda: False) -> bool:
    """Return whether a copy can be read and holds the content that its name states. Raises Stopped."""
    digest, size = hashlib.sha256(), raw_size(path)
    try:
        with open(path, "rb") as source:  # noqa: PTH123 (paths of stores are texts)
            for piece in _content(source, size):
                if is_stopped():
                    raise Stopped
                digest.update(piece)
    except OSError:
        return False
    return os.path.basename(path) == blob_name(_name_of(digest), size)  # noqa: PTH119 (as above)


def _compress(source: int, size: int, temp: Path, room: int, is_stopped: Callable[[], bool]) -> str | None:
    digest, packer = hashlib.sha256(), zlib.compressobj(_LEVEL)
    written, left = 0, size
    with os.fdopen(os.open(temp, _NEW, FILE_MODE), "wb") as file:
        while left > 0 and (piece := os.read(source, min(_PIECE, left))):
            if is_stopped():
                raise Stopped
            left -= len(piece)
            digest.update(piece)
            written += file.write(packer.compress(piece))
            if written > room:
                return None
        written += file.write(packer.flush())
        file.flush()
        os.fsync(file.fileno())
    if left:
        raise Unsteady("it became shorter while it was copied")
    return _name_of(digest) if written <= room else None


def _name_of(digest: "hashlib._Hash") -> str:
    return digest.hexdigest()[:40]


def _content(source: IO[bytes], size: int) -> Iterator[bytes]:
    """Yield the content of a copy in pieces. Raises OSError if it is damaged or does not have this size."""
    unpacker, left = zlib.decompressobj(), size
    try:
        while left >= 0 and not unpacker.eof and (piece := unpacker.unconsumed_tail or source.read(_PIECE)):
            data = unpacker.decompress(piece, _PIECE)
            left -= len(data)
            yield data
    except zlib.error as error:
        raise OSError(f"the kept copy is damaged: {error}") from None
    if left or not unpacker.eof:
        raise OSError("the kept copy is damaged")
