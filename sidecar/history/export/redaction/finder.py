"""Find the secrets in a text by trying every rule in every view at its keywords."""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from typing import Final

from sidecar.history.export.redaction.margins import without_margins
from sidecar.history.export.redaction.pieces import JoinedPieces
from sidecar.history.export.redaction.prefixes import without_prefixes
from sidecar.history.export.redaction.private_keys import armored
from sidecar.history.export.redaction.rules.assignments import ASSIGNMENTS, KIND
from sidecar.history.export.redaction.rules.carriers import CARRIERS
from sidecar.history.export.redaction.rules.products import PRODUCTS
from sidecar.history.export.redaction.rules.rule import Rule, gitleaks_rules
from sidecar.history.export.redaction.rules.tokens import TOKENS
from sidecar.history.export.redaction.spans import Span
from sidecar.history.export.redaction.view import View
from sidecar.history.export.redaction.word_filter import WordFilter
from sidecar.history.export.redaction.wraps import joined_lines

_ARMOR: Final = -1
"""The rank of armored keys, which replace anything found inside them."""


class Finder:
    """Tries rules on texts. A rank is a place in the list: the first rule that finds a text names it."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._always: list[tuple[int, Rule]] = []
        self._rules: dict[str, list[tuple[int, Rule]]] = {}
        for rank, rule in enumerate(rules):
            if not rule.keywords:
                self._always.append((rank, rule))
            for word in dict.fromkeys(rule.keywords):
                self._rules.setdefault(word, []).append((rank, rule))
        self._filter = WordFilter(self._rules)

    def spans(self, text: str, *, cut: bool = False) -> Iterator[Span]:
        """Yield what the rules find, overlaps included. What follows a `cut` text's secrets is unknown."""
        for rank, rule in self._always:
            yield from rule.everywhere(text, rank)
        lowered = _lowered(text)
        searched = set()
        for word in self._filter.candidates(lowered):
            places = _places(lowered, word)
            for rank, rule in self._rules[word] if places else ():
                if rule.scan:
                    yield from rule.around(text, places, rank)
                elif not rule.far:
                    for place in places:
                        if span := rule.at(text, place, rank, cut=cut):
                            yield span
                elif rank not in searched:
                    searched.add(rank)
                    yield from rule.everywhere(text, rank)


def _places(text: str, word: str) -> list[int]:
    places = []
    place = text.find(word)
    while place >= 0:
        places.append(place)
        place = text.find(word, place + 1)
    return places


_ASSIGNED: Final = frozenset({KIND, "genericApiKey"})
"""Kinds of secrets that are recognized by their name alone, whatever the value."""


def secrets(view: View) -> Iterator[Span]:
    """Yield the secrets that a view shows, as places in the stored text; several rules may find one."""
    for span in _seen(view.text):
        yield _moved(span, *view.origin(span.start, span.end))
    bare = JoinedPieces(chain(without_margins(view.text), without_prefixes(view.text)))
    for span in _seen(bare.text):
        piece, start, end = bare.piece(span.start, span.end)
        yield _moved(span, *view.origin(*piece.origin(start, end)))


def _seen(text: str) -> Iterator[Span]:
    if not text:
        return
    yield from (Span(start, end, "privateKey", _ARMOR) for start, end in armored(text))
    yield from _finder().spans(text)
    lines = JoinedPieces(joined_lines(text))
    for span in _finder().spans(lines.text, cut=True) if lines.text else ():
        piece, start, end = lines.piece(span.start, span.end)
        if not (span.kind in _ASSIGNED and piece.assigns_inside(start, end)):
            yield _moved(span, *piece.origin(start, piece.end_of(start, end)))


def _moved(span: Span, start: int, end: int) -> Span:
    return span._replace(start=start, end=end)


@cache
def _finder() -> Finder:
    return Finder((*TOKENS, *PRODUCTS, *CARRIERS, *gitleaks_rules(), *ASSIGNMENTS))


def _lowered(text: str) -> str:
    """Lower the case and keep all offsets: characters that grow in lower case stay as they are."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else "".join(_lower_char(char) for char in text)


def _lower_char(char: str) -> str:
    lowered = char.lower()
    return lowered if len(lowered) == 1 else char
