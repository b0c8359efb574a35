"""Decode and encode one message per line, as in the Model Context Protocol."""

from sidecar.rpc.errors import FramingError
from sidecar.rpc.transport.framing import MAX_BODY_BYTES, Frame

_BLANK = b" \t\r"


def encode_line(body: bytes) -> bytes:
    """Return a body without line breaks as one line."""
    return body + b"\n"


class LineDecoder:
    """Split a byte stream into lines, whatever the chunks in which it arrives. Blank lines are ignored."""

    def __init__(self, max_bytes: int = MAX_BODY_BYTES) -> None:
        self._max_bytes = max_bytes
        self._buffer = bytearray()
        self._offset = 0
        self._searched = 0

    def feed(self, data: bytes) -> list[Frame]:
        """Return the lines that `data` completes.

        Raises FramingError, with the lines completed before it, for a line over the limit.
        """
        self._buffer += data
        lines: list[Frame] = []
        position = 0
        while (end := self._buffer.find(b"\n", max(position, self._searched))) >= 0:
            self._check(end - position, lines)
            line = Frame(bytes(memoryview(self._buffer)[position:end]).strip(_BLANK))
            line.start = self._offset + position
            if line:
                lines.append(line)
            position = end + 1
        del self._buffer[:position]
        self._offset += position
        self._searched = len(self._buffer)
        self._check(self._searched, lines)
        return lines

    def _check(self, length: int, lines: list[Frame]) -> None:
        if length > self._max_bytes:
            raise FramingError(f"a line is over the limit of {self._max_bytes} bytes", lines)
