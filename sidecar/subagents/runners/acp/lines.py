"""Parse the protocol's messages, one JSON object per line, from chunks of bytes. No I/O."""

import re
from collections.abc import Iterator
from typing import Any

from sidecar.subagents.runners.output.text import load_line

LINE_BYTES = 32 * 1024 * 1024
"""Longer lines are replaced by a notice. The diff of a large file takes a few MiB."""
_SHOWN_BYTES = 2_000
_DEEP = 1_000
"""How many openings a line has at least that the parser may refuse for its depth, which is 1,024."""
_DEEP_BYTES = 256 * 1024
"""Longer lines of that kind are not examined, since that would take too long."""
_MARK = re.compile(rb'\\.|["\[\]{}]', re.DOTALL)

Message = dict[str, Any]


class OmittedLine(str):
    """The notice that replaces a message that is too long."""


class DeepLine(str):
    """The start of a message that is nested too deep to be parsed, and the rest of its members."""

    head: Message


class MessageLines:
    """Incremental parser. Yields messages, and lines that are not messages as text."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._omitted = 0

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
            self._omitted += len(self._line) + len(piece)
            self._line.clear()
        else:
            self._line += piece

    def _complete(self) -> Iterator[Message | str]:
        line, omitted = bytes(self._line).strip(), self._omitted
        self._line.clear()
        self._omitted = 0
        if omitted:
            yield OmittedLine(f"[omitted a line of {omitted:,} bytes: the limit is {LINE_BYTES:,}]\n")
        elif line:
            value = load_line(line)
            yield value if isinstance(value, dict) else _unread(line)


def _unread(line: bytes) -> str:
    """Return what stands for a line that is not a message, or one that is nested too deep."""
    head = _head(line) if _may_be_deep(line) else None
    if not isinstance(head, dict):
        return _shown(line)
    found = DeepLine(_shown(line))
    found.head = head
    return found


def _may_be_deep(line: bytes) -> bool:
    return line.startswith(b"{") and len(line) <= _DEEP_BYTES and line.count(b"{") + line.count(b"[") >= _DEEP


def _head(line: bytes) -> object:
    """Return an object in which null stands for members that are objects or lists; None if it is not JSON."""
    kept, start, level, in_text = bytearray(), 0, 0, False
    for found in _MARK.finditer(line):
        mark = found[0]
        if mark == b'"':
            in_text = not in_text
        elif in_text or mark[:1] == b"\\":
            continue
        elif mark in b"{[":
            level += 1
            if level == 2:
                kept += line[start : found.start()] + b"null"
        else:
            level -= 1
            start = found.end() if level == 1 else start
    return load_line(bytes(kept + line[start:]))


def _shown(line: bytes) -> str:
    text = line[:_SHOWN_BYTES].decode("utf-8", "replace")
    return (
        f"{text} [and {len(line) - _SHOWN_BYTES:,} more bytes]\n" if len(line) > _SHOWN_BYTES else f"{text}\n"
    )
