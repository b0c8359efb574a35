"""A text as its author meant it, without what transports added, and the way back to the stored text.

Transcripts hold commands, files and answers inside JSON, inside URLs and in terminal colors. Rules read a
view in which those wrappings are undone; what they find is mapped back to the stored characters.
"""

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

_ESCAPES: Final = {"n": "\n", "r": "\n", "t": "\t"}
_ENTITIES: Final = {"quot": '"', "amp": "&", "lt": "<", "gt": ">", "apos": "'", "#39": "'", "#34": '"'}
HIDDEN: Final = "\u00ad\u034f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
"""Characters without a width, marks of directions among them, which can stand unseen inside a word."""
_HIDDEN: Final = re.compile(f"[{HIDDEN}]")
COLOR: Final = (
    r"(?:(?<=\x1b)|(?<=\\)\\{0,15}(?:u001[bB]|x1[bB]|033|e))"
    r"(?:\[[0-9;:?]{0,30}+[A-Za-z]|[()][0AB]|\]8;[^;\x07\x1b\\\n]{0,100}+;"
    r"|\](?!8;)[^\x07\x1b\\\n]{0,300}+(?:\x07|\x1b\\|\\{1,16}u0007))"
)
"""What follows the first character of a terminal's control sequence, raw or escaped: CSI (ECMA-48) or OSC.

Also the choice of a character set. Of a link (OSC 8) the address is not part of it: it may hold anything.
"""
# Each pattern starts with a set of characters, which the engine finds far quicker than alternatives.
_COLOR: Final = re.compile(rf"[\x1b\\]{COLOR}")
_WRAPPING: Final = re.compile(
    rf"[\x1b\\%&{HIDDEN}](?:(?P<color>{COLOR})|(?P<hidden>(?<=[{HIDDEN}]))"
    r"|(?<=\\)\\{0,15}(?:(?:u|x(?=[0-9a-fA-F]{2}))(?P<unicode>(?<=u)[0-9a-fA-F]{4}|(?<=x)[2-7][0-9a-fA-F])|(?P<escape>[nrt\"'/`_-]))"
    r"|(?<=%)(?:25){0,2}+(?P<percent>[2-7][0-9a-fA-F]|0[9aAdD])"
    rf"|(?<=&)(?:(?P<entity>{'|'.join(_ENTITIES)})|#(?P<number>[0-9]{{2,5}}|x[0-9a-fA-F]{{2,4}}));)"
)


@dataclass(frozen=True, slots=True)
class View:
    """A text made from another by replacements, and where those stand."""

    text: str
    _places: list[int] = field(default_factory=list)
    """Where each replacement starts in this text."""
    _origins: list[tuple[int, int, int]] = field(default_factory=list)
    """Of each replacement: its length, and start and end of what it stands for."""

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Map `start:end` of this text to the characters of the other text it came from."""
        return self._origin(start)[0], self._origin(end - 1)[1]

    def _origin(self, place: int) -> tuple[int, int]:
        index = bisect_right(self._places, place) - 1
        if index < 0:
            return place, place + 1
        length, start, end = self._origins[index]
        behind = place - self._places[index] - length
        return (start, end) if behind < 0 else (end + behind, end + behind + 1)


def viewed(text: str, pattern: re.Pattern[str], meant: Callable[[re.Match[str]], str]) -> View:
    """Make a view in which each match of `pattern` is replaced by what it means."""
    pieces: list[str] = []
    places: list[int] = []
    origins: list[tuple[int, int, int]] = []
    size = done = 0
    for match in pattern.finditer(text):
        start, end = match.span()
        meaning = meant(match)
        pieces += (text[done:start], meaning)
        size += start - done
        places.append(size)
        origins.append((len(meaning), start, end))
        size, done = size + len(meaning), end
    return View("".join((*pieces, text[done:])) if pieces else text, places, origins)


_SHORT: Final = {
    slashes + char: _ESCAPES.get(char, char) for slashes in ("\\", "\\\\", "\\\\\\") for char in "nrt\"'/`_-"
}
"""The escapes that most texts hold, and what they mean."""


def views(text: str) -> list[View]:
    """Undo escapes, percent codes, entities and colors.

    A color ends a word or highlights a part of one, and nothing shows which: a text with colors has a view
    for either.
    """
    if text.isascii() and not ("\\" in text or "%" in text or "&" in text or "\x1b" in text):
        return [View(text)]
    result = [viewed(text, _WRAPPING, _spaced)]
    if ("\x1b" in text or "\\" in text) and _COLOR.search(text):
        result.append(viewed(text, _WRAPPING, _meaning))
    return result


def is_disguised(text: str) -> bool:
    """Tell whether a text holds what only a view of it shows to be a path."""
    if not text.isascii() or "%" in text or "&" in text or "\x1b" in text:
        return True
    return "\\u" in text or "\\x" in text or "/\\" in text or "-home-" in text


def _spaced(match: re.Match[str]) -> str:
    known = _SHORT.get(match[0])
    if known is not None:
        return known
    return " " if match.lastgroup == "color" else _meaning(match)


def _meaning(match: re.Match[str]) -> str:
    name = match.lastgroup
    value = match[name] if name else ""
    if name == "escape":
        return _ESCAPES.get(value, value)
    if name == "entity":
        return _ENTITIES[value]
    if name == "number":
        return _char(int(value[1:], 16) if value[0] == "x" else int(value))
    if name == "percent":
        return chr(int(value, 16))
    if name == "unicode":
        return _char(int(value, 16))
    return ""


def _char(code: int) -> str:
    """Return the character of an escape; halves of one, and control characters, only part words."""
    if code < 0x20:
        return "\n"
    char = chr(min(code, 0xFFFF))
    return " " if 0xD800 <= code < 0xE000 else "" if _HIDDEN.match(char) else char
