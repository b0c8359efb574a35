"""Remove what logs, `grep` and comments put in front of each line: words broken before it are whole again."""

import re
from collections.abc import Iterator
from typing import Final

from sidecar.history.export.redaction.pieces import Piece
from sidecar.history.export.redaction.view import View

_DIGITS: Final = str.maketrans("123456789", "000000000")
_ALIKE: Final = re.compile(
    r"(?m)^(?:[{\[\"](?:[^\n\"]{0,80}\"){1,6}?)??(?=(\S[^\n]))[^\n]*+(?<=[\w+/=.~@: \r-])\n(?=\1)"
)
"""A line that begins like the next one if digits are ignored; the start of JSON may precede the first."""
_NUMBER: Final = re.compile(r"[0-9]+")
_SEPARATED: Final = re.compile(r".*[\s:;|>\])%#\u2502-]", re.DOTALL)
_GENERATED: Final = re.compile(r"[0-9]|[a-z][A-Z][A-Za-z]{0,20}[a-z][A-Z]")
_MARKED: Final = re.compile(r"--(?:BEGIN|END)|PRIVATE|KEY-|(?i:bearer)")
"""Parts of the marks of armored keys, and of headers."""
_SHORTEST: Final = 14
"""The shortest broken word, together with its name, in characters."""
_HYPHENS: Final = "-----"
"""What begins the mark of an armored key, and is not a part of a prefix."""
_LONGEST: Final = 160
_NEAR: Final = 40
_AROUND: Final = 300


def without_prefixes(text: str) -> Iterator[Piece]:
    """Yield the lines alone where lines in a row share a prefix that differs in numbers at most."""
    start = end = 0
    cuts: list[tuple[int, int]] = []
    for place, behind in _shared(text):
        if place - _AROUND > end:
            if cuts:
                yield _cut(text, start, end, cuts)
            start, cuts = max(0, text.rfind("\n", 0, place) + 1, place - _AROUND), []
        cuts.append((place, behind))
        end = min(len(text), behind + _AROUND)
    if cuts:
        yield _cut(text, start, end, cuts)


def _shared(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of line ends inside a generated word, each with the prefix that follows."""
    for match in _ALIKE.finditer(text.translate(_DIGITS)):
        first, behind = match.start(1), match.end()
        place = behind - 1
        size = _prefix(text[first : min(place, first + _LONGEST)], text[behind : behind + _LONGEST])
        if size and _is_inside(
            text[max(first + size, place - _NEAR) : place], text[behind + size : behind + size + _NEAR]
        ):
            yield place, behind + size


def _prefix(line: str, following: str) -> int:
    """Return how long the prefix is that a line shares with the one in front of it."""
    following = following.split("\n", 1)[0]
    common = _common(_NUMBER.sub("0", line), _NUMBER.sub("0", following))
    separated = _SEPARATED.match(common)
    if separated is None:
        return 0
    prefix = separated[0].removesuffix(_HYPHENS)
    numbers = _NUMBER.findall(following)[: prefix.count("0")]
    return len(prefix) + sum(len(number) - 1 for number in numbers)


def _common(line: str, following: str) -> str:
    """Return what two lines begin with."""
    for place, (char, other) in enumerate(zip(line, following, strict=False)):
        if char != other:
            return line[:place]
    return min(line, following, key=len)


def _is_inside(head: str, tail: str) -> bool:
    """Return whether the end of a line and the start of the next may be one generated word."""
    tail = tail.split("\n", 1)[0]
    word = "".join((*head.split()[-1:], *tail.split(None, 1)[:1]))
    if len(word) >= _SHORTEST and _GENERATED.search(word):
        return True
    return _MARKED.search(head.rstrip("\r") + tail) is not None


def _cut(text: str, start: int, end: int, cuts: list[tuple[int, int]]) -> Piece:
    stored: list[str] = []
    done = start
    for place, behind in cuts:
        stored += (text[done:place], text[place:behind])
        done = behind
    stored.append(text[done:end])
    return Piece(start, View.of(stored, ["\n"] * len(cuts)))
