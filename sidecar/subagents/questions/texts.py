"""Texts of an agent's question, cleaned and cut so that every client can show them."""

from collections.abc import Iterable
from typing import Any

from sidecar.printable import plain, printable
from sidecar.subagents.permissions.shortening import NAME_CHARS, TITLE_CHARS, cut_middle

MESSAGE_CHARS = 10_000
DESCRIPTION_CHARS = 2_000


def line(value: Any, limit: int = TITLE_CHARS) -> str | None:
    """Return a text on one line without control or invisible characters; None if nothing is left."""
    text = " ".join(plain(_cut(value)).split()) if isinstance(value, str) else ""
    return cut_middle(text, limit) or None


def lines(value: Any, limit: int = DESCRIPTION_CHARS) -> str | None:
    """Return a text of several lines without control or invisible characters; None if nothing is left."""
    text = printable(_cut(value)).strip() if isinstance(value, str) else ""
    return cut_middle(text, limit) or None


def listed(values: Iterable[str], most: int = 20) -> str:
    """Return values of an agent in one line, and how many more there are; empty without any."""
    found = [line(value, NAME_CHARS) or "(empty)" for value in values]
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(found[:most]) + more


def is_shown_as_is(text: str) -> bool:
    """Return whether a text is one visible line."""
    return bool(text.strip()) and plain(text) == text


def _cut(text: str) -> str:
    """Cut a text before it is cleaned, since an agent may send megabytes."""
    return cut_middle(text, 4 * MESSAGE_CHARS)
