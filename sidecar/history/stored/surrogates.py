"""Replace the escapes of half a surrogate pair, which JSON.parse takes and strict decoders refuse. Pure."""

import re
from collections.abc import Iterator
from typing import Final

from sidecar.patterns import compiled

_ESCAPE: Final = compiled(rb"\\u[dD](?:([89abAB])|[c-fC-F])[0-9a-fA-F]{2}")
"""The escape of either half; the group is set for a first one."""
_REPLACEMENT: Final = rb"\ufffd"
_BACKSLASH: Final = b"\\"


def without_halves(data: bytes) -> bytes:
    """Return JSON in which each half without its other half is U+FFFD; the same object if there is none.

    Programs in JavaScript write such escapes where they cut a text in the middle of a character.
    """
    mended = bytearray()  # parts in a list would take many times the size of the data
    kept = 0
    for half in _halves(data):
        mended += data[kept : half.start()]
        mended += _REPLACEMENT
        kept = half.end()
    return bytes(mended + data[kept:]) if kept else data


def _halves(data: bytes) -> Iterator[re.Match[bytes]]:
    first: re.Match[bytes] | None = None
    for found in _ESCAPE.finditer(data):
        if not _is_escape(data, found.start()):
            continue
        is_pair = found[1] is None and first is not None and first.end() == found.start()
        if first is not None and not is_pair:
            yield first
        first = found if found[1] is not None else None
        if found[1] is None and not is_pair:
            yield found
    if first is not None:
        yield first


def _is_escape(data: bytes, at: int) -> bool:
    """Return whether the backslash at `at` is not itself escaped."""
    before = at
    while before and data[before - 1 : before] == _BACKSLASH:
        before -= 1
    return (at - before) % 2 == 0
