"""Lines in which an idiom is right."""

from typing import NamedTuple


class Allowed(NamedTuple):
    """A text in a line of a file, and why it may stay."""

    path: str
    text: str
    reason: str


ALLOWED: tuple[Allowed, ...] = ()
