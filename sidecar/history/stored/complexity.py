"""Refuse JSON that would take much memory as Python objects, which no agent writes."""

from typing import Final

import msgspec

MAX_VALUES: Final = 700_000
"""The most objects and arrays in one JSON value: each takes some hundred bytes."""


def is_too_complex(json: bytes | str | msgspec.Raw) -> bool:
    """Return whether JSON seems to hold too many objects and arrays; see `values_in`."""
    if len(json) <= MAX_VALUES:
        return False
    data = json.encode("utf-8", "surrogatepass") if isinstance(json, str) else bytes(json)
    return values_in(data) > MAX_VALUES


def values_in(data: bytes) -> int:
    """Count opening brackets not followed by a backslash; a backslash marks text that holds code or JSON."""
    return sum(data.count(each) - data.count(each + b"\\") for each in (b"{", b"["))
