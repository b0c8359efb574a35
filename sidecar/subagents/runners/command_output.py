"""What a command prints, as events: an incremental parser that is fed bytes and does no I/O."""

from collections.abc import Callable, Iterator
from typing import Any, Literal, Protocol
from uuid import uuid4

from sidecar.subagents.runners.command_events import Event, parse_event
from sidecar.subagents.runners.text import FinalText, pieces, utf8_decoder

EVENT_LINE_BYTES = 16 * 1024 * 1024
"""A longer line is text, however it begins: it cannot be held back until its end is known."""
EMITTED_BYTES = 16 * 1024 * 1024
"""What the emitted variables of one run may take together, as they were printed."""

_INDENT_BYTES = 64
"""How far into a line its `{` is looked for."""

NewId = Callable[[], str]


class CommandOutput(Protocol):
    """What a `command` run needs of a parser of its stdout; the iterators must be run to their ends."""

    emitted_vars: dict[str, Any]

    def feed(self, data: bytes) -> Iterator[Event]:
        """Take what was read, in any cut, and yield the events it completes."""

    def finish(self) -> Iterator[Event]:
        """Take the end of the output and yield what was held back."""

    def final_message(self) -> str | None:
        """Return what the run has to say in the end, bounded; None when it said nothing."""


def command_output(kind: Literal["text", "events"]) -> CommandOutput:
    """Return a fresh parser for the runner setting `format`."""
    return EventsOutput() if kind == "events" else TextOutput()


def _new_id() -> str:
    # Random, since a task that is resumed writes into the same journal.
    return uuid4().hex[:12]


class _Message:
    """One message while it streams: its pieces share an id, and its end is kept."""

    def __init__(self, message_id: str) -> None:
        self._id = message_id
        self._decoder = utf8_decoder()
        self._tail = FinalText()

    def add(self, data: bytes, *, end: bool = False) -> Iterator[Event]:
        return self.add_text(self._decoder.decode(data, end))

    def add_text(self, text: str) -> Iterator[Event]:
        for piece in pieces(text):
            self._tail.add(piece)
            yield {"type": "message", "messageId": self._id, "text": piece}

    def final(self) -> str | None:
        """Return the end of the message, None when it is blank."""
        return None if self._tail.is_blank() else self._tail.final()


class TextOutput:
    """All of stdout is one message."""

    def __init__(self, new_id: NewId = _new_id) -> None:
        self.emitted_vars: dict[str, Any] = {}
        self._message = _Message(new_id())

    def feed(self, data: bytes) -> Iterator[Event]:
        """Yield one piece of the message for each read."""
        return self._message.add(data)

    def finish(self) -> Iterator[Event]:
        """Yield U+FFFD when the output ended inside a character."""
        return self._message.add(b"", end=True)

    def final_message(self) -> str | None:
        """Return the end of the message."""
        return self._message.final()


class EventsOutput:
    """Lines that are known events, and messages made of the lines between them."""

    def __init__(self, new_id: NewId = _new_id) -> None:
        self.emitted_vars: dict[str, Any] = {}
        self._emitted_sizes: dict[str, int] = {}
        self._emitted_total = 0
        self._new_id = new_id
        self._line = bytearray()
        self._inside_text_line = False
        self._message: _Message | None = None
        self._last_message: str | None = None
        self._result: str | None = None

    def feed(self, data: bytes) -> Iterator[Event]:
        """Yield events line by line; plain lines of one read that follow each other go out together."""
        plain: list[bytes] = []
        for segment in _segments(data):
            line, may_be_event = self._take(segment)
            event = parse_event(line) if may_be_event else None
            if event is None:
                plain.append(line)
                continue
            yield from self._plain(b"".join(plain))
            plain.clear()
            yield from self._event(event, len(line))
        yield from self._plain(b"".join(plain))

    def finish(self) -> Iterator[Event]:
        """Yield what the last line, unfinished, turns out to be, and end the message."""
        line = bytes(self._line)
        self._line.clear()
        event = parse_event(line) if _may_be_event(line) else None
        if event is None:
            yield from self._plain(line)
            yield from self._end_message()
        else:
            yield from self._event(event, len(line))

    def final_message(self) -> str | None:
        """Return the last `result`, else the last message that is not blank."""
        if self._result is not None:
            return self._result
        return (self._message and self._message.final()) or self._last_message

    def _take(self, segment: bytes) -> tuple[bytes, bool]:
        """Return what can be judged now, and whether it is a whole line that may be an event."""
        complete = segment.endswith(b"\n")
        if self._inside_text_line:
            self._inside_text_line = not complete
            return segment, False
        self._line += segment
        candidate = _may_be_event(self._line)
        if candidate and not complete:
            return b"", False
        line = bytes(self._line)
        self._line.clear()
        self._inside_text_line = not complete
        return line, candidate

    def _plain(self, data: bytes) -> Iterator[Event]:
        if not data:
            return
        if self._message is None:
            self._message = _Message(self._new_id())
        yield from self._message.add(data)

    def _end_message(self) -> Iterator[Event]:
        if self._message is None:
            return
        yield from self._message.add(b"", end=True)
        self._last_message = self._message.final() or self._last_message
        self._message = None

    def _event(self, event: Event, size: int) -> Iterator[Event]:
        yield from self._end_message()
        match event["type"]:
            case "message":
                self._message = _Message(self._new_id())
                yield from self._message.add_text(event["text"])
                yield from self._end_message()
                return
            case "result":
                tail = FinalText()
                tail.add(event["text"])
                self._result = tail.final()
            case "emit":
                yield from self._keep(event["name"], event["value"], size)
        yield event

    def _keep(self, name: str, value: Any, size: int) -> Iterator[Event]:
        self.emitted_vars.pop(name, None)
        self._emitted_total -= self._emitted_sizes.pop(name, 0)
        if self._emitted_total + size > EMITTED_BYTES:
            text = (
                f"variable {name!r} is left out of the result: together they exceed {EMITTED_BYTES:,} bytes\n"
            )
            yield {"type": "log", "stream": "stderr", "text": text}
            return
        self._emitted_total += size
        self._emitted_sizes[name] = size
        self.emitted_vars[name] = value


def _segments(data: bytes) -> Iterator[bytes]:
    start = 0
    while end := data.find(b"\n", start) + 1:
        yield data[start:end]
        start = end
    if start < len(data):
        yield data[start:]


def _may_be_event(line: bytes | bytearray) -> bool:
    """Tell whether `line`, perhaps unfinished, can still be an event."""
    if len(line) > EVENT_LINE_BYTES + len(b"\n"):
        return False
    head = line[:_INDENT_BYTES].lstrip()
    return head.startswith(b"{") or (not head and len(line) < _INDENT_BYTES)
