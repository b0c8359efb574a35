"""Find many fixed words in a single pass through a text."""

import re
from collections.abc import Iterable
from typing import Any, Final

_END: Final = ""


def any_of(words: Iterable[str]) -> re.Pattern[str]:
    """Compile a pattern that matches nothing where a word starts and whose group 1 is the longest of them.

    The words share their beginnings in the pattern, so that few places of a text cost more than one step.
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
