"""Lines without what stands in their margins: frames, line numbers, marks of diffs, quotes, continuations.

A console or a shell breaks a word between the margins, so that its halves lie apart in the stored text.
"""

import re
from typing import Final

from sidecar.history.export.redaction.view import View, viewed

_FRAME: Final = r"[|\u2502\u2503\u2551\u2506\u250a\u254e\u2595\u258f\u258c\u2590\uff5c\u23bf]"
_NUMBER: Final = r"[0-9]{1,6}(?:[ \t]{1,4}[0-9]{1,6})?(?:[ \t]{0,4}[:\u2192]|(?=[ \t|\u2502]))"
_MARK: Final = rf"(?:{_FRAME}|{_NUMBER}|[>+#*-]|//)[ \t]{{0,80}}"
_LEFT: Final = rf"[ \t]{{0,80}}+(?:{_MARK}){{1,5}}+"
_RIGHT: Final = rf"(?:[ \t]{{0,200}}+{_FRAME}){{1,3}}+[ \t]{{0,8}}"
_CONTINUED: Final = r"[ \t]{0,4}[\\`^]|[\"'][ \t]{0,4}[+.&\\]?[ \t]{0,4}\\?|="
_STRING: Final = r"(?:[+.&][ \t]{0,4})?[bfru]?[\"']"
_END: Final = r"(?:\r?\n|\r)"
_MARGINS: Final = re.compile(
    rf"(?:{_RIGHT}{_END}(?:(?P<framed>{_LEFT})|[ \t]{{0,80}}+)"
    rf"|(?<=[\w+/=.~-])(?:{_CONTINUED}){_END}(?P<continued>{_LEFT})?[ \t]{{0,80}}+(?:{_STRING})?"
    rf"|(?<=\S{{11}}[\w+/=.~-]){_END}[ \t]{{1,80}}(?=[\w+/=.~-]{{4}})"
    rf"|{_END}(?P<marked>{_LEFT}))",
    re.ASCII,
)


def without_margins(text: str) -> list[View]:
    """Make views of the lines alone; none of a text that has no margins.

    A sign right in front of a word is the mark of a diff or a part of the word: there is a view for either.
    """
    bare = viewed(text, _MARGINS, lambda _: "\n")
    if bare.text == text:
        return []
    signed = viewed(text, _MARGINS, _with_sign)
    return [bare] if signed.text == bare.text else [bare, signed]


def _with_sign(match: re.Match[str]) -> str:
    left = match[match.lastgroup] if match.lastgroup else ""
    return f"\n{left[-1]}" if left.strip() in ("+", "-") and left[-1] in "+-" else "\n"
