"""Find the elements of a JSON array while its bytes arrive in pieces.

The streaming counterpart of `salvage.split`: linear, no recursion, and a few bytes of state however large
the array is. Elements are not checked.
"""

import re
from typing import Final, NamedTuple

from sidecar.patterns import compiled

_TOKEN: Final = compiled(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[{]++|[\]}]++|,', re.DOTALL)
"""As in `salvage`; a string that is cut off by the end of a piece matches up to there."""
_STRING_REST: Final = compiled(rb'[^"\\]*+(?:\\.[^"\\]*+)*+(?P<end>"|\\?\Z)', re.DOTALL)


class Span(NamedTuple):
    """The offsets of an element: its first byte and the byte after it."""

    start: int
    end: int


class ElementScanner:
    """Follow an array whose first element starts at `offset`; offsets are those of the whole file."""

    def __init__(self, offset: int) -> None:
        self.position = offset
        self.start = offset
        """Where the element begins that is not complete yet."""
        self.closed = False
        self._depth = 1
        self._in_string = False
        self._escaped = False
        self._filled = False

    def feed(self, piece: bytes) -> list[Span]:
        """Take the next bytes and return the elements that end in them; blank ones are skipped."""
        spans: list[Span] = []
        for token in _TOKEN.finditer(piece, self._resume(piece)):
            mark, at = piece[token.start()], token.start()
            if mark == 0x22:
                self._note_string(piece, token.end(), token[0])
            elif mark in b"[{":
                self._depth += token.end() - at
            elif mark in b"]}":
                self._depth -= token.end() - at
                if self._depth <= 0:
                    self._end(piece, token.end() - 1 + self._depth, spans)
                    self.closed = True
                    return spans
            elif self._depth == 1:
                self._end(piece, at, spans)
        self._filled = self._filled or bool(piece[max(self.start - self.position, 0) :].strip())
        self.position += len(piece)
        return spans

    def _resume(self, piece: bytes) -> int:
        """Continue a string that the previous piece began; return where other tokens may begin."""
        if not self._in_string:
            return 0
        rest = _STRING_REST.match(piece, 1 if self._escaped and piece else 0)
        assert rest is not None
        if piece:
            self._escaped = rest["end"] == b"\\"
            self._in_string = rest["end"] != b'"'
        return rest.end()

    def _note_string(self, piece: bytes, end: int, string: bytes) -> None:
        if end < len(piece):
            return
        body = _STRING_REST.match(string, 1)
        assert body is not None
        self._in_string, self._escaped = body["end"] != b'"', body["end"] == b"\\"

    def _end(self, piece: bytes, at: int, spans: list[Span]) -> None:
        begin = max(self.start - self.position, 0)
        if self._filled or piece[begin:at].strip():
            spans.append(Span(self.start, self.position + at))
        self.start = self.position + at + 1
        self._filled = False
