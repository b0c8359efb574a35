"""Undo escapes, percent codes, entities, colors and zero-width characters that transports add to a text.

Transcripts hold commands, files and answers inside JSON, inside URLs and in terminal colors. Rules read a
view in which those wrappings are undone; what they find is mapped back to the stored characters.
"""

import re
from collections.abc import Callable
from html import unescape
from typing import Final

from sidecar.history.export.redaction.view import View
from sidecar.patterns import compiled

HIDDEN: Final = (
    "\u00ad\u034f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f"
)
"""Characters without a width, including marks of directions, which can hide inside a word."""
_HIDDEN: Final = compiled(f"[{HIDDEN}]")
_FINAL: Final = r"[0-9;:?]{0,30}+[A-Za-z]"
COLOR: Final = (
    r"(?:(?:(?<=\x1b)|(?<=\\)\\{0,63}+(?:u001[bB]|x1[bB]|033|e)|(?<=\^)\[(?=\[))"
    rf"(?:\[{_FINAL}|[()][0AB]|\]8;[^;\x07\x1b\\\n]{{0,100}}+;|\](?!8;)[0-9]{{1,4}}(?:;|(?=\x07)))"
    r"|(?<=\x1b)[\\=>PX^_78cDEHM]"
    rf"|(?:(?<=\x9b)|(?<=\\)\\{{0,63}}+(?:u009[bB]|x9[bB])){_FINAL}"
    r"|(?<=\[)[0-9;]{1,12}+m(?![\w\]]{0,30}\]))"
)
"""What follows the first character of a terminal's control sequence, raw or escaped: CSI (ECMA-48) or OSC.

Also the choice of a character set, and what is left of a color without its escape character. Addresses of
links and titles of windows are not part of it: they may hold anything.
"""
_FORMS: Final = (
    ("color", COLOR),
    ("hidden", f"(?<=[{HIDDEN}])"),
    (
        "hex",
        r"(?<=\\)\\{0,63}+(?:u[0-9a-fA-F]{4}|u\{0{0,6}[0-9a-fA-F]{1,5}\}|U000[0-9a-fA-F]{5}"
        r"|x(?:[2-7][0-9a-fA-F]|0[9aAdD]))",
    ),
    ("octal", r"(?<=\\)\\{0,63}+0?(?:0[4-7][0-7]|01[125]|1[0-7]{2}|[4-7][0-7](?![0-7]))"),
    ("escape", r"(?<=\\)\\{0,63}+[nrt\"'/`_.=~+-]"),
    ("percent", r"(?<=%)(?:25){0,8}+(?:[2-7][0-9a-fA-F]|0[9aAdD])"),
    ("entity", r"(?<=&)(?:amp;){0,4}+(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,24}[0-9]{0,2});"),
)
_START: Final = rf"[\x1b\x9b\\%&^\[{HIDDEN}]"
"""Every form starts with one of these: the engine finds a set of characters far quicker than alternatives."""
_WRAPPING: Final = compiled(rf"({_START}(?:{'|'.join(form for _, form in _FORMS)}))")
_NAMED: Final = compiled(rf"{_START}(?:{'|'.join(f'(?P<{name}>{form})' for name, form in _FORMS)})")
_CODE: Final = compiled(r"[0-9a-fA-F]{1,8}(?=\}?$)")
_LINE_ENDS: Final = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
_BLANKS: Final = "\u00a0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_HYPHENS: Final = "\u2010\u2011\u2012\u2013\u2212"
_QUOTES: Final = "\u201c\u201d\u201e\u201f\u2033\uff02"
_PLAIN: Final = {
    **{0xFEE0 + code: chr(code) for code in range(0x21, 0x7F)},
    **dict.fromkeys(map(ord, _LINE_ENDS), "\n"),
    **dict.fromkeys(map(ord, _BLANKS), " "),
    **dict.fromkeys(map(ord, _HYPHENS), "-"),
    **dict.fromkeys(map(ord, _QUOTES), '"'),
    0x2018: "'",
    0x2019: "'",
}
"""Unicode characters with the same meaning, and the common one."""
_FANCY: Final = compiled(f"[{''.join(map(chr, _PLAIN))}]")
_CONTROL: Final = compiled(r"[\x0b\x0c\x1c-\x1e]")
_SPELLED: Final = compiled(r"\\[uUx0-7]")
_MOST: Final = 20_000
"""The most spellings that are cached."""


class _Meanings(dict[str, str]):
    """What each spelling means; `color` replaces a control sequence."""

    def __init__(self, color: str) -> None:
        super().__init__()
        self._color = color

    def __missing__(self, spelled: str) -> str:
        match = _NAMED.fullmatch(spelled)
        name = match.lastgroup if match else None
        meaning = self._color if name == "color" else _MEANT[name](spelled) if name else spelled
        if len(self) >= _MOST:
            self.clear()
        self[spelled] = meaning
        return meaning


def views(text: str) -> list[View]:
    """Undo every wrapping of a text.

    A color ends a word or highlights a part of one, and nothing shows which: a text with colors has a view
    for either.
    """
    text = plain(text)
    stored = _WRAPPING.split(text)
    if len(stored) == 1:
        return [View(text)]
    spelled = stored[1::2]
    spaced = [_SPACED[each] for each in spelled]
    result = [View.of(stored, spaced)]
    glued = [_GLUED[each] for each in spelled]
    if glued != spaced:
        result.append(View.of(stored, glued))
    return result


def plain(text: str) -> str:
    """Replace line ends, blanks, quotes and wide letters of Unicode by the common ones, each by one."""
    return text if text.isascii() and not _CONTROL.search(text) else _FANCY.sub(_common, text)


def _common(match: re.Match[str]) -> str:
    return _PLAIN[ord(match[0])]


def is_disguised(text: str) -> bool:
    """Return whether a text may contain a path that only a view of it shows."""
    if not text.isascii() or "%" in text or "&" in text or "\x1b" in text:
        return True
    return "/\\" in text or "-home-" in text or _SPELLED.search(text) is not None


def _hex(spelled: str) -> str:
    code = _CODE.search(spelled, max(spelled.rfind("u"), spelled.rfind("x"), spelled.rfind("U"), 0))
    return _char(int(code[0], 16)) if code else spelled


def _escape(spelled: str) -> str:
    return {"n": "\n", "r": "\n", "t": "\t"}.get(spelled[-1], spelled[-1])


def _entity(spelled: str) -> str:
    meaning = unescape("&" + spelled[1:].replace("amp;", "") if spelled != "&amp;" else spelled)
    if len(meaning) != 1:
        return "&" if meaning == "&" or spelled.endswith("amp;") else spelled
    return _char(ord(meaning))


def _char(code: int) -> str:
    """Return the character of an escape; a surrogate or a control character becomes white space."""
    if code < 0x20 and code != 9:
        return "\n"
    char = chr(min(code, 0x10FFFF))
    return " " if 0xD800 <= code < 0xE000 else "" if _HIDDEN.match(char) else plain(char)


_MEANT: Final[dict[str, Callable[[str], str]]] = {
    "hidden": lambda _: "",
    "hex": _hex,
    "octal": lambda spelled: _char(int(spelled.lstrip("\\"), 8)),
    "escape": _escape,
    "percent": lambda spelled: chr(int(spelled[-2:], 16)),
    "entity": _entity,
}
_SPACED: Final = _Meanings(" ")
_GLUED: Final = _Meanings("")
