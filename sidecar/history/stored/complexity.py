"""Refuse JSON that would take much memory as Python objects, which no agent writes."""

import re
from typing import Final

import msgspec

MAX_VALUES: Final = 700_000
"""The most objects and arrays in one JSON value: each takes some hundred bytes."""
MAX_TEXT: Final = 56 << 20
"""The most bytes that the text of one JSON value may take in memory, where there are several copies of it."""
_TWO_BYTES: Final = re.compile(rb"[\xc4-\xef]|\\u(?!00)")
_FOUR_BYTES: Final = re.compile(rb"[\xf0-\xf4]|\\u[dD][89abAB]")
"""Characters, or their escapes, that make Python keep a text with 2 or 4 bytes for each one (PEP 393)."""


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
    return len(json) * 4 > MAX_TEXT and len(json) * char_bytes(json) > MAX_TEXT


def char_bytes(json: bytes) -> int:
    """Return how many bytes each character takes in a text that this JSON holds, at most."""
    if _FOUR_BYTES.search(json):
        return 4
    return 2 if _TWO_BYTES.search(json) else 1
