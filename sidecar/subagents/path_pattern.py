"""Patterns of paths, part by part: `*` within a name, `**` over any number of folders."""

import fnmatch
import functools


@functools.lru_cache(10_000)
def fits(parts: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """Tell whether a path fits; a `**` at the end stands for one part at least."""
    if not pattern:
        return not parts
    if pattern[0] == "**":
        return fits(parts, pattern[1:]) or (bool(parts) and (len(pattern) == 1 or fits(parts[1:], pattern)))
    return bool(parts) and fnmatch.fnmatchcase(parts[0], pattern[0]) and fits(parts[1:], pattern[1:])
