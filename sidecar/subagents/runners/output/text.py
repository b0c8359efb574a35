"""Handle a run's text: split it into pieces, keep its end, and read JSON lines."""

import codecs
import json
from collections.abc import Iterator

import orjson

from sidecar.javascript.printing import MAX_DEPTH

PIECE_BYTES = 64 * 1024
"""The most UTF-8 bytes of text in one event: as much as one read of a Linux pipe."""
FINAL_MESSAGE_BYTES = 32 * 1024


def utf8_decoder() -> codecs.IncrementalDecoder:
    """Return a decoder that buffers incomplete characters and replaces invalid UTF-8 with U+FFFD."""
    return codecs.getincrementaldecoder("utf-8")("replace")


def pieces(text: str, limit: int = PIECE_BYTES) -> Iterator[str]:
    """Split `text` between characters into parts of at most `limit` (>= 4) UTF-8 bytes; none for ""."""
    if 0 < len(text) <= limit // 4:
        yield text
        return
    data = text.encode()
    start = 0
    while len(data) - start > limit:
        end = _boundary_before(data, start + limit)
        yield data[start:end].decode()
        start = end
    if start < len(data):
        yield data[start:].decode()


def last_bytes(text: str, limit: int) -> str:
    """Return the end of `text`: at most `limit` UTF-8 bytes, starting with a whole character."""
    data = text.encode()
    # Only the first character can be incomplete, so "ignore" removes nothing else.
    return data[-limit:].decode("utf-8", "ignore") if len(data) > limit else text


def _boundary_before(data: bytes, index: int) -> int:
    while data[index] & 0xC0 == 0x80:
        index -= 1
    return index


class Tail:
    """The last `size` characters of a text that arrives in parts, and its total bytes."""

    def __init__(self, size: int) -> None:
        self._size = size
        self.text = ""
        self.bytes_seen = 0

    def add(self, text: str) -> None:
        """Append `text` and keep only the last `size` characters."""
        self.bytes_seen += len(text.encode())
        self.text = (self.text + text)[-self._size :]


class FinalText(Tail):
    """The end of a message that may become the run's final message."""

    def __init__(self) -> None:
        super().__init__(FINAL_MESSAGE_BYTES + len("\r\n"))

    def is_blank(self) -> bool:
        """Return whether the text is empty or only white space."""
        return not self.text.strip()

    def final(self) -> str:
        """Return the last 32 KiB without the trailing newline, after a note if the start is cut."""
        whole = self.text.removesuffix("\n").removesuffix("\r")
        size = self.bytes_seen - (len(self.text) - len(whole))
        kept = last_bytes(whole, FINAL_MESSAGE_BYTES)
        cut = size - len(kept.encode())
        return f"[the first {cut:,} bytes are cut; the task's events have all of it]\n{kept}" if cut else kept


def load_line(line: bytes) -> object:
    """Return the JSON value of one line; None if it is not JSON. Lone surrogates become U+FFFD."""
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return _load_repaired(line)


def load_value(line: bytes) -> object:
    """Return what `load_line` does, but None for a value that is nested too deep for the journal."""
    value = load_line(line)
    if line.count(b"[") + line.count(b"{") <= MAX_DEPTH:
        return value
    try:
        orjson.dumps(value)
    except TypeError:
        return None
    return value


def _load_repaired(line: bytes) -> object:
    """Read JSON with invalid bytes or escapes, and replace them with U+FFFD.

    Programs that cut text at a UTF-16 index print half a surrogate pair, which strict parsers reject.
    """
    try:
        text = json.dumps(json.loads(line.decode("utf-8", "replace")), ensure_ascii=False)
        return orjson.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    except (ValueError, RecursionError):
        return None
