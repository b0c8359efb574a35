"""Accept the numbered lines of a run exactly once, in order. A state machine without I/O."""

from collections.abc import Iterator
from typing import TypeVar

T = TypeVar("T")


class SequenceGap(Exception):
    """Lines of a run are missing, and no retry can bring them back; the text names them."""


class LineSequence:
    """The number of the newest line that was accepted. Lines count from 1."""

    def __init__(self, last: int = 0) -> None:
        self.last = last

    def accept(self, after: int, lines: list[T]) -> Iterator[tuple[int, T]]:
        """Yield the lines that are new with their numbers, given the number before the first one.

        Drops repeated lines. Raises SequenceGap if lines before these are missing. A number counts as
        accepted before its line is yielded.
        """
        if lines and after > self.last:
            raise SequenceGap(f"lines {self.last + 1} to {after} of the run's journal are missing")
        for number, line in enumerate(lines, after + 1):
            if number > self.last:
                self.last = number
                yield number, line
