"""One session of opencode or Kilo as any generation of storage holds it. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from sidecar.api.stored.tasks import Problem
from sidecar.history.stores.sessions.times import time_ms

Json = dict[str, Any]
NOTHING: Final[Json] = {}


class Header(msgspec.Struct, frozen=True):
    """The session itself; `updated` is its own newest time in ms."""

    id: str
    parent: str | None = None
    directory: str | None = None
    title: str | None = None
    version: str | None = None
    created: int | None = None
    updated: int | None = None


class Part(NamedTuple):
    """One part of a message: its ID and what it holds."""

    id: str
    data: Json


class Message(NamedTuple):
    """One message with its parts in order."""

    id: str
    data: Json
    parts: Sequence[Part]

    @property
    def role(self) -> str:
        """Return who wrote it."""
        role = self.data.get("role")
        return role if isinstance(role, str) else ""

    @property
    def created(self) -> int | None:
        """Return when it was written, in ms."""
        return time_ms(member(self.data, "time").get("created"))

    @property
    def completed(self) -> int | None:
        """Return when the answer was complete, in ms; None for an answer that is not."""
        return time_ms(member(self.data, "time").get("completed"))


class Content(msgspec.Struct):
    """A session with its messages in order; `copied` are the IDs of those that another session wrote first.

    `source` names the file, `place` is its path. `is_half_written` is True if a file was read during a save.
    """

    header: Header
    messages: Sequence[Message]
    size: int
    source: str
    place: str
    touched: int = 0
    copied: frozenset[str] = frozenset()
    problems: Sequence[Problem] = ()
    is_half_written: bool = False


def member(data: Mapping[str, Any], name: str) -> Json:
    """Return a member that is an object; an empty one otherwise."""
    value = data.get(name)
    return value if isinstance(value, dict) else NOTHING


def text(data: Mapping[str, Any], *names: str) -> str | None:
    """Return the first of some members that is a text with content."""
    return next((value for name in names if isinstance(value := data.get(name), str) and value), None)


def ordered(messages: Sequence[Message]) -> list[Message]:
    """Sort messages by time, then by ID, which ascends."""
    return sorted(messages, key=lambda message: (message.created or 0, message.id))


def fingerprint_of(message: Message) -> tuple[object, ...]:
    """Return what a copy of a message in another session shares with it: time, role, model and usage."""
    usage = member(message.data, "tokens")
    counts = tuple(usage.get(name) for name in ("input", "output", "reasoning"))
    return (message.role, message.created, message.completed, text(message.data, "modelID"), repr(counts))
