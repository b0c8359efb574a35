"""Find which of many fixed words a text may contain, using a cache of words."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate
from typing import Any, Final

_KEPT: Final = b"0123456789abcdefghijklmnopqrstuvwxyz_.-"
_TABLE: Final = bytes(code + 32 if 65 <= code <= 90 else code if code in _KEPT else 32 for code in range(256))
"""Lowers the case, and replaces every character that inner words cannot have by a blank."""
_INNER: Final = re.compile(r"[a-z0-9_.-]+")
_MOST: Final = 200_000
"""The most cached words."""
_LONGEST: Final = 200
"""The longest cached word, in bytes."""


class WordFilter:
    """Find the words that a text may contain, without missing one. Words are in lower case."""

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
        self._full: dict[str, list[str]] = {}
        for longest in self._inner:
            starts = (inner for inner in self._inner if longest.startswith(inner))
            self._full[longest] = [word for inner in starts for word in self._inner[inner]]
        self._clean: set[bytes] = set()
        self._found: dict[bytes, set[str]] = {}

    def candidates(self, lowered: str) -> set[str]:
        """Return the words that a text in lower case may hold."""
        words = set(lowered.encode("utf-8", "surrogatepass").translate(_TABLE).split())
        words -= self._clean
        found = set()
        for bare in self._bare:
            if bare[0] in lowered and bare in lowered:
                found.add(bare)
        known = words & self._found.keys()
        for word in known:
            found.update(self._found[word])
        found.update(self._learn(words - known))
        return found

    def _learn(self, words: set[bytes]) -> set[str]:
        """Return and cache the fixed words in new words. Few contain any, so one search reads them all."""
        if len(self._clean) + len(self._found) + len(words) > _MOST:
            self._clean.clear()
            self._found.clear()
        listed = sorted(words)
        text = b" ".join(listed).decode()
        ends = list(accumulate(len(word) + 1 for word in listed))
        held: dict[bytes, set[str]] = {}
        for match in self._regex.finditer(text) if self._regex else ():
            word = listed[bisect_right(ends, match.start())]
            held.setdefault(word, set()).update(self._full[match[1]])
        self._clean.update(word for word in words if word not in held and len(word) <= _LONGEST)
        self._found.update((word, each) for word, each in held.items() if len(word) <= _LONGEST)
        return set().union(*held.values())


_END: Final = ""


def any_of(words: Iterable[str]) -> re.Pattern[str]:
    """Compile a pattern with an empty match where a word starts; its group 1 is the longest such word.

    Words share prefixes in the pattern, so that most places of a text cost a single step.
    """
    root: dict[str, Any] = {}
    for word in words:
        node = root
        for char in word:
            node = node.setdefault(char, {})
        node[_END] = {}
    return re.compile(f"(?=({_spelled(root)}))")


def _spelled(node: dict[str, Any]) -> str:
    branches = [re.escape(char) + _spelled(rest) for char, rest in node.items() if char != _END]
    if not branches:
        return ""
    spelled = branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"
    return f"(?:{spelled})?" if _END in node else spelled
