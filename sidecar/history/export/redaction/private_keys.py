"""Find armored private keys (PEM, OpenPGP, PuTTY), with any prefix before their lines."""

import re
from collections.abc import Iterator
from typing import Final

from sidecar.history.export.redaction.view import viewed
from sidecar.patterns import compiled

_BOUND: Final = 60_000
"""The longest key, in characters of a view."""
_MARK: Final = compiled(r"-{4,5} ?(BEGIN|END) ?[A-Z0-9 ]{0,80}?PRIVATE ?KEY(?: ?BLOCK)? ?-{4,5}")
_LINE_END: Final = compiled(r"(?:\r?\n|\r)[ \t]{0,80}+")
_JOINED_MARK: Final = compiled(r"-{1,5} ?(BEGIN|END) ?[A-Z0-9 ]{0,80}?PRIVATE ?KEY(?: ?BLOCK)? ?-{1,5}")
"""A mark of which a margin may have taken some hyphens."""
_BODY: Final = compiled(r"[A-Za-z0-9+/=]{12,}")
_CODE: Final = compiled(r"[{}\[\]$]|\((?!index\))")
"""What a program that handles keys has between the marks, and no key."""
_PREFIX: Final = (
    r"[ \t]{0,40}+(?:[0-9]{1,6}(?:[ \t]{0,4}[|:\u2192]|(?=\t))[ \t]{0,4}|[-+>|#*;\"',][ \t]{0,8}){0,3}+"
)
_PLACE: Final = r"(?: {1,4}\(index\):[0-9]{1,6})?+"
_BREAK: Final = rf"{_PLACE}[ \t\"',+.&\\;]{{0,8}}+(?:\r?\n|\r){_PREFIX}"
_LINE: Final = r"(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):[^\n]{0,200}|[A-Za-z0-9+/=]{0,100}+)"
_QUOTE: Final = r"[\"'`]"
_SEAM: Final = compiled(
    rf"{_QUOTE}[ \t]{{0,4}}(?:[+.&,][ \t]{{0,4}})?(?:\\?(?:\r?\n|\r){_PREFIX}|(?<=[+.& \t,]))[bfru]?{_QUOTE}?"
    rf"|[ \t]{{0,200}}+[\\`^=|\u2502]?[ \t]{{0,4}}(?:\r?\n|\r){_PREFIX}(?:\u2502[ \t]?)?|<br ?/?>"
)
"""What a program, a page or a console puts between two parts of a mark or of a body."""
_KEY: Final = compiled(r"[A-Za-z0-9+/]{40,}")
_LAST: Final = rf"(?:{_BREAK}[A-Za-z0-9+/=]{{20,100}}+)?+"
_LINES: Final = compiled(rf"(?:{_BREAK}{_LINE}(?={_PLACE}[ \t\"',+.&\\;]*+(?:[\r\n]|$)))*+{_LAST}")
"""Lines of an armored body: base64 and headers, after numbers, quotes or the marks of a diff."""
_LOGGED: Final = compiled(r"[^\n]{0,160}?(?<![\w+/])[A-Za-z0-9+/]{2,100}={0,2}[\"',\\]{0,3}\r?$")
_LOGGED_LINES: Final = compiled(r"(?:\r?\n[^\n]{1,160}?[ \t|:)\]][A-Za-z0-9+/]{40,100}={0,2}(?=[\s\"']|$))++")
"""Lines of base64 after what a log, `git blame` or `grep` puts in front of each."""
_ONE_LINE: Final = compiled(r"[A-Za-z0-9+/]{40,}+={0,2}")
_MARKS: Final = ("-----BEGIN", "---- BEGIN", "PRIVATE KEY", "KEY----", "-----END", "Private-Lines")
"""What a text with a key holds, even if a line break cuts one of them."""
_PUTTY: Final = compiled(r"Private-Lines: [0-9]{1,4}")


def armored(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of private keys; of a truncated one, the lines that exist."""
    if not any(mark in text for mark in _MARKS):
        return
    yield from _between_marks(text)
    unbroken = viewed(text, _LINE_END, lambda _: "")
    yield from (unbroken.origin(start, end) for start, end in _between_marks(unbroken.text))
    yield from _seamed(text)
    for mark in _PUTTY.finditer(text):
        yield from _cut_short(text, mark.end(), mark.end())


def _seamed(text: str) -> Iterator[tuple[int, int]]:
    """Yield keys with a mark that is joined from strings, continued, or broken between margins."""
    joined = viewed(text, _SEAM, lambda _: "")
    for start, end in _between_marks(joined.text, _JOINED_MARK):
        if _KEY.search(joined.text, start, end):
            yield joined.origin(start, end)


def _between_marks(text: str, marks: re.Pattern[str] = _MARK) -> Iterator[tuple[int, int]]:
    begin: int | None = None
    body = 0
    for mark in marks.finditer(text):
        if mark[1] == "END":
            if begin is not None and _is_body(text, body, mark.start()):
                yield begin, mark.end()
            begin = None
            continue
        if begin is not None:
            yield from _cut_short(text, begin, body)
        begin, body = mark.span()
    if begin is not None:
        yield from _cut_short(text, begin, body)


def _is_body(text: str, start: int, end: int) -> bool:
    if end - start >= _BOUND or not _BODY.search(text, start, end):
        return False
    if not _CODE.search(text, start, end):
        return True
    lines = [line for line in text[start:end].split("\n")[1:-1] if line.strip()]
    return bool(lines) and all(map(_LOGGED.match, lines))


def _cut_short(text: str, begin: int, body: int) -> Iterator[tuple[int, int]]:
    for pattern in (_LINES, _LOGGED_LINES, _ONE_LINE):
        lines = pattern.match(text, body, body + _BOUND)
        if lines and _BODY.search(text, body, lines.end()):
            yield begin, lines.end()
            return
