"""The journal of one run on its node: numbered lines in a file, served from any number on."""

import logging
import os
from array import array
from pathlib import Path

logger = logging.getLogger(__name__)

RESULT = b'{"result":'
"""The beginning of the last line of an ended run."""
MAX_BYTES = 512 * 1024 * 1024
"""The largest journal. Later events are dropped, but not the result."""


class NodeJournal:
    """Append lines and read them back. The number of a line counts from 1.

    A line is written to its file before it can be read here, so a killed worker loses no line that a
    sidecar has seen.
    """

    def __init__(self, path: Path) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        self._file = os.open(path, flags, 0o600)
        self._ends = array("Q", [0])
        for line in _lines_of(self._file):
            self._ends.append(self._ends[-1] + len(line))
        os.ftruncate(self._file, self._ends[-1])  # a killed worker may leave half a line
        self._unwritten: list[bytes] = []

    @property
    def last(self) -> int:
        """The number of the newest line, 0 without lines."""
        return self._written + len(self._unwritten)

    @property
    def is_full(self) -> bool:
        """Whether the journal has reached its size limit, or its disk accepts no more data."""
        return bool(self._unwritten) or self._ends[-1] >= MAX_BYTES

    @property
    def is_written(self) -> bool:
        """Whether all lines are in the file."""
        return not self._unwritten

    def append(self, line: bytes) -> int:
        """Write one line, without its newline, and return its number.

        A line that cannot be written to the disk is kept in memory, as are all that follow.
        """
        if self._unwritten or not self._write(line + b"\n"):
            self._unwritten.append(line)
        return self.last

    def _write(self, data: bytes) -> bool:
        start, written = self._ends[-1], 0  # replaces what another process appended
        try:
            while written < len(data):
                written += os.pwrite(self._file, data[written:], start + written)
        except OSError as error:
            logger.warning("the journal of a run cannot be written: %s", error)
            os.ftruncate(self._file, self._ends[-1])
            return False
        self._ends.append(self._ends[-1] + len(data))
        return True

    def read(self, after: int, limit: int, max_bytes: int) -> list[bytes]:
        """Return up to `limit` lines after a number, at least one if there is any."""
        if not 0 <= after < self.last:
            return []
        if after >= self._written:
            return self._unwritten[after - self._written :][:limit]
        end = after + 1
        start = self._ends[after]
        while end < min(self._written, after + limit) and self._ends[end + 1] - start <= max_bytes:
            end += 1
        data = os.pread(self._file, self._ends[end] - start, start)
        return data.split(b"\n")[:-1]

    @property
    def _written(self) -> int:
        return len(self._ends) - 1

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def _lines_of(file: int) -> list[bytes]:
    """Return the complete lines of a file, each with its newline."""
    with os.fdopen(os.dup(file), "rb") as reader:
        return [line for line in reader if line.endswith(b"\n")]
