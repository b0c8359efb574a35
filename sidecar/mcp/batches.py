"""Several messages in one JSON array, as one revision of the protocol allows; pure."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Batch:
    """The messages of an array, and the answers that go into one array too.

    `waiting` counts the requests that still run; `on_flushed` is called when the answers are written.
    """

    parts: list[bytes]
    waiting: int = 0
    answers: list[bytes] = field(default_factory=list)
    on_flushed: list[Callable[[int], None]] = field(default_factory=list)

    def joined(self) -> bytes:
        """Return the answers as one body."""
        return b"[" + b",".join(self.answers) + b"]"

    def flushed(self, position: int) -> None:
        """Pass on that the answers are written, when the client had sent `position` bytes."""
        for each in self.on_flushed:
            each(position)


def split_batch(body: bytes) -> Batch | None:
    """Return the messages of a JSON array; None for any other body, and for an empty or broken array."""
    if not body.startswith(b"["):
        return None
    try:
        parts = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return Batch([json.dumps(part).encode() for part in parts]) if parts else None
