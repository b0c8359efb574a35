"""Patterns of paths, part by part: `*`, `?` and `[...]` within a name, `**` over any number of folders."""

import fnmatch
from collections.abc import Sequence

MAX_PARTS = 32
"""Parts of a pattern: matching takes the parts of the path times those of the pattern."""


def fits(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Tell whether a path fits; a `**` at the end stands for one part at least."""
    return len(parts) in _ends(parts, pattern)


def fits_above(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Tell whether a path or a folder above it fits."""
    return any(end > 0 for end in _ends(parts, pattern))


def covers(parts: Sequence[str], wild: Sequence[str], pattern: Sequence[str]) -> bool:
    """Tell whether `parts` fit with everything that the pattern `wild` matches below them; False in doubt."""
    return any(end > 0 for end in _ends((*parts, *wild), pattern, len(parts)))


def _ends(parts: Sequence[str], pattern: Sequence[str], plain: int | None = None) -> set[int]:
    """Return for how many first parts of the path the whole pattern can stand.

    The parts from `plain` on are a pattern themselves.
    """
    ends = {0}
    first_wild = len(parts) if plain is None else plain
    for at, wanted in enumerate(pattern):
        if wanted == "**" and tuple(pattern[at + 1 : at + 2]) == ("**",):
            continue  # the next one stands for as much
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
    """Tell whether each name that fits `wild` fits `wanted`: a `*` takes any letters, wildcards too."""
    return "**" not in wild and not set("?[]{}()\\") & set(wanted) and fnmatch.fnmatchcase(wild, wanted)
