"""Parse the protocol's messages, one JSON object per line, from chunks of bytes. No I/O."""

from collections.abc import Iterator
from typing import Any

from sidecar.subagents.runners.output.text import load_line

LINE_BYTES = 32 * 1024 * 1024
"""Longer lines are replaced by a notice. The diff of a large file takes a few MiB."""
_SHOWN_BYTES = 2_000

Message = dict[str, Any]


class OmittedLine(str):
    """The notice that replaces a message that is too long."""


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
            yield value if isinstance(value, dict) else _shown(line)


def _shown(line: bytes) -> str:
    text = line[:_SHOWN_BYTES].decode("utf-8", "replace")
    return (
        f"{text} [and {len(line) - _SHOWN_BYTES:,} more bytes]\n" if len(line) > _SHOWN_BYTES else f"{text}\n"
    )
