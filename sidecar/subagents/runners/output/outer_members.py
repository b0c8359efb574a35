"""Find the outer members of a message that is too large or nested too deep to be parsed. No I/O."""

import re
from typing import Any

from sidecar.subagents.runners.output.text import load_line

FRONT_BYTES = 64 * 1024
"""How much of the start of a message is examined, since an examination is slow."""
BACK_BYTES = 4 * 1024
"""How much of its end is examined."""
_MARK = re.compile(rb'\\.|["\[\]{}]', re.DOTALL)
_TEXT = rb'"(?:[^"\\]|\\.)*"'
_PAIR = _TEXT + rb"\s*:\s*(?:" + _TEXT + rb"|[\w.+-]+)\s*"
_LEADING = re.compile(rb"[{,]\s*(" + _PAIR + rb")(?=[,}])", re.DOTALL)
_TRAILING = re.compile(rb",(\s*" + _PAIR + rb"(?:,\s*" + _PAIR + rb")*)\}\Z", re.DOTALL)


def outer_members(front: bytes, back: bytes) -> dict[str, Any]:
    """Return the plain members near both ends of a JSON object; objects and lists are null or missing.

    `front` is how the object begins and `back` how it ends; they may overlap.
    """
    leading = _LEADING.findall(_flat(front[:FRONT_BYTES]))
    trailing = _TRAILING.search(back[-BACK_BYTES:])
    found = load_line(b"{" + b",".join([*leading, *((trailing[1],) if trailing else ())]) + b"}")
    return found if isinstance(found, dict) else {}


def _flat(front: bytes) -> bytes:
    """Return an object's start in which null stands for members that are objects or lists."""
    kept, start, level, in_text = bytearray(), 0, 0, False
    for found in _MARK.finditer(front):
        mark = found[0]
        if mark == b'"':
            in_text = not in_text
        elif in_text or mark[:1] == b"\\":
            continue
        elif mark in b"{[":
            level += 1
            if level == 2:
                kept += front[start : found.start()] + b"null"
        else:
            level -= 1
            start = found.end() if level == 1 else start
    return bytes(kept + (b"," if level > 1 else front[start:]))
