"""Remove margins of lines: frames, line numbers, marks of diffs, quotes, continuations.

A console or a shell breaks a word between the margins, so that its halves are apart in the stored text.
"""

import re
from collections.abc import Iterator
from typing import Final

from sidecar.history.export.redaction.pieces import Piece
from sidecar.history.export.redaction.view import View
from sidecar.patterns import compiled

_FRAME: Final = r"[|\u2502\u2503\u2551\u2506\u250a\u254e\u2595\u258f\u258c\u2590\uff5c\u23bf]"
_NUMBER: Final = r"[0-9]{1,6}(?:[ \t]{1,4}[0-9]{1,6})?(?:[ ]{0,4}[:\u2192]|(?=[ \t|\u2502]))"
_MARK: Final = rf"(?:{_FRAME}|{_NUMBER}|[>+#*-]|//)[ \t]{{0,80}}"
_LEFT: Final = rf"[ \t]{{0,80}}+(?:{_MARK}){{1,5}}+"
_RIGHT: Final = rf"(?:[ \t]{{0,200}}+(?:{_FRAME}|(?<=[ \t])[*#])){{1,3}}+[ \t]{{0,8}}"
_CONTINUED: Final = r"[ \t]{0,4}[\\`^]|[\"'][ \t]{0,4}[+.&\\]?[ \t]{0,4}\\?|="
_STRING: Final = r"(?:[+.&][ \t]{0,4})?[bfru]?[\"']"
_END: Final = r"(?:\r?\n|\r)"
_WORD: Final = r"[\w+/=.~@-]"
_URL_END: Final = r"[^\s@/]{4,80}@"
"""The end of a password in a URL, which may be broken at its colons."""
_MARGINS: Final = compiled(
    rf"(?:{_RIGHT}{_END}(?:(?P<framed>{_LEFT})|[ \t]{{0,80}}+)"
    rf"|(?:(?<=[\w+/=.~@:-])|(?<=[ ])(?=[\"']))(?:{_CONTINUED}){_END}"
    rf"(?P<continued>{_LEFT})?[ \t]{{0,80}}+(?:{_STRING})?"
    rf"|(?<=\S{{4}}{_WORD}){_END}[ \t]{{1,80}}(?={_WORD}{{4}})"
    rf"|{_END}(?P<marked>{_LEFT}))",
    re.ASCII,
)
_BROKEN: Final = compiled(
    rf"[\r\n](?:(?<={_WORD}.)|(?<=[ ].)|(?P<colon>(?<=:.)|(?<=:[\\`^=].)|(?<=:[ ][\\`^].))"
    rf"|(?<=[\\`^\"'=+.&].)|(?<={_FRAME}.)(?P<framed>)|(?<={_FRAME}[ \t].)|(?<=[ \t][*#].))"
    rf"\n?(?P<left>(?:{_LEFT}|[ \t]{{0,80}}+)(?P<string>{_STRING})?)"
    rf"(?(colon)(?=//\w|{_URL_END})|(?=[ ]?{_WORD}|:{_URL_END}))",
    re.ASCII | re.DOTALL,
)
"""A line end that may be inside a word: it follows a word, the mark of a continuation or a frame."""
_GENERATED: Final = compiled(r"[0-9A-Z](?:(?<=[0-9])|(?<=[a-z][A-Z])[A-Z]*[a-z]+[A-Z])")
_SIGNS: Final = compiled(r"\W+")
_NEAR: Final = 40
"""How much on either side of a line end is checked for a generated word, in characters."""
_SHORTEST: Final = 14
"""The shortest broken word, together with what precedes it, in characters."""
_AROUND: Final = 300


def without_margins(text: str) -> Iterator[Piece]:
    """Yield the lines alone where a word may be broken.

    A sign right in front of a word is the mark of a diff or a part of the word: there is a view for either.
    """
    for start, end in _broken(text):
        part = text[start:end]
        stored: list[str] = []
        bare: list[str] = []
        signed: list[str] = []
        done = 0
        for match in _MARGINS.finditer(part):
            stored += (part[done : match.start()], match[0])
            bare.append("\n")
            signed.append(_with_sign(match))
            done = match.end()
        stored.append(part[done:])
        yield Piece(start, View.of(stored, bare))
        if signed != bare:
            yield Piece(start, View.of(stored, signed))


def _broken(text: str) -> Iterator[tuple[int, int]]:
    """Yield the parts of a text around line ends that may be inside a generated word."""
    if "\n" not in text and "\r" not in text:
        return
    start = end = 0
    for match in _BROKEN.finditer(text):
        place, behind = match.start(), match.end()
        if match["framed"] is None and not _is_inside(match, text[place - 1]):
            continue
        if place - _AROUND > end:
            if end:
                yield start, end
            start = max(0, place - _AROUND)
        end = behind + _AROUND
    if end:
        yield start, end


def _is_inside(match: re.Match[str], before: str) -> bool:
    """Return whether a line end without a frame may be inside a generated word."""
    if before in "\"'+.&" and match["string"] is None and before not in "+.":
        return False
    if not match["left"] and before not in "\\`^=|":
        return False
    text, place, behind = match.string, match.start(), match.end()
    if not _GENERATED.search(text, max(0, place - _NEAR), behind + _NEAR):
        return False
    head, tail = text[max(0, place - _NEAR) : place].split(), text[behind : behind + _NEAR].split(None, 1)
    word = "".join(head[-2:]) + tail[0]
    if not head:
        return False
    if len(word) >= _SHORTEST and _GENERATED.search(word):
        return True
    return "bearer" in _SIGNS.sub("", word).lower()


def _with_sign(match: re.Match[str]) -> str:
    left = match[match.lastgroup] if match.lastgroup else ""
    return "\n//" if left.endswith("//") else f"\n{left[-1]}" if left.endswith(("+", "-")) else "\n"
