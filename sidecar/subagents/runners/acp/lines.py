"""Parse the protocol's messages, one JSON object per line, from chunks of bytes. No I/O."""

from collections.abc import Iterator
from typing import Any

from sidecar.subagents.runners.output.outer_members import BACK_BYTES, FRONT_BYTES, outer_members
from sidecar.subagents.runners.output.text import load_line

LINE_BYTES = 32 * 1024 * 1024
"""Longer lines are replaced by a notice. The diff of a large file takes a few MiB."""
_SHOWN_BYTES = 2_000
_DEEP = 1_000
"""How many openings a line has at least that the parser may refuse for its depth, which is 1,024."""
_TOO_DEEP = f"the message is nested too deep; use at most {_DEEP:,} levels"

Message = dict[str, Any]


class UnreadLine(str):
    """What is shown of a message that is not parsed."""

    head: Message
    """Those of its outer members that are texts or numbers, such as `id` and `method`."""
    problem: str
    """Why it is not parsed, and the limit."""


class OmittedLine(UnreadLine):
    """The notice that replaces a message that is too long."""


class DeepLine(UnreadLine):
    """The start of a message that is nested too deep."""


class MessageLines:
    """Incremental parser. Yields messages, and lines that are not messages as text."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._omitted = 0
        self._front = self._back = b""
        """Both ends of an omitted line."""

    def feed(self, data: bytes) -> Iterator[Message | str]:
        """Add a chunk of input and yield the lines that it completes."""
        start = 0
        while end := data.find(b"\n", start) + 1:
            self._add(data[start:end])
            start = end
            yield from self._complete()
        self._add(data[start:])

    def finish(self) -> Iterator[Message | str]:
        """Mark the end of the stream and yield a last line without a newline."""
        yield from self._complete()

    def _add(self, piece: bytes) -> None:
        if self._omitted or len(self._line) + len(piece) > LINE_BYTES:
            self._omit(bytes(self._line) + piece)
            self._line.clear()
        else:
            self._line += piece

    def _omit(self, piece: bytes) -> None:
        self._front = self._front if self._omitted else piece[:FRONT_BYTES]
        self._back = (self._back + piece)[-BACK_BYTES:] if self._omitted else piece[-BACK_BYTES:]
        self._omitted += len(piece)

    def _complete(self) -> Iterator[Message | str]:
        line, omitted = bytes(self._line).strip(), self._omitted
        self._line.clear()
        self._omitted = 0
        if omitted:
            shown = OmittedLine(f"[omitted a line of {omitted:,} bytes: the limit is {LINE_BYTES:,}]\n")
            shown.head = outer_members(self._front.lstrip(), self._back.rstrip())
            shown.problem = f"the message has {omitted:,} bytes; send at most {LINE_BYTES:,}"
            yield shown
        elif line:
            value = load_line(line)
            yield value if isinstance(value, dict) else _unread(line)


def _unread(line: bytes) -> str:
    """Return what stands for a line that is not a message, or one that is nested too deep."""
    head = outer_members(line, line) if _may_be_deep(line) else {}
    if not head:
        return _shown(line)
    found = DeepLine(_shown(line))
    found.head, found.problem = head, _TOO_DEEP
    return found


def _may_be_deep(line: bytes) -> bool:
    return line.startswith(b"{") and line.endswith(b"}") and line.count(b"{") + line.count(b"[") >= _DEEP


def _shown(line: bytes) -> str:
    text = line[:_SHOWN_BYTES].decode("utf-8", "replace")
    return (
        f"{text} [and {len(line) - _SHOWN_BYTES:,} more bytes]\n" if len(line) > _SHOWN_BYTES else f"{text}\n"
    )
