"""What a run writes to stderr: streamed as it comes, its end kept for the error of a failed run."""

import re
from collections.abc import Iterator
from typing import Any

from sidecar.subagents.runners.output.text import Tail, pieces, utf8_decoder

ERROR_CHARS = 2_000
_TRAILING_SPACE = 2_000
"""Blank characters at the end that do not take the place of the words before them."""

_LINES_SHOWN = 10
_NOISE = re.compile(
    r"\s*$|\s+at |\[(?:session|auth|perf|startup|idle-compaction)\b|.{0,40}\[(?:debug|info)\]|"
    r".{0,80}\blevel=(?:debug|info)\b|\(node:\d+\)|\(use `node |npm (?:notice|warn)|"
    r"ripgrep is not available|debugger ",
    re.IGNORECASE,
)
"""Lines that agents write in good runs too, stack frames and blank lines."""


class StderrLog:
    """An incremental parser of stderr: bytes in any cut become `log` events."""

    def __init__(self) -> None:
        self._decoder = utf8_decoder()
        self._tail = Tail(ERROR_CHARS + _TRAILING_SPACE)

    def feed(self, data: bytes, *, end: bool = False) -> Iterator[dict[str, Any]]:
        """Yield the text of `data` in bounded pieces."""
        for piece in pieces(self._decoder.decode(data, end)):
            self._tail.add(piece)
            yield {"type": "log", "stream": "stderr", "text": piece}

    def finish(self) -> Iterator[dict[str, Any]]:
        """Yield U+FFFD when the output ended inside a character."""
        return self.feed(b"", end=True)

    def tail(self) -> str:
        """Return the last 2,000 characters without trailing white space; "" for white space alone."""
        return self._tail.text.rstrip()[-ERROR_CHARS:]


def meaningful(text: str) -> str:
    """Return the last lines of stderr that may tell why a program ended; "" if none does."""
    lines = [line.rstrip() for line in text.splitlines() if not _NOISE.match(line)]
    return "\n".join(lines[-_LINES_SHOWN:])
