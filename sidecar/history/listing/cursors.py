"""Cursors: opaque texts that name the last row or message seen, bound to the query they belong to."""

import base64
import binascii
import hashlib
import json
from typing import Any, Final

from sidecar.api.errors import InvalidParams
from sidecar.history.listing.paging import Mark

_REMEDY: Final = "start again without a cursor"


def digest(*query: Any) -> str:
    """Condense what a cursor is bound to."""
    return hashlib.sha256(json.dumps(query).encode()).hexdigest()[:16]


def encode_cursor(query: str, *values: Any) -> str:
    """Make an opaque cursor for the query of this `digest`."""
    text = json.dumps([query, *values], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode_cursor(cursor: str, query: str) -> list[Any]:
    """Open a cursor; InvalidParams when it is none of ours, or of another query."""
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        values = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, binascii.Error, RecursionError):
        values = None
    if not isinstance(values, list) or not values:
        raise InvalidParams(f"cursor: not one that this server gave; {_REMEDY}")
    if values[0] != query:
        raise InvalidParams(f"cursor: belongs to another query; {_REMEDY}")
    return values[1:]


def decode_mark(cursor: str, query: str) -> Mark:
    """Open a list cursor; InvalidParams when it is not one."""
    match decode_cursor(cursor, query):
        case [int() | float() | str() | None as value, str(task_id), str(root), int(place)] if place >= 0:
            return Mark(value, task_id, root, place)
    raise InvalidParams(f"cursor: damaged; {_REMEDY}")
