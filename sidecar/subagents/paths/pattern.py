"""Matches paths part by part: `*`, `?` and `[...]` within a name, `**` across any number of folders."""

import fnmatch
from collections.abc import Sequence

MAX_PARTS = 32
"""Most parts of a pattern: matching takes time in proportion to path parts times pattern parts."""


def fits(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Return whether a path matches; a `**` at the end matches at least one part."""
    return len(parts) in _ends(parts, pattern)


def fits_above(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Return whether a path or a folder above it matches."""
    return any(end > 0 for end in _ends(parts, pattern))


def covers(parts: Sequence[str], wild: Sequence[str], pattern: Sequence[str]) -> bool:
    """Return whether `parts` with everything that `wild` matches below them match; False in doubt."""
    return any(end > 0 for end in _ends((*parts, *wild), pattern, len(parts)))


def _ends(parts: Sequence[str], pattern: Sequence[str], plain: int | None = None) -> set[int]:
    """Return the numbers of leading parts of the path that the whole pattern matches.

    The parts from `plain` on are themselves a pattern.
    """
    ends = {0}
    first_wild = len(parts) if plain is None else plain
    for at, wanted in enumerate(pattern):
        if wanted == "**" and tuple(pattern[at + 1 : at + 2]) == ("**",):
            continue  # the next one matches as much
        if wanted == "**":
            ends = set(range(min(ends) + (at == len(pattern) - 1), len(parts) + 1))
        else:
            ends = {
                end + 1
                for end in ends
                if end < len(parts) and (_is_named if end < first_wild else _is_covered)(parts[end], wanted)
            }
        if not ends:
            break
    return ends


def _is_named(part: str, wanted: str) -> bool:
    return part == wanted or fnmatch.fnmatchcase(part, wanted)


def _is_covered(wild: str, wanted: str) -> bool:
    """Return whether each name that fits `wild` fits `wanted`: a `*` takes any letters, wildcards too."""
    return "**" not in wild and not set("?[]{}()\\") & set(wanted) and fnmatch.fnmatchcase(wild, wanted)
