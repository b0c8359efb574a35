"""The protocol's messages, one JSON object a line, read from bytes in any cut; pure."""

from collections.abc import Iterator
from typing import Any

from sidecar.subagents.runners.output.text import load_line

LINE_BYTES = 32 * 1024 * 1024
"""A longer line is left out, and that is said; a diff of a large file takes a few MiB."""
_SHOWN_BYTES = 2_000

Message = dict[str, Any]


class LeftOut(str):
    """What stands for a message that is too long to be read."""


class MessageLines:
    """An incremental parser: yields messages, and as text what is none."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._left_out = 0

    def feed(self, data: bytes) -> Iterator[Message | str]:
        """Take what was read and yield what it completes."""
        start = 0
        while end := data.find(b"\n", start) + 1:
            self._add(data[start:end])
            start = end
            yield from self._complete()
        self._add(data[start:])

    def finish(self) -> Iterator[Message | str]:
        """Take the end of the stream; a last line without its newline counts."""
        yield from self._complete()

    def _add(self, piece: bytes) -> None:
        if self._left_out or len(self._line) + len(piece) > LINE_BYTES:
            self._left_out += len(self._line) + len(piece)
            self._line.clear()
        else:
            self._line += piece

    def _complete(self) -> Iterator[Message | str]:
        line, left_out = bytes(self._line).strip(), self._left_out
        self._line.clear()
        self._left_out = 0
        if left_out:
            yield LeftOut(f"[a line of {left_out:,} bytes is left out: the limit is {LINE_BYTES:,}]\n")
        elif line:
            value = load_line(line)
            yield value if isinstance(value, dict) else _shown(line)


def _shown(line: bytes) -> str:
    text = line[:_SHOWN_BYTES].decode("utf-8", "replace")
    return f"{text} [and {len(line) - _SHOWN_BYTES:,} bytes]\n" if len(line) > _SHOWN_BYTES else f"{text}\n"
