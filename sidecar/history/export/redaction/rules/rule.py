"""What a rule is, and the rules of gitleaks, read from the data file in this folder."""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, Final

from sidecar.history.export.redaction.spans import Span
from sidecar.patterns import compiled

LEFT: Final = "(?<![A-Za-z0-9])"
"""Where a word begins."""
GLUED: Final = rf"(?:{LEFT}|(?=[\w.~$+/=-]{{20}})(?=(?:[A-Za-z_.~$+/=-]{{0,40}}[0-9]){{2}}))"
"""Where a word begins, or where a long generated one follows other letters."""
_BEFORE: Final = 120
"""Most characters of a secret in front of a keyword in its middle."""
_BEHIND: Final = 300
_RIGHT_EDGE: Final = "(?![A-Za-z0-9])"
_DATA: Final = "gitleaks.json"


def _anything(_: str) -> bool:
    return True


@dataclass(frozen=True)
class Rule:
    """One kind of secret. Its pattern is tried where the lower-cased text has one of its keywords.

    With `scan`, the pattern is searched for around the keywords, and with `far` in the whole text that has
    one. A rule without keywords is searched for in every text that matches `needs`, which the engine finds
    quickly. The secret is `group`, else the first group that matched, else the whole match, if `holds`
    accepts it.
    """

    kind: str
    pattern: str
    keywords: tuple[str, ...] = ()
    group: int = 0
    scan: bool = False
    far: bool = False
    holds: Callable[[str], bool] = _anything
    allow_match: tuple[str, ...] = ()
    needs: str = ""

    @cached_property
    def _regex(self) -> re.Pattern[str]:
        return compiled(self.pattern, re.ASCII)

    @cached_property
    def _cut_regex(self) -> re.Pattern[str]:
        return compiled(self.pattern.replace(_RIGHT_EDGE, ""), re.ASCII)

    @cached_property
    def _needed(self) -> re.Pattern[str]:
        return re.compile(self.needs, re.ASCII)

    @cached_property
    def _allowed(self) -> tuple[re.Pattern[str], ...]:
        return tuple(re.compile(each, re.ASCII) for each in self.allow_match)

    def at(self, text: str, place: int, rank: int, *, cut: bool = False) -> Span | None:
        """Match at `place`. In a `cut` text anything may follow the secret."""
        match = (self._cut_regex if cut else self._regex).match(text, place)
        return self._span(match, rank) if match else None

    def everywhere(self, text: str, rank: int) -> list[Span]:
        """Find every secret in a text."""
        if self.needs and not self._needed.search(text):
            return []
        found = (self._span(match, rank) for match in self._regex.finditer(text))
        return [span for span in found if span]

    def around(self, text: str, places: Sequence[int], rank: int) -> Iterator[Span]:
        """Yield every secret around keywords at ascending places; each part of the text is searched once."""
        start = end = 0
        for place in (*places, len(text) + _BEFORE + _BEHIND):
            if end and place - _BEFORE > end:
                found = (self._span(match, rank) for match in self._regex.finditer(text, start, end))
                yield from (span for span in found if span)
                end = 0
            if not end:
                start = max(0, place - _BEFORE)
            end = place + _BEHIND

    def _span(self, match: re.Match[str], rank: int) -> Span | None:
        group = self.group or next((n for n, value in enumerate(match.groups(), 1) if value), 0)
        if not self.holds(match[group]) or any(each.search(match[0]) for each in self._allowed):
            return None
        return Span(*match.span(group), self.kind, rank)


@dataclass(frozen=True)
class _Likeness:
    """What gitleaks requires besides the form: bits of entropy per character, and no known text."""

    entropy: float
    patterns: tuple[re.Pattern[str], ...]
    words: tuple[str, ...]

    def __call__(self, secret: str) -> bool:
        if entropy(secret) < self.entropy or any(each.search(secret) for each in self.patterns):
            return False
        lowered = secret.lower()
        return not any(word in lowered for word in self.words)


def entropy(text: str) -> float:
    """Return Shannon's entropy of a text in bits a character."""
    size = len(text)
    return -sum(n / size * math.log2(n / size) for n in Counter(text).values())


@cache
def gitleaks_rules() -> tuple[Rule, ...]:
    """Read the rules of gitleaks; scripts/redaction_rules.py wrote them."""
    data = json.loads(files(__package__).joinpath(_DATA).read_bytes())
    general = tuple(re.compile(each, re.ASCII) for each in data["allow"]["patterns"])
    return tuple(_rule(entry, general, data["allow"]["words"]) for entry in data["rules"])


def _rule(entry: dict[str, Any], general: tuple[re.Pattern[str], ...], words: list[str]) -> Rule:
    holds: Callable[[str], bool] = _anything
    if "entropy" in entry or "allow" in entry or "allowWords" in entry:
        own = tuple(re.compile(each, re.ASCII) for each in entry.get("allow", ()))
        holds = _Likeness(entry.get("entropy", 0), general + own, (*words, *entry.get("allowWords", ())))
    return Rule(
        kind=entry["kind"],
        pattern=entry["pattern"].replace(LEFT, GLUED),
        keywords=tuple(entry["keywords"]),
        group=entry.get("group", 0),
        scan=entry.get("scan", False),
        far=entry.get("far", False),
        holds=holds,
        allow_match=tuple(entry.get("allowMatch", ())),
    )
