"""The bars: each is a ratio to a peer measured in the same run, because a time belongs to one machine."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Promise:
    """A bar for a ratio: at most so many times the peer, or with `faster` at least so many times faster."""

    bar: float
    faster: bool = False

    def is_met(self, ratio: float) -> bool:
        """Tell whether a measured ratio keeps the promise."""
        return ratio >= self.bar if self.faster else ratio <= self.bar

    def __str__(self) -> str:
        return f"{'>=' if self.faster else '<='} {self.bar:g}"


ROUND_TRIP: Final = Promise(1.5)
FIRST_ANSWER: Final = Promise(1.5)
FIRST_LIST: Final = Promise(3, faster=True)
