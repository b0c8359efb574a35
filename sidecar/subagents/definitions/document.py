"""What a definition file consists of, whatever its syntax: members with their lines, and a body."""

from collections.abc import Callable
from typing import Any, NamedTuple


class Member(NamedTuple):
    """One top-level key. `read` gives its value, or raises ValueError saying what is wrong with it."""

    key: str
    line: int | None
    read: Callable[[], Any]


def given(value: Any) -> Callable[[], Any]:
    """Return what a member reads whose value is known already."""
    return lambda: value


class Document(NamedTuple):
    """A file taken apart; `body` is None where the syntax has none."""

    members: list[Member]
    body: str | None = None


class Malformed(Exception):
    """The file is not what its syntax asks for; `line` counts from 1, None where it is not known."""

    def __init__(self, line: int | None, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message
