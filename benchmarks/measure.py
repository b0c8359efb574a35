"""Measure two sides in turns, so that other load on the machine affects both."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

Unit = Literal["s", "MiB", "B", "%", ""]
Measure = Callable[[], float]


@dataclass(frozen=True)
class Comparison:
    """One line of the result: every value measured for us and for the peer, in `unit`.

    `promise` is the bar for the ratio: with `faster` its least value, else its largest.
    """

    what: str
    peer_name: str
    ours: Sequence[float]
    peer: Sequence[float]
    unit: Unit = "s"
    faster: bool = False
    promise: float | None = None

    @property
    def ratio(self) -> float:
        """Our median over the peer's; with `faster` the other way round: how many times faster we are."""
        ours, peer = median(self.ours), median(self.peer)
        return peer / ours if self.faster else ours / peer

    @property
    def met(self) -> bool | None:
        """Return whether the promise is kept; None when nothing is promised."""
        if self.promise is None:
            return None
        return self.ratio >= self.promise if self.faster else self.ratio <= self.promise


def within(what: str, ours: Sequence[float], limit: float, unit: Unit = "s") -> Comparison:
    """Compare values with a limit for which there is no peer."""
    return Comparison(what, "limit", ours, [limit], unit, promise=1.0)


def interleave(sides: Sequence[Measure], runs: int) -> list[list[float]]:
    """Call each side once unmeasured, then all in turn, `runs` times; return the values by side."""
    for side in sides:
        side()
    rounds = [[side() for side in sides] for _ in range(runs)]
    return [list(values) for values in zip(*rounds, strict=True)]
