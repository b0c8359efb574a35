"""A text with some parts replaced by their meaning, mapped back to the stored text."""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain


@dataclass(slots=True)
class View:
    """A text made from another one by replacements.

    The places of the replacements are computed when they are first needed: most texts hold no secret.
    """

    text: str
    _stored: Sequence[str] = ()
    """The pieces of the other text: kept and replaced ones in turn, a kept one first."""
    _meant: Sequence[str] = ()
    """The replacement of each replaced piece."""
    _places: list[int] = field(default_factory=list)
    _origins: list[int] = field(default_factory=list)
    """Where each replaced piece starts in the other text."""

    @classmethod
    def of(cls, stored: Sequence[str], meant: Sequence[str]) -> "View":
        """Make a view from the pieces of a text; every second one of `stored` is replaced."""
        if not meant:
            return cls("".join(stored))
        kept = stored[::2]
        return cls("".join(chain.from_iterable(zip(kept, meant, strict=False))) + kept[-1], stored, meant)

    @property
    def places(self) -> list[int]:
        """Where each replacement starts in this text."""
        if self._meant and not self._places:
            before = map(len, self._stored[::2])
            shown = zip(before, map(len, self._meant), strict=False)
            self._places = list(accumulate(chain.from_iterable(shown)))[::2]
            self._origins = list(accumulate(map(len, self._stored)))[:-1:2]
        return self._places

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Map `start:end` of this text to the characters of the other text it came from."""
        return self._origin(start)[0], self._origin(end - 1)[1]

    def _origin(self, place: int) -> tuple[int, int]:
        index = bisect_right(self.places, place) - 1
        if index < 0:
            return place, place + 1
        start = self._origins[index]
        end = start + len(self._stored[2 * index + 1])
        behind = place - self._places[index] - len(self._meant[index])
        return (start, end) if behind < 0 else (end + behind, end + behind + 1)


def viewed(text: str, pattern: re.Pattern[str], meant: Callable[[re.Match[str]], str]) -> View:
    """Make a view in which each match of `pattern` is replaced by what it means."""
    stored: list[str] = []
    meanings: list[str] = []
    done = 0
    for match in pattern.finditer(text):
        start, end = match.span()
        stored += (text[done:start], text[start:end])
        meanings.append(meant(match))
        done = end
    stored.append(text[done:])
    return View.of(stored, meanings)
