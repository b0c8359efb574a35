"""Read files of JSON lines into folds, and continue where the last reading ended."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from sidecar.api.stored.tasks import Problem
from sidecar.history.stores.append_only.growing_file import Growth, Position, Unreadable, open_growing
from sidecar.history.stores.append_only.records import Damage, LineDecoder

R = TypeVar("R")
KEPT: Final = 200
"""Files whose fold is remembered; those of others are read from their start again."""


F = TypeVar("F")


@dataclass(slots=True)
class Folded(Generic[F]):
    """What was read of one file so far. `size` is its size in bytes, `read` how many were read last."""

    fold: F
    position: Position = field(default_factory=Position)
    damage: Damage = field(default_factory=Damage)
    size: int = 0
    read: int = 0
    problems: list[Problem] = field(default_factory=list)


class Folds(Generic[R, F]):
    """Keep the folds of the files read last. Not thread-safe."""

    def __init__(
        self, decoder: LineDecoder[R], make: Callable[[], F], take: Callable[[F, Sequence[R]], None]
    ) -> None:
        self._decoder = decoder
        self._make = make
        self._take = take
        self._known: OrderedDict[str, Folded[F]] = OrderedDict()

    def read(self, path: str, name: str) -> Folded[F] | None:
        """Read what was appended to a file since the last time; None if it does not exist. Never raises."""
        known = self._known.pop(path, None) or Folded(self._make())
        try:
            with open_growing(path, name, known.position) as growth:
                if growth.restarted:
                    known = Folded(self._make(), known.position)
                self._continue(known, growth)
        except FileNotFoundError:
            return None
        except Unreadable as error:
            return Folded(self._make(), problems=[error.problem])
        self._known[path] = known
        while len(self._known) > KEPT:
            self._known.popitem(last=False)
        return known

    def _continue(self, known: Folded[F], growth: Growth) -> None:
        start = growth.position.offset
        for block in growth.blocks():
            offset = growth.position.offset - len(block)
            records = self._decoder.decode(block, known.damage, offset)
            self._take(known.fold, growth.counted(records))
        known.size, known.read = growth.stamp[1], growth.position.offset - start
        known.problems = [*known.damage.problems(growth.name), *growth.problems]
