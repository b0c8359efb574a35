"""Parse a command's output into events: an incremental parser of bytes, without I/O."""

from codecs import IncrementalDecoder
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from types import MappingProxyType
from typing import Any, Literal, Protocol
from uuid import uuid4

from sidecar.subagents.runners.command.events import Event, parse_event
from sidecar.subagents.runners.output.outputs import EmittedVars
from sidecar.subagents.runners.output.text import FinalText, pieces, utf8_decoder

EVENT_LINE_BYTES = 16 * 1024 * 1024
"""A longer line is always text, because the parser cannot buffer it until its end."""

_INDENT_BYTES = 64
"""How many bytes of a line are searched for its `{`."""

NewId = Callable[[], str]


class CommandOutput(Protocol):
    """A parser of the stdout of a `command` run. Callers must exhaust the iterators."""

    @property
    def emitted_vars(self) -> Mapping[str, Any]:
        """The variables that the run has emitted so far."""

    @property
    def left_out(self) -> Mapping[str, int]:
        """The bytes of variables that are too large to keep, by name."""

    def feed(self, data: bytes) -> Iterator[Event]:
        """Take bytes, split anywhere, and yield the events that they complete."""

    def finish(self) -> Iterator[Event]:
        """End the output and yield the events that are still buffered."""

    def final_message(self) -> str | None:
        """Return the bounded final message of the run; None if there is none."""


def command_output(kind: Literal["text", "events"]) -> CommandOutput:
    """Return a new parser for the runner setting `format`."""
    return EventsOutput() if kind == "events" else TextOutput()


def _message_ids() -> NewId:
    """Return a source of message IDs with a random prefix, so that IDs of different runs differ."""
    run, numbers = uuid4().hex[:12], count(1)
    return lambda: f"{run}-{next(numbers)}"


class _Message:
    """One streamed message: its pieces share an ID, and its end is kept."""

    def __init__(self, message_id: str) -> None:
        self._id = message_id
        self._decoder: IncrementalDecoder | None = None
        self._tail = FinalText()

    def add(self, data: bytes, *, end: bool = False) -> Iterator[Event]:
        if self._decoder is None:
            self._decoder = utf8_decoder()
        return self.add_text(self._decoder.decode(data, end))

    def add_text(self, text: str) -> Iterator[Event]:
        for piece in pieces(text):
            self._tail.add(piece)
            yield {"type": "message", "messageId": self._id, "text": piece}

    def is_blank(self) -> bool:
        return self._tail.is_blank()

    def final(self) -> str | None:
        """Return the end of the message; None if it is blank."""
        return None if self.is_blank() else self._tail.final()


class TextOutput:
    """Parse all of stdout as one message."""

    emitted_vars: Mapping[str, Any] = MappingProxyType({})
    left_out: Mapping[str, int] = MappingProxyType({})

    def __init__(self, new_id: NewId | None = None) -> None:
        self._message = _Message((new_id or _message_ids())())

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
    """Parse lines that are known events, and make messages of the lines between them."""

    def __init__(self, new_id: NewId | None = None) -> None:
        self._emitted = EmittedVars()
        self._new_id = new_id or _message_ids()
        self._line = bytearray()
        self._inside_text_line = False
        self._message: _Message | None = None
        self._last_message: _Message | None = None
        self._result: str | None = None

    @property
    def emitted_vars(self) -> Mapping[str, Any]:
        """The latest value of each variable."""
        return self._emitted.values

    @property
    def left_out(self) -> Mapping[str, int]:
        """The bytes of variables that are too large to keep, by name."""
        return self._emitted.left_out

    def feed(self, data: bytes) -> Iterator[Event]:
        """Yield events line by line; join consecutive plain lines of one read."""
        plain: list[bytes] = []
        for segment in _segments(data):
            line, may_be_event = self._take(segment)
            event = parse_event(line) if may_be_event else None
            if event is None:
                plain.append(line)
                continue
            yield from self._plain(b"".join(plain))
            plain.clear()
            yield from self._event(event)
        yield from self._plain(b"".join(plain))

    def finish(self) -> Iterator[Event]:
        """Yield the last, incomplete line as an event or as text, and end the message."""
        line = bytes(self._line)
        self._line.clear()
        event = parse_event(line) if _may_be_event(line) else None
        if event is None:
            yield from self._plain(line)
            yield from self._end_message()
        else:
            yield from self._event(event)

    def final_message(self) -> str | None:
        """Return the last `result`, or else the last message that is not blank."""
        if self._result is not None:
            return self._result
        for message in (self._message, self._last_message):
            if message is not None and not message.is_blank():
                return message.final()
        return None

    def _take(self, segment: bytes) -> tuple[bytes, bool]:
        """Return the bytes to process now, and whether they are a complete line that may be an event."""
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
        self._keep_message(self._message)
        self._message = None

    def _keep_message(self, message: _Message) -> None:
        if not message.is_blank():
            self._last_message = message

    def _event(self, event: Event) -> Iterator[Event]:
        yield from self._end_message()
        match event["type"]:
            case "message":
                message = _Message(self._new_id())
                yield from message.add_text(event["text"])
                self._keep_message(message)
                return
            case "result":
                tail = FinalText()
                tail.add(event["text"])
                self._result = tail.final()
            case "emit":
                yield from self._emitted.keep(event["name"], event["value"])
        yield event


def _segments(data: bytes) -> Iterator[bytes]:
    start = 0
    while end := data.find(b"\n", start) + 1:
        yield data[start:end]
        start = end
    if start < len(data):
        yield data[start:]


def _may_be_event(line: bytes | bytearray) -> bool:
    """Return whether `line`, which may be incomplete, can still be an event."""
    if len(line) > EVENT_LINE_BYTES + len(b"\n"):
        return False
    head = line[:_INDENT_BYTES].lstrip()
    return head.startswith(b"{") or (not head and len(line) < _INDENT_BYTES)
