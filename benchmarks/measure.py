"""Two sides measured in turns, so that whatever else the machine does falls on both."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from benchmarks.promises import Promise

Unit = Literal["s", "MiB"]
Measure = Callable[[], float]


@dataclass(frozen=True)
class Comparison:
    """One line of the result: every value measured for us and for the peer, in `unit`."""

    what: str
    peer_name: str
    ours: Sequence[float]
    peer: Sequence[float]
    unit: Unit = "s"
    promise: Promise | None = None

    @property
    def ratio(self) -> float:
        """Our median over the peer's; for a promise of speed the other way round: how many times faster."""
        ours, peer = median(self.ours), median(self.peer)
        return peer / ours if self.promise is not None and self.promise.faster else ours / peer

    @property
    def met(self) -> bool | None:
        """Tell whether the promise is kept; None when nothing is promised."""
        return None if self.promise is None else self.promise.is_met(self.ratio)


def interleave(sides: Sequence[Measure], runs: int) -> list[list[float]]:
    """Call each side once unmeasured, then all of them in turn, `runs` times; values by side."""
    for side in sides:
        side()
    rounds = [[side() for side in sides] for _ in range(runs)]
    return [list(values) for values in zip(*rounds, strict=True)]
