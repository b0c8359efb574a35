"""Decode and encode Content-Length framing, the base protocol of the Language Server Protocol."""

import re
from typing import Protocol

from sidecar.rpc.errors import FramingError

MAX_HEADER_BYTES = 8 * 1024
MAX_BODY_BYTES = 64 * 1024 * 1024

_END_OF_HEADER = b"\r\n\r\n"
_FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n]*?)[ \t]*")
_FIRST_BYTE = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]")
_BARE_NEWLINE = re.compile(rb"(?<!\r)\n")
_LENGTH = re.compile(rb"[0-9]{1,18}")


class Frame(bytes):
    """The body of one message; `start` is the offset in the stream where the message begins."""

    start = 0


class Decoder(Protocol):
    """Splits a byte stream into message bodies."""

    def feed(self, data: bytes) -> list[Frame]:
        """Return the bodies that `data` completes. Raises FramingError."""


def encode_frame(body: bytes) -> bytes:
    """Put the header before a body; one bytes object, so that it leaves in one write."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class FrameDecoder:
    """Split a byte stream into message bodies, whatever the chunks in which it arrives."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._position = 0
        self._offset = 0
        self._start = 0
        self._body_length: int | None = None

    def feed(self, data: bytes) -> list[Frame]:
        """Return the bodies that `data` completes.

        Raises FramingError, with the bodies completed before it, for a header without a
        usable Content-Length or over 8 KiB and for a body over 64 MiB. The decoder cannot be used after that.
        """
        self._buffer += data
        frames: list[Frame] = []
        try:
            while (frame := self._next_frame()) is not None:
                frames.append(frame)
        except FramingError as error:
            error.frames = frames
            raise
        del self._buffer[: self._position]
        self._offset += self._position
        self._position = 0
        return frames

    def unfinished(self) -> bytes:
        """Return the bytes that are not part of a returned body, so that another decoder can continue."""
        rest = bytes(memoryview(self._buffer)[self._position :])
        return (
            rest if self._body_length is None else b"Content-Length: %d\r\n\r\n%b" % (self._body_length, rest)
        )

    def _next_frame(self) -> Frame | None:
        if self._body_length is None:
            self._start = self._offset + self._position
            self._body_length = self._read_header()
        if self._body_length is None:
            return None
        end = self._position + self._body_length
        if end > len(self._buffer):
            return None
        frame = Frame(memoryview(self._buffer)[self._position : end])
        frame.start = self._start
        self._position, self._body_length = end, None
        return frame

    def _read_header(self) -> int | None:
        limit = self._position + MAX_HEADER_BYTES
        end = self._buffer.find(_END_OF_HEADER, self._position, limit)
        if end < 0:
            _check_unfinished(bytes(self._buffer[self._position : limit]))
            return None
        length = parse_header(bytes(self._buffer[self._position : end]))
        self._position = end + len(_END_OF_HEADER)
        return length


def parse_header(header: bytes) -> int:
    """Return the body length that a header announces, in bytes; `header` is without its blank line.

    Raises FramingError when there is no single valid Content-Length within the cap.
    """
    lengths = []
    for line in header.split(b"\r\n"):
        field = _FIELD.fullmatch(line)
        if field is None:
            raise FramingError(
                f"malformed header line {_excerpt(line)}: expected 'Name: value' ending in CRLF"
            )
        if field[1].lower() == b"content-length":
            lengths.append(field[2])
    if len(lengths) != 1:
        raise FramingError(f"expected one Content-Length in the header, found {len(lengths)}")
    if _LENGTH.fullmatch(lengths[0]) is None:
        raise FramingError(f"Content-Length {_excerpt(lengths[0])} is not a number of bytes")
    length = int(lengths[0])
    if length > MAX_BODY_BYTES:
        raise FramingError(f"a body of {length} bytes is over the limit of {MAX_BODY_BYTES}")
    return length


def _check_unfinished(header: bytes) -> None:
    """Refuse bytes that cannot become a header, so that a stream without framing does not wait forever."""
    if len(header) >= MAX_HEADER_BYTES:
        raise FramingError(f"a header is over the limit of {MAX_HEADER_BYTES} bytes")
    if header and not _FIRST_BYTE.match(header):
        raise FramingError(f"expected a Content-Length header, found {_excerpt(header)}")
    if _BARE_NEWLINE.search(header):
        raise FramingError("a header line ends in a bare newline: lines must end in CRLF")


def _excerpt(text: bytes) -> str:
    return repr(text[:40].decode("ascii", "replace"))
