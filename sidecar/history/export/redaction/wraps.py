"""Finds words that a console broke at the end of a line, and puts them together again."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sidecar.history.export.redaction.view import View, viewed

_WORDS: Final = re.compile(r"[\w+-]{8,}", re.ASCII)
_MIXED: Final = re.compile(r"[0-9]|[a-z][A-Z]+[a-z]+[A-Z]")
"""What generated words have, and few others of some length."""
_NARROWEST: Final = 38
"""Columns of the narrowest console: a line as long may have been broken before or behind the secret."""
_AROUND: Final = 200
"""How much of the line in front of the word and behind it is joined too, in characters."""
_CHAR: Final = r"[\w+/=.~@-]"
_BREAK: Final = (
    r"(?:[ ]{1,4}\(?[\w.()/-]{1,60}:[0-9]{1,6}\)?)?(?:\r?\n|\r)"
    r"(?:[ \t]{0,12}[0-9]{1,6}[ \t]{0,4}[|\u2192][ \t]?|[|>\u2502][ ]{0,4}|[ \t]{1,80}(?=\S))?"
)
"""A line break, perhaps behind the place in a script that consoles print, or before a line number."""
_ASSIGNS: Final = re.compile(r"[A-Za-z_]\w*(?:[ \t]+[:+?]?=|=[ \t]*\w)", re.ASCII)
_BROKEN: Final = re.compile(_BREAK)
_RUN: Final = re.compile(rf"(?<!{_CHAR}){_CHAR}++(?:{_BREAK}[:;]?[ ]?{_CHAR}++){{1,40}}+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Joined:
    """Lines around a broken word, joined: a view of `text[start:]`, and where its pieces meet."""

    start: int
    view: View
    joints: tuple[int, ...]

    def assigns_inside(self, start: int, end: int) -> bool:
        """Tell whether a line that begins inside a value assigns another one: no console broke it."""
        return any(_ASSIGNS.match(self.view.text, joint) for joint in self.joints if start < joint < end)

    def end_of(self, start: int, end: int) -> int:
        """Give back a plain word of the next line that was taken for the last piece of a secret."""
        inside = [joint for joint in self.joints if start < joint < end]
        if not inside:
            return end
        piece = self.view.text[inside[-1] : end]
        return inside[-1] if piece.isalpha() and (piece.islower() or piece.istitle()) else end


def joined_lines(text: str) -> Iterator[Joined]:
    """Yield the lines whose words a line break may have cut, where the word may be a generated one."""
    if "\n" not in text and "\r" not in text:
        return
    for match in _RUN.finditer(text):
        start = max(text.rfind("\n", 0, match.start()) + 1, match.start() - _AROUND)
        end = text.find("\n", match.end(), match.end() + _AROUND)
        lines = text[start : end if end >= 0 else match.end() + _AROUND]
        full = match[0].find("\n") + match.start() - start >= _NARROWEST
        joined = _BROKEN.sub("", lines if full else match[0])
        if any(_MIXED.search(word) for word in _WORDS.findall(joined)):
            yield Joined(start, viewed(lines, _BROKEN, lambda _: ""), _joints(lines))


def _joints(lines: str) -> tuple[int, ...]:
    joints, removed = [], 0
    for cut in _BROKEN.finditer(lines):
        joints.append(cut.start() - removed)
        removed += cut.end() - cut.start()
    return tuple(joints)
