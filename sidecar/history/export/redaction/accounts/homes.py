"""Find home directories in all spellings of systems, shells, URLs and agents."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from sidecar.history.export.redaction.accounts.home_paths import FILE, PATHS, SLUGS
from sidecar.history.export.redaction.accounts.names import is_shared, is_word
from sidecar.history.export.redaction.escapes import COLOR, HIDDEN
from sidecar.history.export.redaction.view import viewed
from sidecar.patterns import compiled

HOME: Final = "homeDirectory"

_WORDS: Final = ("home", "user", "docume", "root", "profiles", "media", "people", "appdata", "u/", "u\\")
"""Marks of home directories after any spelling of a slash, in lower case."""
_SIGNS: Final = (("~", compiled("~[A-Za-z_]")), ("$", compiled(r"\$[/\\]")))
_SEPARATORS: Final = "-/\\fc"
_BEFORE: Final = 200
_BEHIND: Final = 300
"""How much text around a mark is read, in characters."""
_SERVER: Final = r"[A-Za-z0-9][\w.-]{1,60}"
_SLASHES: Final = compiled(
    rf"[\x1b\\%{HIDDEN}](?:(?P<end>(?<=\\)\\{{0,15}}[nrt](?=[\\/~\"'(]|%(?:25)*2[fF]"
    rf"|[A-Za-z](?::|%3[aA])[\\/%]|[A-Za-z]-{{1,2}}Users|Users[\\/]|file:|vscode-|-[A-Za-z]/"
    rf"|-(?:home|Users|mnt|var|cygdrive|run|private)-)|{COLOR})"
    rf"|(?P<hidden>(?<=[{HIDDEN}]))"
    r"|(?<=%)(?:25){0,2}+(?:(?P<colon>3[aA])|(?P<at>40)|(?P<blank>20)|(?P<percent>2[fF]|5[cC]))"
    rf"|(?<=\\)(?P<server>\\(?={_SERVER}\\(?!\\))|\\{{3}}(?={_SERVER}\\{{2}}(?!\\))|\\{{7}}(?={_SERVER}\\{{4}}(?!\\)))"
    r"|(?<=\\)(?P<slash>\\{0,15}u00(?:2[fF]|5[cC])|\\{0,15}/|\\*+))"
)
"""What counts as a slash, and what ends a word before a path."""
_MEANT: Final = {
    "end": "\n",
    "hidden": "",
    "colon": ":",
    "at": "@",
    "blank": " ",
    "percent": "/",
    "server": "//",
    "slash": "/",
}
_HINTS_ONLY: Final = frozenset({"tilde", "shell"})
"""Groups whose names are not searched for elsewhere: a tilde may precede a package or a model."""
_MEDIA: Final = compiled(
    r"uploads|thumb(?:nail)?s|avatars|cdrom[0-9]?|floppy|usb[0-9]?|hdd|ssd|nas|dvd|imgs?|css|cdn|gifs|svgs|pdfs",
    re.IGNORECASE,
)
"""Folders of media whose names are not English words."""
_LABEL: Final = compiled(r"/[^\s/.]{0,40}[A-Z][^\s/.]{0,40}(?=[\s/]|$)")


class Found(NamedTuple):
    """A place in a text and the account it names; empty if it is probably not a person."""

    start: int
    end: int
    name: str


def homes(text: str) -> Iterator[Found]:
    """Yield home directories, with the name of their owner."""
    for start, end in _windows(text):
        view = viewed(text[start:end], _SLASHES, lambda match: _MEANT[match.lastgroup or ""])
        for found in _named(view.text):
            first, last = view.origin(found.start, found.end)
            yield Found(start + first, start + last, found.name)


def _windows(text: str) -> Iterator[tuple[int, int]]:
    """Yield the parts of a text that may hold home directories."""
    start = end = 0
    for mark in sorted(_marks(text)):
        if mark - _BEFORE > end:
            if end:
                yield start, end
            start = max(0, mark - _BEFORE)
        end = mark + _BEHIND
    if end:
        yield start, end


def _marks(text: str) -> Iterator[int]:
    lowered = text.lower()
    for word in _WORDS:
        place = lowered.find(word)
        while place >= 0:
            if lowered[place - 1 : place] in _SEPARATORS or word == "appdata":
                yield place
            place = lowered.find(word, place + 1)
    for sign, behind in _SIGNS:
        if sign in text:
            yield from (match.start() for match in behind.finditer(text))


def _named(text: str) -> Iterator[Found]:
    for pattern in (PATHS, SLUGS):
        for match in pattern.finditer(text):
            group = match.lastgroup or ""
            name = match[group].rstrip(".")
            if name and _is_home(group, name, text, match.end()):
                end = match.end() - len(match[group]) + len(name)
                yield Found(match.start(), end, "" if group == "root" or group in _HINTS_ONLY else name)


def _is_home(group: str, name: str, text: str, end: int) -> bool:
    """Distinguish homes from pages and files in a folder of the same name."""
    if FILE.search(name) and group not in ("drive", "letter", "windows"):
        return False
    if group in _HINTS_ONLY:
        return not is_shared(name)
    if group in ("doubtful", "folder"):
        is_plain = len(name) < 3 or is_word(name) or is_shared(name) or _MEDIA.fullmatch(name)
        return not is_plain or (is_word(name) and _LABEL.match(text, end) is not None)
    return True
