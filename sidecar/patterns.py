"""Regular expressions with possessive repeats, for every version of Python."""

import re
import sys
from typing import AnyStr, Final

_IS_SOUND: Final = sys.version_info >= (3, 11, 5)
_PART: Final = re.compile(
    r"(?P<set>\\.|\[\^?(?:\\.|.)(?:\\.|[^\]\\])*\])|(?P<opening>\()|\)(?P<repeat>[*+?]|\{[0-9]*(?:,[0-9]*)?\})?(?P<mark>\+)?",
    re.DOTALL,
)


def compiled(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Compile a pattern that has a possessive repeat of a group, such as `(?:a|b)*+`.

    Before Python 3.11.5 such a repeat misses matches where the group can backtrack (python/cpython#106052),
    so there it becomes an atomic group, which needs memory in proportion to the number of repeats.
    """
    return re.compile(pattern if _IS_SOUND else with_atomic_groups(pattern), flags)


def with_atomic_groups(pattern: AnyStr) -> AnyStr:
    """Replace possessive repeats of groups with greedy ones in atomic groups; not for `re.VERBOSE`."""
    if isinstance(pattern, bytes):
        return _rewritten(pattern.decode("latin-1")).encode("latin-1")
    return _rewritten(pattern)


def _rewritten(pattern: str) -> str:
    pieces: list[str] = []
    openings: list[int] = []
    end = 0
    for part in _PART.finditer(pattern):
        pieces += pattern[end : part.start()], part[0]
        end = part.end()
        if part["opening"]:
            openings.append(len(pieces) - 1)
        elif part["set"] is None:
            opening = openings.pop()
            if part["repeat"] and part["mark"]:
                pieces[opening] = f"(?>{pieces[opening]}"
                pieces[-1] = f"){part['repeat']})"
    return "".join((*pieces, pattern[end:]))
