"""Stream a run's stderr as events, and keep its end for the error of a failed run."""

import re
from collections.abc import Iterator
from typing import Any

from sidecar.subagents.runners.output.text import Tail, pieces, utf8_decoder

ERROR_CHARS = 2_000
_TRAILING_SPACE = 2_000
"""How many blank characters at the end may not displace the text before them."""

_LINES_SHOWN = 10
_NOISE = re.compile(
    r"\s*$|\s+at |\[(?:session|auth|perf|startup|idle-compaction)\b|.{0,40}\[(?:debug|info)\]|"
    r".{0,80}\blevel=(?:debug|info)\b|\(node:\d+\)|\(use `node |npm (?:notice|warn)|"
    r"ripgrep is not available|debugger ",
    re.IGNORECASE,
)
"""Lines that agents also write in successful runs, stack frames and blank lines."""


class StderrLog:
    """An incremental parser of stderr: turn bytes, split anywhere, into `log` events."""

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
        """Return the last 2,000 characters without trailing white space; "" if there is nothing else."""
        return self._tail.text.rstrip()[-ERROR_CHARS:]


def meaningful(text: str) -> str:
    """Return the last lines of stderr that may explain why a program ended; "" if there are none."""
    lines = [line.rstrip() for line in text.splitlines() if not _NOISE.match(line)]
    return "\n".join(lines[-_LINES_SHOWN:])
