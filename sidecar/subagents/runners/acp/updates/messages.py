"""Turn an agent's messages and thoughts into the events of a run, without repeated text. No I/O."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from uuid import uuid4

from sidecar.subagents.runners.output.outputs import EmittedVars, OutputBlocks
from sidecar.subagents.runners.output.text import FinalText, pieces

Event = dict[str, Any]

CHUNKS = {"agent_message_chunk": "message", "agent_thought_chunk": "thought"}
_JOINED_CHARS = 16 * 1024


def new_message_id() -> str:
    """Return a new ID. It is random because a resumed task writes to the same journal."""
    return uuid4().hex[:12]


class Messages:
    """The messages and thoughts of one run, its last message and its emitted variables.

    With `takes_outputs`, blocks of outputs in messages become `emit` events and are removed from the message.
    `repeated` returns the event for an answer that the model starts again.
    """

    def __init__(
        self, new_id: Callable[[], str], repeated: Callable[[], Event], *, takes_outputs: bool
    ) -> None:
        self.emitted = EmittedVars()
        self._blocks = OutputBlocks() if takes_outputs else None
        self._new_id = new_id
        self._repeated = repeated
        self._repeats = Repeats()
        self._kind = ""
        self._their_id: object = None
        self._our_id = ""
        self._text = FinalText()
        self._last_message: str | None = None

    @property
    def block_problem(self) -> str | None:
        """Why the last block of outputs counts as text; None if it was read, or there is none."""
        return None if self._blocks is None else self._blocks.problem

    def chunk(self, kind: str, update: Mapping[str, Any]) -> Iterator[Event]:
        """Yield the events of a message or thought chunk; none for an empty one."""
        text = text_of(update.get("content"))
        if not text:
            return
        their_id = update.get("messageId")
        if kind != self._kind or their_id != self._their_id:
            yield from self._begin(kind, their_id)
        if kind != "message":
            yield from self._text_events(text)
            return
        shown, repeats_all = self._repeats.feed(text) if their_id is not None else (text, False)
        if repeats_all:
            yield self._repeated()
        yield from self._message_events(shown)

    def interrupt(self) -> Iterator[Event]:
        """Yield held text because the agent does something else.

        Text after a tool call is a new message, unless its message ID shows that it continues the old one.
        """
        yield from self._message_events(self._repeats.interrupt())
        if self._their_id is None:
            yield from self._begin("", None)

    def flush(self) -> Iterator[Event]:
        """End the message and yield its held text."""
        yield from self._message_events(self._repeats.interrupt())
        yield from self._begin("", None)

    def final(self) -> str | None:
        """Return the last message that is not blank, cut to its limit."""
        if self._kind != "message" or self._text.is_blank():
            return self._last_message
        final = self._text.final()
        return final if self._blocks is None else final.strip("\n")  # blank lines around a block

    def _begin(self, kind: str, their_id: object) -> Iterator[Event]:
        """Yield the held text of the current message, and start another."""
        if kind == "thought":
            yield from self._message_events(self._repeats.interrupt())
        if self._kind == "message" and self._blocks is not None:
            yield from self._block_events(self._blocks.finish())
        if kind == "message" and self._repeats.begin():
            yield self._repeated()
        self._last_message = self.final()
        self._kind, self._their_id = kind, their_id
        self._our_id, self._text = self._new_id(), FinalText()

    def _message_events(self, text: str) -> Iterator[Event]:
        if not text:
            return
        if self._blocks is not None:
            yield from self._block_events(self._blocks.feed(text))
        else:
            yield from self._text_events(text)

    def _block_events(self, parts: Iterable[str | Event]) -> Iterator[Event]:
        for part in parts:
            if isinstance(part, str):
                yield from self._text_events(part)
                continue
            for name, value in part.items():
                yield {"type": "emit", "name": name, "value": value}
                yield from self.emitted.keep(name, value)

    def _text_events(self, text: str) -> Iterator[Event]:
        for piece in pieces(text):
            self._text.add(piece)
            yield {"type": self._kind, "messageId": self._our_id, "text": piece}


def joined(events: Iterable[Event]) -> Iterator[Event]:
    """Join adjacent chunks of a message, so that many small chunks do not flood the journal."""
    held: Event | None = None
    for event in events:
        if held is not None and _continues(held, event):
            held = {**held, "text": held["text"] + event["text"]}
            continue
        if held is not None:
            yield held
        held = event
    if held is not None:
        yield held


def text_of(content: Any) -> str:
    """Return the text of a content block, or a placeholder for a block of another type."""
    if not isinstance(content, Mapping):
        return ""
    if content.get("type") == "text":
        text = content.get("text")
        return text if isinstance(text, str) else ""
    uri = content.get("uri")
    return f"[{content.get('type', 'content')}{f': {uri}' if isinstance(uri, str) else ''}]"


def _continues(held: Event, event: Event) -> bool:
    same = held["type"] == event["type"] and held.get("messageId") == event.get("messageId")
    return same and event["type"] in ("message", "thought") and len(held["text"]) < _JOINED_CHARS


_KEPT_CHARS = 64 * 1024
"""Longer answers are not compared."""


class Repeats:
    """Hold back a message while it repeats the previous one verbatim, with nothing in between."""

    def __init__(self) -> None:
        self._before = ""
        self._now = ""
        self._is_held = False
        self._was_reported = False

    def begin(self) -> bool:
        """Start a message. Return whether this drops the held message as a repetition not reported yet."""
        drops = self._is_held and bool(self._now)
        is_unreported = drops and not self._was_reported
        self._before = max(self._before, self._now, key=len) if drops else self._now
        self._now, self._was_reported = "", False
        self._is_held = bool(self._before) and len(self._before) <= _KEPT_CHARS
        return is_unreported

    def feed(self, text: str) -> tuple[str, bool]:
        """Add a chunk. Return the text to show, and whether the message now equals the previous one."""
        if len(self._now) <= _KEPT_CHARS:
            self._now += text
        if not self._is_held:
            return text, False
        if not self._before.startswith(self._now):
            return self.release(), False
        repeats_all = self._now == self._before and not self._was_reported
        self._was_reported = self._was_reported or repeats_all
        return "", repeats_all

    def release(self) -> str:
        """Return the held text because the message is not a repetition."""
        held = self._now if self._is_held else ""
        self._is_held = False
        return held

    def interrupt(self) -> str:
        """Return the held text because the agent did something else."""
        held = self.release()
        self._before = self._now = ""
        return held
