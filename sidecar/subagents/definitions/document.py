"""The parts of a definition file in any syntax: members with their lines, and a body."""

from collections.abc import Callable
from typing import Any, NamedTuple


class Member(NamedTuple):
    """One top-level key. `read` returns its value or raises ValueError with the reason."""

    key: str
    line: int | None
    read: Callable[[], Any]


def given(value: Any) -> Callable[[], Any]:
    """Return a reader for a value that is already known."""
    return lambda: value


class Document(NamedTuple):
    """A parsed file; `body` is None if the syntax has none."""

    members: list[Member]
    body: str | None = None


class Malformed(Exception):
    """The file violates its syntax; `line` counts from 1 and is None if unknown."""

    def __init__(self, line: int | None, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message
