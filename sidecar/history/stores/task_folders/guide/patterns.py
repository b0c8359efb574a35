"""The guide's regular expressions as searches that are linear in any text.

Matched literally they backtrack for minutes over a hostile megabyte. Each search here finds what the
JavaScript expression finds: `.` stops at the four line terminators, `\\d` is ASCII, the leftmost match
wins. Sources: the expressions of `extractTaskTitle`, `extractModeInfo`, `calculateTokenUsage` and
`extractWorkspaceDir` in the implementation guide.
"""

import re
from typing import NamedTuple

_LINE_TERMINATORS = ("\n", "\r", "\u2028", "\u2029")
_HEADING = "Current Workspace Directory ("
USAGE_MARK = '"tokensIn":'
"""Part of every text with a usage."""
_USAGE_HEAD = re.compile(r'"tokensIn":([0-9]+),"tokensOut":([0-9]+)')
_USAGE_COST = re.compile(r'"cost":([0-9.]+)')


class Usage(NamedTuple):
    """The digits of one request's usage as written."""

    tokens_in: str
    tokens_out: str
    cost: str


class _Span(NamedTuple):
    start: int
    end: int


def find_task(text: str) -> str | None:
    """Find `<task>(.*?)</task>`, over lines; None without a match."""
    start = text.find("<task>") + len("<task>")
    end = text.find("</task>", start) if start >= len("<task>") else -1
    return text[start:end] if end >= 0 else None


def find_mode(text: str) -> tuple[str, str] | None:
    """Find a `<slug>` followed by a `<name>`, each closed on its own line."""
    slug = _find_element(text, "<slug>", "</slug>", 0) if "<slug>" in text else None
    name = slug and _find_element(text, "<name>", "</name>", slug.end + len("</slug>"))
    return (text[slug.start : slug.end], text[name.start : name.end]) if slug and name else None


def find_workspace(text: str) -> str | None:
    """Find what is in the brackets of a workspace heading, which must be something."""
    at = text.find(_HEADING)
    while at >= 0:
        start = at + len(_HEADING)
        end = text.find(")", start)
        if end != start:
            return text[start:end] if end >= 0 else None
        at = text.find(_HEADING, start)
    return None


def find_usage(text: str) -> Usage | None:
    """Find the first usage whose cost is on the line of its token counts."""
    head = _USAGE_HEAD.search(text)
    while head is not None:
        cost = _USAGE_COST.search(text, head.end())
        if cost is None:
            return None
        line = _line_start(text, head.end(), cost.start())
        if line == head.end():
            return Usage(head[1], head[2], cost[1])
        head = _USAGE_HEAD.search(text, line)
    return None


def _find_element(text: str, opening: str, closing: str, start: int) -> _Span | None:
    """Find the inside of the first element from `start` on that opens and closes on one line."""
    at = text.find(opening, start)
    while at >= 0:
        inside = at + len(opening)
        end = text.find(closing, inside)
        if end < 0:
            return None
        line = _line_start(text, inside, end)
        if line == inside:
            return _Span(inside, end)
        at = text.find(opening, line)
    return None


def _line_start(text: str, start: int, end: int) -> int:
    """Return where the line that reaches `end` begins, `start` if that is the same line."""
    if text[start:end].isprintable():  # line terminators are not
        return start
    return max(start, *(text.rfind(terminator, start, end) + 1 for terminator in _LINE_TERMINATORS))
