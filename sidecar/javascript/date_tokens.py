"""The tokens of V8's reading of a date string."""

import re
from typing import NamedTuple

from sidecar.javascript.values import WHITE_SPACE

# Here V8 treats the line separator and the paragraph separator as letters.
_SPACE = re.escape(WHITE_SPACE.replace("\u2028", "").replace("\u2029", ""))
_TOKEN = re.compile(
    rf"(?P<number>[0-9]+)|(?P<symbol>[:+\-.)])|(?P<word>[^\x00-\x40{_SPACE}]+)|(?P<space>[{_SPACE}]+)"
    rf"|(?P<remark>\()|(?P<other>[^:+\-.)(A-\U0010ffff0-9{_SPACE}]+)",
    re.ASCII,
)
_SIGNIFICANT = 9  # digits of a number that count; further ones are skipped


class Token(NamedTuple):
    """A piece of a date string: its kind, its text, and the value of a number."""

    kind: str
    text: str = ""
    value: int = 0

    def is_number(self, digits: int) -> bool:
        """Return whether this is a number with this number of digits."""
        return self.kind == "number" and len(self.text) == digits

    def is_sign(self) -> bool:
        """Return whether this is a plus or a minus."""
        return self.kind == "symbol" and self.text in "+-"


END = Token("end")


def tokenize(text: str) -> list[Token]:
    """Split a string into numbers, symbols, words, white space and other tokens; `END` is the last."""
    tokens: list[Token] = []
    at = 0
    text = text.partition("\0")[0]  # V8 reads up to a NUL
    while match := _TOKEN.match(text, at):
        at = match.end()
        kind, piece = match.lastgroup or "other", match[0]
        if kind == "number":
            tokens.append(Token(kind, piece, int(piece.lstrip("0")[:_SIGNIFICANT] or "0")))
        elif kind == "remark":
            at = _after_parenthesis(text, match.start())
            tokens.append(Token("other"))
        else:
            tokens.append(Token(kind, piece))
    tokens.append(END)
    return tokens


def _after_parenthesis(text: str, start: int) -> int:
    """Find the end of a parenthesised remark; an open one extends to the end of the string."""
    balance = 0
    for at in range(start, len(text)):
        balance += (text[at] == "(") - (text[at] == ")")
        if balance == 0:
            return at + 1
    return len(text)


def as_milliseconds(token: Token) -> int:
    """Read the digits behind a point as thousandths; digits beyond the third are cut."""
    shift = 10 ** abs(min(len(token.text), _SIGNIFICANT) - 3)
    return int(token.value * shift if len(token.text) < 3 else token.value // shift)
