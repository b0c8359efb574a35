"""Find user names known from home directories anywhere in a text."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import Final

from sidecar.history.export.redaction.spans import Span
from sidecar.history.export.redaction.word_filter import any_of

USER: Final = "userName"
RANK: Final = 2_000
"""Ranks after secrets and home directories."""
_SHORTEST: Final = 4
_LETTERS: Final = 3
_UNMISTAKABLE: Final = 7
"""The shortest name that is also found inside longer words, in characters."""


def is_shared(name: str) -> bool:
    """Return whether a name is an account of a system, an example or an organization."""
    lowered = name.lower()
    return lowered in _listed("accounts.txt") or lowered.startswith(_families())


def is_word(name: str) -> bool:
    """Return whether a name is a word of English, of four letters or more."""
    return name.lower() in _listed("words.txt")


def telling(names: Iterable[str]) -> set[str]:
    """Keep the names worth finding: four characters or more, not an English word, not a shared account."""
    return {
        name.lower()
        for name in names
        if len(name) >= _SHORTEST
        and sum(char.isalpha() for char in name) >= _LETTERS
        and not is_shared(name)
        and not is_word(name)
    }


class NameFinder:
    """Find names in any case. A short name next to letters is a different word.

    A short name or one that is a word is found only as a folder, as in "home/bob".
    """

    def __init__(self, names: Iterable[str]) -> None:
        names = {name.lower() for name in names}
        spelled = {each for name in telling(names) for each in _spellings(name)}
        self._regex = any_of(sorted(spelled)) if spelled else None
        folders = "|".join(re.escape(name) for name in sorted(names) if name and not is_shared(name))
        self._folders = re.compile(rf"(?:home|users)[\\/]{{1,4}}({folders})(?![\w.-])") if folders else None

    def spans(self, text: str) -> Iterator[Span]:
        """Yield the places of the names."""
        lowered = text.lower()
        if len(lowered) != len(text):
            lowered = text
        for match in self._folders.finditer(lowered) if self._folders else ():
            if _begins(text, match.start()):
                yield Span(*match.span(1), USER, RANK)
        if self._regex is None:
            return
        for match in self._regex.finditer(lowered):
            start, end = match.span(1)
            if end - start >= _UNMISTAKABLE or (_begins(text, start) and _ends(text, end)):
                yield Span(start, end, USER, RANK)


def _spellings(name: str) -> set[str]:
    return {name, re.sub(r"[^a-z0-9]", "-", name), name.replace(" ", "%20"), name.replace(" ", "\\ ")}


_WRAPPED: Final = re.compile(r"\\[nrtbf]$|\\u[0-9a-fA-F]{4}$|%[0-9a-fA-F]{2}$|\[[0-9;]{0,12}m$")
"""Escapes and colors that end with a letter directly before a name."""


def _begins(text: str, start: int) -> bool:
    before = text[start - 1 : start]
    if not before.isalpha() or (before.islower() and text[start].isupper()):
        return True
    return _WRAPPED.search(text, max(0, start - 16), start) is not None


def _ends(text: str, end: int) -> bool:
    after = text[end : end + 2]
    return not after[:1].isalpha() or after[:1].isupper() or (after[:1] == "s" and not after[1:].isalpha())


@cache
def _listed(name: str) -> frozenset[str]:
    """Read one of the lists in this folder; words.LICENSE names the source of the words."""
    return frozenset(files(__package__).joinpath(name).read_text("ascii").split())


@cache
def _families() -> tuple[str, ...]:
    """List what names of accounts start with where the rest differs: entries that end with an asterisk."""
    return tuple(name[:-1] for name in _listed("accounts.txt") if name.endswith("*"))
