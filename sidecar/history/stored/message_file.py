"""Read the messages of a file as a stream: memory is bounded by the largest message, not the file."""

import os
import re
import stat
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Final

from sidecar.history.stored.element_scanner import ElementScanner
from sidecar.history.stored.reading import MAX_FILE_BYTES, OPEN_FLAGS, Stamp, stamp_from
from sidecar.history.stored.salvage import repair

PIECE: Final = 1 << 18
"""Bytes read at a time."""
_HEAD: Final = 4_096
_STEP: Final = 64
"""The offset of every 64th message is kept, which takes 8 bytes per 64 messages."""
_LONGEST_REPAIRED: Final = 32 << 20
"""Largest unfinished message that is read, in bytes."""
_PADDING: Final = b"\0 \t\r\n"
_BLANK: Final = b" \t\r\n\v\f"
_BOM: Final = b"\xef\xbb\xbf"
_OPENING: Final = re.compile(rb'(?:\{\s*+(?:"version"\s*+:\s*+\d++\s*+,\s*+)?"messages"\s*+:\s*+)?\[')

ReadAt = Callable[[int, int], bytes]
"""Read bytes at an offset, up to the given number; empty at the end."""


class RefusedFile(OSError):
    """The name exists, but cannot be read as a file; `strerror` names the reason."""


@dataclass(frozen=True, slots=True)
class MessageIndex:
    """Where the messages of a file are: `offsets` of every 64th, and how many there are."""

    offsets: "array[int]"  # not subscriptable at run time before Python 3.12
    total: int


@contextmanager
def open_messages(path: str) -> Iterator[tuple[ReadAt, Stamp]]:
    """Open a message file for `index_messages` and `iter_messages`, with its stamp.

    One descriptor serves the whole block, so that no save mixes versions. Raises OSError; RefusedFile for
    what is not a regular file or is larger than `MAX_FILE_BYTES`.
    """
    descriptor = os.open(path, OPEN_FLAGS)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise RefusedFile(None, "not a regular file", path)
        if status.st_size > MAX_FILE_BYTES:
            raise RefusedFile(None, f"{status.st_size:,} bytes; at most {MAX_FILE_BYTES:,} are read", path)

        def read_at(offset: int, size: int) -> bytes:
            os.lseek(descriptor, offset, os.SEEK_SET)
            return os.read(descriptor, size)

        yield read_at, stamp_from(status)
    finally:
        os.close(descriptor)


def read_from(data: bytes) -> ReadAt:
    """Read from bytes in memory."""
    return lambda offset, size: data[offset : offset + size]


def index_messages(read_at: ReadAt) -> MessageIndex:
    """Count the messages and note where every 64th begins; anything but an array of messages has none."""
    offsets, total = array("Q"), 0
    for start, _ in _spans(read_at):
        if total % _STEP == 0:
            offsets.append(start)
        total += 1
    return MessageIndex(offsets, total)


def read_messages(read_at: ReadAt, index: MessageIndex, start: int, end: int) -> list[bytes]:
    """Read the bytes of the messages `start` … `end` - 1; fewer when the file shrank meanwhile."""
    if start >= end:
        return []
    known, skipped = divmod(start, _STEP)
    elements = _elements(read_at, index.offsets[known])
    return list(islice(elements, skipped, skipped + end - start))


def iter_messages(read_at: ReadAt) -> Iterator[bytes]:
    """Iterate over the bytes of all messages, one at a time."""
    opening = _opening(read_at)
    return iter(()) if opening is None else _elements(read_at, opening)


def _spans(read_at: ReadAt) -> Iterator[tuple[int, int]]:
    opening = _opening(read_at)
    if opening is None:
        return
    scanner = ElementScanner(opening)
    for piece in _pieces(read_at, opening):
        yield from scanner.feed(piece)
        if scanner.closed:
            return
    last = _last(read_at, scanner)
    if last is not None:
        yield scanner.start, scanner.start + len(last)


def _elements(read_at: ReadAt, offset: int) -> Iterator[bytes]:
    scanner, pending, base = ElementScanner(offset), bytearray(), offset
    for piece in _pieces(read_at, offset):
        spans = scanner.feed(piece)
        pending += piece
        for start, end in spans:
            yield bytes(pending[start - base : end - base]).strip()
        if scanner.closed:
            return
        del pending[: scanner.start - base]
        base = scanner.start
    pending.clear()
    last = _last(read_at, scanner)
    if last is not None:
        yield last


def _pieces(read_at: ReadAt, offset: int) -> Iterator[bytes]:
    while piece := read_at(offset, PIECE):
        yield piece
        offset += len(piece)


def _last(read_at: ReadAt, scanner: ElementScanner) -> bytes | None:
    """The last element of a cut file, if it merely lost the closing bracket of the array."""
    if scanner.position - scanner.start > _LONGEST_REPAIRED:
        return None
    element = b"".join(_pieces(read_at, scanner.start)).rstrip(_PADDING).strip()
    whole = element.endswith(b"}") and repair(element.decode("utf-8", "replace")) is not None
    return element if whole else None


def _opening(read_at: ReadAt) -> int | None:
    """Find the offset behind the bracket that opens the messages; None when there is none."""
    offset = _skip(read_at, 0, _PADDING if read_at(0, 1) == b"\0" else _BLANK)
    if read_at(offset, len(_BOM)) == _BOM:
        offset = _skip(read_at, offset + len(_BOM), _BLANK)
    match = _OPENING.match(read_at(offset, _HEAD))
    return None if match is None else offset + match.end()


def _skip(read_at: ReadAt, offset: int, blank: bytes) -> int:
    for piece in _pieces(read_at, offset):
        rest = piece.lstrip(blank)
        offset += len(piece) - len(rest)
        if rest:
            break
    return offset
