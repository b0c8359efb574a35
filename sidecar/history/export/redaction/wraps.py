"""Finds words that a console broke at the end of a line, and puts them together again."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sidecar.history.export.redaction.view import View, viewed

_SHORTEST: Final = 16
"""Fewest characters of a joined word worth a look."""
_CHAR: Final = r"[\w+/=.~-]"
_BREAK: Final = (
    r"(?:[ ]{1,4}\(?[\w.()/-]{1,60}:[0-9]{1,6}\)?)?(?:\r?\n|\r)"
    r"(?:[ \t]{0,12}[0-9]{1,6}[ \t]{0,4}[|\u2192][ \t]?|[|>\u2502][ ]{0,4})?"
)
"""A line break, perhaps behind the place in a script that consoles print, or before a line number."""
_BROKEN: Final = re.compile(_BREAK)
_RUN: Final = re.compile(rf"(?<!{_CHAR}){_CHAR}++(?:{_BREAK}{_CHAR}++){{1,40}}+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Run:
    """Words joined over line breaks: a view of `text[start:]`, and where the pieces end in it."""

    start: int
    view: View
    joints: tuple[int, ...]

    def end_of(self, start: int, end: int) -> int:
        """Give back a plain word of the next line that was taken for the last piece of a secret."""
        inside = [joint for joint in self.joints if start < joint < end]
        if not inside:
            return end
        piece = self.view.text[inside[-1] : end]
        return inside[-1] if piece.isalpha() and (piece.islower() or piece.istitle()) else end


def wrapped_runs(text: str) -> Iterator[Run]:
    """Yield the words that line breaks may have cut, of those that have a digit."""
    if "\n" not in text and "\r" not in text:
        return
    for match in _RUN.finditer(text):
        run = match[0]
        if len(run) < _SHORTEST or not any(char.isdigit() for char in run):
            continue
        view = viewed(run, _BROKEN, lambda _: "")
        yield Run(match.start(), view, _joints(run))


def _joints(run: str) -> tuple[int, ...]:
    joints, removed = [], 0
    for cut in _BROKEN.finditer(run):
        joints.append(cut.start() - removed)
        removed += cut.end() - cut.start()
    return tuple(joints)
