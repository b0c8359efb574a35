"""What an answer of the fake model used, in neutral terms."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Usage:
    """Tokens of one answer: the whole input, what of it came from or went into a cache, and the output.

    The protocol of Gemini does not report what went into the cache.
    """

    input: int = 100
    output: int = 7
    cached: int = 0
    written: int = 0

    @property
    def total(self) -> int:
        """Input and output."""
        return self.input + self.output


UsageOf = Callable[[int], Usage]
"""Return what an answer used, given how many came before it."""


def always(_: int) -> Usage:
    """Let every answer use the same numbers."""
    return Usage()


def varied(before: int) -> Usage:
    """Let each answer use different numbers, so that a sum shows which answers it includes."""
    return Usage(1_000 + 3**before, 100 + 2**before, 10 * before, 20 * before)


@dataclass(frozen=True)
class Answer:
    """One answer that was sent completely."""

    usage: Usage
    is_side_call: bool
    goal: str
    """The scenario that it follows."""
