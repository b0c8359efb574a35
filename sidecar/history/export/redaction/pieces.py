"""Join separately changed pieces of a text, so that one search reads all of them."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from sidecar.history.export.redaction.view import View

_BETWEEN = "\n\0\n"
"""What no secret holds."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A view of a part of a text that begins at `start`."""

    start: int
    view: View

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Map `start:end` of the view to the whole text."""
        first, last = self.view.origin(start, end)
        return self.start + first, self.start + last


P = TypeVar("P", bound=Piece)


class JoinedPieces(Generic[P]):
    """Pieces as one text. What a search finds in it belongs to one of them."""

    def __init__(self, pieces: Iterable[P]) -> None:
        self._pieces = list(pieces)
        self._starts = []
        place = 0
        for piece in self._pieces:
            self._starts.append(place)
            place += len(piece.view.text) + len(_BETWEEN)
        self.text = _BETWEEN.join(piece.view.text for piece in self._pieces)

    def piece(self, start: int, end: int) -> tuple[P, int, int]:
        """Return the piece at `start:end` of the text, and where in its view that is."""
        index = bisect_right(self._starts, start) - 1
        piece, place = self._pieces[index], self._starts[index]
        return piece, start - place, min(end - place, len(piece.view.text))
