"""Remove secrets and home directories from texts and count them."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from sidecar.api.stored.export import Redaction
from sidecar.history.export.redaction.accounts.homes import HOME, Found, homes
from sidecar.history.export.redaction.accounts.names import RANK, USER, NameFinder
from sidecar.history.export.redaction.accounts.people import people
from sidecar.history.export.redaction.escapes import is_disguised, views
from sidecar.history.export.redaction.finder import secrets
from sidecar.history.export.redaction.spans import Span, merged, replaced
from sidecar.history.export.redaction.view import View

_HOME_RANK: Final = 1_000
"""Ranks after secrets: a home directory inside a secret is removed with it."""


_SHORT: Final = 200
"""The longest text that is cached, in characters."""
_MOST: Final = 50_000
"""The most cached texts."""


class Redactor:
    """Redact texts and count replacements; `home` is a home directory with an uncommon path.

    It finds what looks like a secret; it cannot know a password that looks like a word. User names are
    found outside of paths only after they were learned, so `learn` all texts before redacting the first.
    """

    def __init__(self, home: str | None = None) -> None:
        self._counts: Counter[str] = Counter()
        self._home = re.compile(rf"{re.escape(home)}(?![\w.-])") if home and len(home) > 2 else None
        self._names: set[str] = set()
        self._finder: NameFinder | None = None
        self._learned: set[str] = set()
        self._unchanged: set[str] = set()
        if home:
            self._note(re.split(r"[\\/]", home.rstrip("\\/"))[-1:])

    @property
    def report(self) -> list[Redaction]:
        """Return how often each kind was replaced, most frequent first."""
        return [Redaction(kind=kind, count=count) for kind, count in self._counts.most_common()]

    def learn(self, value: Any) -> None:
        """Note the owners of all home directories in plain data."""
        mapped_texts(value, self._learn_text)

    def text(self, text: str) -> str:
        """Redact one text, and learn the names in it."""
        if text in self._unchanged:
            return text
        shown = views(text)
        found = _homes(text, shown)
        accounts = _people(shown)
        self._note(each.name for each in (*found, *accounts))
        spans = [Span(home.start, home.end, HOME, _HOME_RANK) for home in found]
        spans += [Span(each.start, each.end, USER, RANK) for each in accounts]
        spans += self._own_home(text)
        spans += self._named(text)
        for view in shown:
            spans += secrets(view)
        spans = merged(spans)
        self._counts.update(span.kind for span in spans)
        if not spans:
            _keep(self._unchanged, text)
        return replaced(text, spans, {HOME: "~"})

    def value(self, value: Any) -> Any:
        """Redact every text in plain data, member names excepted."""
        return mapped_texts(value, self.text)

    def _own_home(self, text: str) -> Iterator[Span]:
        for match in self._home.finditer(text) if self._home else ():
            yield Span(*match.span(), HOME, _HOME_RANK)

    def _named(self, text: str) -> Iterator[Span]:
        if self._finder is None:
            self._finder = NameFinder(self._names)
        return self._finder.spans(text)

    def _learn_text(self, text: str) -> str:
        if text not in self._learned:
            shown = views(text)
            self._note(each.name for each in (*_homes(text, shown), *_people(shown)))
            _keep(self._learned, text)
        return text

    def _note(self, names: Iterable[str]) -> None:
        if fresh := {name for name in names if name} - self._names:
            self._names |= fresh
            self._finder = None
            self._unchanged.clear()


def _keep(texts: set[str], text: str) -> None:
    """Remember a short text: every message has roles, kinds and names of tools."""
    if len(text) <= _SHORT and len(texts) < _MOST:
        texts.add(text)


def _homes(text: str, shown: Iterable[View]) -> list[Found]:
    """Find home directories in a text as it is stored, and as its views show it."""
    found = list(homes(text))
    for view in shown if is_disguised(text) else ():
        if view.text != text:
            found += (_stored(view, each) for each in homes(view.text))
    return found


def _people(shown: Iterable[View]) -> list[Found]:
    return [_stored(view, each) for view in shown for each in people(view.text)]


def _stored(view: View, found: Found) -> Found:
    return Found(*view.origin(found.start, found.end), found.name)


def mapped_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Apply `change` to every text in plain data of our own making, whose depth is known."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [mapped_texts(item, change) for item in value]
    if isinstance(value, dict):
        return {key: mapped_texts(item, change) for key, item in value.items()}
    return value
