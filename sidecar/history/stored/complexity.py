"""Refuse JSON that would take much memory as Python objects, which no agent writes."""

import re
from typing import Final

import msgspec

MAX_VALUES: Final = 700_000
"""The most objects and arrays in one JSON value: each takes some hundred bytes."""
MAX_TEXT: Final = 56 << 20
"""The most bytes that the text of one JSON value may take in memory, where there are several copies of it."""
_UP_TO_LATIN: Final = bytes(range(0xC4))
_UP_TO_THREE: Final = bytes(range(0xF0))
"""The bytes of UTF-8 that no character beyond Latin-1, or beyond the basic plane, begins with."""
_WIDE_ESCAPE: Final = re.compile(rb"\\u(?!00)")
_HALF_ESCAPE: Final = re.compile(rb"\\u[dD][89abAB]")


def is_too_complex(json: bytes | str | msgspec.Raw) -> bool:
    """Return whether JSON seems to hold too many objects and arrays; see `values_in`."""
    if len(json) <= MAX_VALUES:
        return False
    data = json.encode("utf-8", "surrogatepass") if isinstance(json, str) else bytes(json)
    return values_in(data) > MAX_VALUES


def values_in(data: bytes) -> int:
    """Count opening brackets not followed by a backslash; a backslash marks text that holds code or JSON."""
    return sum(data.count(each) - data.count(each + b"\\") for each in (b"{", b"["))


def is_too_wide(json: bytes) -> bool:
    """Return whether JSON may take more than `MAX_TEXT` as a text: with one emoji, four times its size."""
    if len(json) * 4 <= MAX_TEXT:
        return False
    return len(json) > MAX_TEXT or len(json) * char_bytes(json) > MAX_TEXT


def char_bytes(json: bytes) -> int:
    """Return how many bytes each character takes in a text that this JSON holds, at most (PEP 393)."""
    wide = b"" if json.isascii() else json.translate(None, _UP_TO_LATIN)
    has_escapes = b"\\u" in json
    if wide.translate(None, _UP_TO_THREE) or (has_escapes and _HALF_ESCAPE.search(json)):
        return 4
    return 2 if wide or (has_escapes and _WIDE_ESCAPE.search(json)) else 1
