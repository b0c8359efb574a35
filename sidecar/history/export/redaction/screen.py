"""Tells which of many fixed words a text may hold, from its words: most were seen before."""

import re
from collections.abc import Iterable
from typing import Final

from sidecar.history.export.redaction.keywords import any_of

_KEPT: Final = b"0123456789abcdefghijklmnopqrstuvwxyz_.-"
_TABLE: Final = bytes(code + 32 if 65 <= code <= 90 else code if code in _KEPT else 32 for code in range(256))
"""Lower case; everything that the inner words of `Screen` lack is a blank."""
_INNER: Final = re.compile(r"[a-z0-9_.-]+")
_MOST: Final = 200_000
"""Words remembered at once."""
_LONGEST: Final = 200
"""Longest word worth remembering, in bytes."""


class Screen:
    """Answer which words a text may hold; never misses one. Words are in lower case."""

    def __init__(self, words: Iterable[str]) -> None:
        self._inner: dict[str, list[str]] = {}
        self._bare = []
        for word in words:
            inner = max(_INNER.findall(word), key=len, default="")
            if len(inner) > 1:
                self._inner.setdefault(inner, []).append(word)
            else:
                self._bare.append(word)
        self._regex = any_of(sorted(self._inner)) if self._inner else None
        self._starts: dict[str, list[str]] = {}
        for inner in self._inner:
            self._starts[inner] = [each for each in self._inner if inner.startswith(each)]
        self._clean: set[bytes] = set()
        self._found: dict[bytes, tuple[str, ...]] = {}

    def candidates(self, lowered: str) -> set[str]:
        """Return the words that a text in lower case may hold."""
        words = set(lowered.encode("utf-8", "surrogatepass").translate(_TABLE).split())
        words -= self._clean
        found = set()
        for bare in self._bare:
            if bare in lowered:
                found.add(bare)
        for word in words:
            held = self._found.get(word)
            if held is None:
                held = self._learn(word)
            found.update(held)
        return found

    def _learn(self, word: bytes) -> tuple[str, ...]:
        inner = {match[1] for match in self._regex.finditer(word.decode())} if self._regex else set()
        held = tuple(
            full for longest in inner for each in self._starts[longest] for full in self._inner[each]
        )
        if len(word) <= _LONGEST:
            if len(self._clean) + len(self._found) >= _MOST:
                self._clean.clear()
                self._found.clear()
            if held:
                self._found[word] = held
            else:
                self._clean.add(word)
        return held
