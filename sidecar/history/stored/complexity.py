"""Refuse JSON that would take gigabytes as Python objects, which no agent writes."""

from typing import Final

import msgspec

LARGE: Final = 8 << 20
"""The size from which JSON is checked, in bytes; smaller JSON takes at most 500 MB as objects."""
MOST_PARTS: Final = 1_000_000
"""The most arrays and objects in large JSON. Brackets inside of texts count, too: the check is a search."""


def is_too_complex(json: bytes | str | msgspec.Raw) -> bool:
    """Return whether JSON is large and seems to hold more than a million arrays and objects."""
    if len(json) <= LARGE:
        return False
    data = json.encode("utf-8", "surrogatepass") if isinstance(json, str) else bytes(json)
    return data.count(b"[") + data.count(b"{") > MOST_PARTS
