"""Read the lines that were appended to a file since it was read last.

The writer appends whole lines, so a last line without its end is still being written. It waits for its end,
unless it is a whole JSON value already.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, TypeVar

from sidecar.api.stored.tasks import Problem
from sidecar.history.stored.parsing import is_json
from sidecar.history.stored.problems import problem
from sidecar.history.stored.reading import FileStatus, Stamp, open_stored, status_of

R = TypeVar("R")
BLOCK: Final = 1 << 20
"""Bytes read at a time; a block of lines may be longer by one line."""
MAX_LINE: Final = 64 << 20
"""Longest line that is read, in bytes: an image in a message has some 10 MB."""
MAX_RECORDS: Final = 400_000
"""How many records count: what is kept of a short one may take a kilobyte."""
MAX_BYTES: Final = 2 << 30
"""How much of a file is read, in bytes."""
_REMEMBERED: Final = 64
"""The last bytes before the position are compared, because a file may be replaced by one that is longer."""
_PADDING: Final = b"\0 \t\r\n"


class Unreadable(Exception):
    """The file cannot be read; the message is a sentence for a person, `code` that of the problem."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.problem = problem(code, message)


@dataclass(slots=True)
class Position:
    """How far a file was read: everything before `offset` is known."""

    offset: int = 0
    identity: tuple[int, int] = (0, 0)
    """Device and inode."""
    ending: bytes = b""
    """The last bytes before the offset."""
    records: int = 0
    """How many records were read, as far as the reader counts them: counting lines takes too long."""
    stamp: Stamp | None = None
    """The stamp of the file when it was opened last."""

    def reset(self) -> None:
        """Start from the beginning."""
        self.offset, self.identity, self.ending, self.records, self.stamp = 0, (0, 0), b"", 0, None


@dataclass(slots=True)
class Growth:
    """An open file: `restarted` if it is not a continuation of what was read, `stamp` as it was opened."""

    descriptor: int
    name: str
    position: Position
    stamp: Stamp
    restarted: bool
    problems: list[Problem] = field(default_factory=list)

    def blocks(self) -> Iterator[bytes]:
        """Yield what was appended as blocks of whole lines, and move the position behind each."""
        if self._is_full():
            return
        size = min(self.stamp[1], MAX_BYTES)
        os.lseek(self.descriptor, self.position.offset, os.SEEK_SET)
        pending: list[bytes] = []
        held, left = 0, size - self.position.offset
        while left > 0 and (piece := os.read(self.descriptor, min(BLOCK, left))):
            left -= len(piece)
            end = piece.rfind(b"\n") + 1
            if not end:
                pending.append(piece)
                held += len(piece)
                if held > MAX_LINE:
                    self._refuse_line()
                    return
                continue
            block = b"".join((*pending, piece[:end])) if pending else piece[:end]
            pending, held = [piece[end:]] if end < len(piece) else [], len(piece) - end
            self._advance(block)
            yield block
            if self._is_full():
                return
        if self.stamp[1] > MAX_BYTES:
            message = f"{self.name} has {self.stamp[1]:,} bytes; the first {MAX_BYTES:,} are read"
            self.problems.append(problem("tooLarge", message))
        rest = b"".join(pending)
        if rest and _is_whole(rest):
            self._advance(rest)
            yield rest
            self._is_full()
        elif b"\0" in rest and not rest.strip(_PADDING):
            self.problems.append(problem("padding", f"{self.name} is padded with zero bytes"))
        elif self.position.offset == 0 and rest.strip(_PADDING):
            self.problems.append(problem("cut", f"{self.name} ends in its first line"))

    def counted(self, records: list[R]) -> list[R]:
        """Count the records of a block; return those that are not too many, however the file grew."""
        room = max(0, MAX_RECORDS - self.position.records)
        self.position.records += len(records)
        return records if len(records) <= room else records[:room]

    def _is_full(self) -> bool:
        """Return whether there were more records than count, and report it."""
        if self.position.records <= MAX_RECORDS:
            return False
        message = f"{self.name} has more than {MAX_RECORDS:,} records; what follows was not read"
        self.problems.append(problem("tooLarge", message))
        return True

    def _advance(self, block: bytes) -> None:
        position = self.position
        position.offset += len(block)
        position.ending = (position.ending + block[-_REMEMBERED:])[-_REMEMBERED:]

    def _refuse_line(self) -> None:
        message = f"{self.name} has a line of more than {MAX_LINE:,} bytes; it and what follows was not read"
        self.problems.append(problem("tooLarge", message))


@contextmanager
def open_growing(path: str, name: str, position: Position) -> Iterator[Growth]:
    """Open a file to read what was appended behind `position`; `name` is what its problems call it.

    The position is reset if the file was replaced, shortened or changed. Raises FileNotFoundError, and
    Unreadable for anything else that is not a readable regular file.
    """
    try:
        descriptor = open_stored(path)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _unreadable(path, name, error) from None
    try:
        status = status_of(descriptor, path)
        if not stat.S_ISREG(status.mode):
            raise Unreadable("notRegular", f"{name} is not a regular file")
        restarted = not _continues(descriptor, status, position)
        if restarted:
            position.reset()
            position.identity = (status.device, status.stamp[2])
        position.stamp = status.stamp
        yield Growth(descriptor, name, position, status.stamp, restarted)
    except OSError as error:
        raise _unreadable(path, name, error) from None
    finally:
        os.close(descriptor)


def _continues(descriptor: int, status: FileStatus, position: Position) -> bool:
    """Return whether the file still begins with what was read of it."""
    if position.identity != (status.device, status.stamp[2]) or status.stamp[1] < position.offset:
        return False
    before = position.stamp
    if before is not None and before[1] == status.stamp[1] and before != status.stamp:
        return False  # nothing was appended, but something was written
    start = position.offset - len(position.ending)
    os.lseek(descriptor, start, os.SEEK_SET)
    return os.read(descriptor, len(position.ending)) == position.ending


def _is_whole(line: bytes) -> bool:
    """Return whether a line without its end is complete: more bytes cannot continue an object."""
    text = line.strip(_PADDING)
    return text.startswith(b"{") and text.endswith(b"}") and is_json(text)


def _unreadable(path: str, name: str, error: OSError) -> Unreadable:
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return Unreadable("notRegular", f"{name} is not a regular file")
    except OSError:
        pass
    reason = os.strerror(error.errno) if error.errno else str(error)
    return Unreadable("unreadable", f"{name} cannot be read: {reason}")
