"""Find words that a console, a program or a page broke, and join them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sidecar.history.export.redaction.pieces import Piece
from sidecar.history.export.redaction.view import viewed

_CHAR: Final = r"[\w+/=.~@-]"
_TAG: Final = (
    r"/?(?:wbr|br|span|b|i|u|s|a|em|strong|code|mark|font|tt|kbd|samp|var|small|big|sup|sub|ins|del)"
    r"(?:[ /][^<>\n]{0,150})?>"
)
_QUOTE: Final = "[\"'`]"
_EDGE: Final = r"[\w+/=.~@: -]"
_URL_END: Final = r"[^\s@/]{4,80}@"
"""The end of a password in a URL, which may be broken at its colons."""
_INSIDE: Final = (
    rf"(?<=<){_TAG}(?:<{_TAG}){{0,3}}|(?<=\*)\*(?=\S)"
    rf"|(?<={_EDGE}.)(?:(?:(?<=')'|(?<=\")\")"
    rf"|(?<={_QUOTE})[ \t]{{0,2}}(?:[+.&][ \t]{{0,2}}|(?<=[ \t]))[bfru]?{_QUOTE})(?={_EDGE})"
)
"""What splits a word within a line: joined strings, empty strings of a shell, tags, marks of emphasis."""
_LEFT: Final = r"(?:[ \t]{0,12}[0-9]{1,6}[ \t]{0,4}[|\u2192][ \t]?|[|>\u2502][ ]{0,4}|[ \t]{1,80}(?=\S))?"
_BREAK: Final = (
    r"(?:(?<=\n)|(?<=\r)\r?\n?"
    r"|(?<=[ ])(?<![ ].)(?:[ ]{0,3}\(?[\w.()/-]{1,60}:[0-9]{1,6}\)?|[ ]{0,200}+)(?:\r{0,2}\n|\r))" + _LEFT
)
"""A line break, perhaps after the place in a script that consoles print, or before a line number."""
# Each pattern starts with a set of characters, which the engine finds much faster than alternatives.
_BROKEN: Final = re.compile(rf"[ \r\n<*\"'`](?:{_BREAK}|{_INSIDE})", re.ASCII | re.DOTALL)
_LINE_END: Final = re.compile(
    rf"[\r\n](?:(?<={_CHAR}.)|(?<=[ )].)|(?<=\r.)|(?<=:.)(?={_LEFT}(?://\w|{_URL_END})))"
    rf"{_LEFT}[:;]?[ ]?{_CHAR}",
    re.ASCII | re.DOTALL,
)
_JOINED: Final = re.compile(rf"[<*\"'`](?:{_INSIDE})", re.ASCII | re.DOTALL)
_PLACE: Final = re.compile(r"[ ]{1,4}\(?[\w.()/-]{1,60}:[0-9]{1,6}\)?\Z")
_WORDS: Final = re.compile(r"[\w+-]{8,}", re.ASCII)
_MIXED: Final = re.compile(r"[0-9A-Z](?:(?<=[0-9])|(?<=[a-z][A-Z])[A-Z]*[a-z]+[A-Z])")
"""Found in most generated words, and in few other long ones."""
_NAMES: Final = ("pass", "pwd", "secret", "token", "credential")
"""Names after which a word of letters alone can be a secret."""
_NARROWEST: Final = 38
"""Columns of the narrowest console: a line this long may have been broken before or after the secret."""
_NEAR: Final = 60
"""How much on either side of a break is checked for a generated word, in characters."""
_BEFORE: Final = 300
_BEHIND: Final = 2_000
"""How much of the lines around a break is joined, in characters."""
_ASSIGNS: Final = re.compile(r"[A-Za-z_]\w*(?:[ \t]+[:+?]?=|=[ \t]*\w)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Joined(Piece):
    """Lines around a broken word, joined, and where in their view the pieces meet."""

    joints: tuple[int, ...]

    def assigns_inside(self, start: int, end: int) -> bool:
        """Return whether a line that begins inside a value assigns another one: no console broke it."""
        return any(_ASSIGNS.match(self.view.text, joint) for joint in self.joints if start < joint < end)

    def end_of(self, start: int, end: int) -> int:
        """Give back a plain word of the next line that was taken for the last piece of a secret."""
        inside = [joint for joint in self.joints if start < joint < end]
        if not inside:
            return end
        piece = self.view.text[inside[-1] : end]
        return inside[-1] if piece.isalpha() and (piece.islower() or piece.istitle()) else end


def joined_lines(text: str) -> Iterator[Joined]:
    """Yield the parts of a text where a generated word may be broken, without the breaks."""
    start = end = -1
    for first, last in sorted([*_around_lines(text), *_around_joints(text)]):
        if first > end:
            if end >= 0:
                yield _joined(text, start, end)
            start, end = first, last
        end = max(end, last)
    if end >= 0:
        yield _joined(text, start, end)


def _around_lines(text: str) -> Iterator[tuple[int, int]]:
    """Yield the lines around line ends that may be inside a generated word."""
    if "\n" not in text and "\r" not in text:
        return
    named = _named_ends(text)
    for match in _LINE_END.finditer(text):
        place, behind = match.start(), match.end() - 1
        if place not in named and not _MIXED.search(text, max(0, place - _NEAR), behind + _NEAR):
            continue
        first = _line_start(text, place)
        is_full = place - first >= _NARROWEST
        if (is_full and place in named) or _may_break(text, first, place, behind):
            if _is_full(text, first):
                first = _line_start(text, first - 1)
            end = text.find("\n", behind, behind + _BEHIND)
            yield first, end if end >= 0 else min(len(text), behind + _BEHIND)


def _named_ends(text: str) -> set[int]:
    """Return the ends of lines that end shortly behind the name of a secret."""
    lowered = text.lower()
    ends = set()
    for name in _NAMES if len(lowered) == len(text) else ():
        place = lowered.find(name)
        while place >= 0:
            ends.add(text.find("\n", place, place + _NEAR))
            place = lowered.find(name, place + 1)
    return ends


def _may_break(text: str, first: int, place: int, behind: int) -> bool:
    head = _PLACE.sub("", text[first:place].rstrip())
    tail = text[behind : behind + _NEAR].split("\n", 1)[0]
    if place - first < _NARROWEST:
        head, tail = head.rsplit(None, 1)[-1] if head else "", tail.split(None, 1)[0]
    word = head[-_NEAR:] + tail
    return bool(head) and ("bearer" in word.lower() or any(map(_MIXED.search, _WORDS.findall(word))))


def _line_start(text: str, place: int) -> int:
    return max(text.rfind("\n", 0, place) + 1, place - _BEFORE)


def _is_full(text: str, first: int) -> bool:
    """Return whether the line in front of the one that starts at `first` is as long as a console's."""
    return first > _NARROWEST and text[first - 1] == "\n" and "\n" not in text[first - _NARROWEST : first - 1]


def _around_joints(text: str) -> Iterator[tuple[int, int]]:
    """Yield the parts of lines around what may part a generated word."""
    for match in _JOINED.finditer(text):
        place, behind = match.span()
        head, tail = text[max(0, place - _NEAR) : place], text[behind : behind + _NEAR]
        near = (head.split() or [""])[-1] + (tail.split() or [""])[0]
        if _MIXED.search(near) or "bearer" in near.lower() or any(name in head.lower() for name in _NAMES):
            end = text.find("\n", behind, behind + _BEFORE)
            yield _line_start(text, place), end if end >= 0 else min(len(text), behind + _BEFORE)


def _joined(text: str, start: int, end: int) -> Joined:
    view = viewed(text[start:end], _BROKEN, lambda _: "")
    return Joined(start, view, tuple(view.places))
