"""Read single values that other programs wrote. Nothing raises. Pure."""

import re
from typing import Any, Final

from sidecar.history.stored.texts import one_line

_MAX_ID: Final = 200
_ID: Final = re.compile(r"[A-Za-z0-9][\w.:+=@-]*", re.ASCII)
"""The form of a session's id: it becomes a key, so it must not be a path."""


def text(value: Any) -> str | None:
    """Return a text that is not blank, None for anything else."""
    return value if isinstance(value, str) and value.strip() else None


def line(value: Any) -> str | None:
    """Return a text on one line, None if it is blank or not a text."""
    return one_line(value) or None if isinstance(value, str) else None


def session_id(value: Any) -> str | None:
    """Return a value that can be the ID of a session, None for any other."""
    return value if isinstance(value, str) and len(value) <= _MAX_ID and _ID.fullmatch(value) else None
