"""Read compressed copies of files, which are named by their content, so that equal files share one copy."""

import contextlib
import hashlib
import os
import tempfile
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Final

from sidecar.storage.kept.blob_names import blob_name, raw_size
from sidecar.storage.kept.regular import open_regular

_PIECE: Final = 1 << 20


class Stopped(Exception):
    """A copy, or its check, was stopped before its end."""


class Damaged(OSError):
    """A copy does not hold what it did."""


def open_blob(path: str) -> int:
    """Return a descriptor of a nameless file that holds what was copied. Raises OSError if it is damaged."""
    with contextlib.ExitStack() as stack:
        source = stack.enter_context(os.fdopen(open_regular(path), "rb"))
        target = stack.enter_context(tempfile.TemporaryFile())
        for piece in unpacked(source, raw_size(path)):
            target.write(piece)
        target.flush()
        target.seek(0)
        return os.dup(target.fileno())


def is_sound(path: str, is_stopped: Callable[[], bool] = lambda: False) -> bool:
    """Return whether a copy can be read and holds the content that its name states. Raises Stopped."""
    digest, size = hashlib.sha256(), raw_size(path)
    try:
        with os.fdopen(open_regular(path), "rb") as source:
            for piece in unpacked(source, size):
                if is_stopped():
                    raise Stopped
                digest.update(piece)
    except OSError:
        return False
    return os.path.basename(path) == blob_name(digest.hexdigest(), size)  # noqa: PTH119 (paths of stores are texts)


def unpacked(source: IO[bytes], size: int) -> Iterator[bytes]:
    """Yield the content of a copy in pieces. Raises Damaged, also for another size, and OSError."""
    unpacker, left = zlib.decompressobj(), size
    try:
        while left >= 0 and not unpacker.eof and (piece := unpacker.unconsumed_tail or source.read(_PIECE)):
            data = unpacker.decompress(piece, _PIECE)
            left -= len(data)
            yield data
    except zlib.error as error:
        raise Damaged(f"the kept copy is damaged: {error}") from None
    if left or not unpacker.eof:
        raise Damaged("the kept copy is damaged")
