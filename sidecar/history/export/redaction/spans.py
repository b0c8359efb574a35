"""Find and replace the places of secrets in a text."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple


class Span(NamedTuple):
    """A secret of a kind at `start:end`; of two that overlap, the one with the lower `rank` names both."""

    start: int
    end: int
    kind: str
    rank: int = 0


def merged(spans: Iterable[Span]) -> list[Span]:
    """Join spans that overlap, in the order of the text."""
    result: list[Span] = []
    for span in sorted(spans):
        if not result or span.start >= result[-1].end:
            result.append(span)
            continue
        last = result[-1]
        named = min(last, span, key=lambda each: each.rank)
        result[-1] = Span(last.start, max(last.end, span.end), named.kind, named.rank)
    return result


def replaced(text: str, spans: Sequence[Span], marks: Mapping[str, str]) -> str:
    """Replace each of the merged spans by the mark of its kind, or by a text that names the kind."""
    pieces: list[str] = []
    place = 0
    for span in spans:
        pieces += (text[place : span.start], marks.get(span.kind) or f"[redacted: {span.kind}]")
        place = span.end
    return "".join((*pieces, text[place:]))
