"""Split a damaged JSON array into its elements, in linear time and without recursion."""

import json
import re
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[{]++|[\]}]++|,', re.DOTALL)
"""Strings (an unfinished one runs to the end), runs of brackets, commas. Possessive: nothing backtracks."""
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_LONGEST_INTEGER = 18
"""Digits that surely fit 64 bits; a longer number is read as a float, as JavaScript does."""


class Elements(NamedTuple):
    """The elements of an array as bytes; `closed` tells whether its end was found, `tail` what follows it."""

    parts: list[bytes]
    closed: bool
    tail: bytes
    whole: int
    """Number of leading `parts` that were ended by a comma or the closing bracket."""


def split(data: bytes) -> Elements | None:
    """Split the array that `data` starts with; None when it starts with none. Elements are not checked."""
    if not data.startswith(b"["):
        return None
    parts: list[bytes] = []
    depth, start = 0, 1
    for token in _TOKEN.finditer(data):
        mark, position = data[token.start()], token.start()
        if mark in b"[{":
            depth += token.end() - position
        elif mark in b"]}":
            depth -= token.end() - position
            if depth <= 0:
                end = token.end() - 1 + depth
                _append(parts, data[start:end])
                return Elements(parts, True, data[end + 1 :].strip(), len(parts))
        elif mark == 0x2C and depth == 1:
            _append(parts, data[start:position])
            start = position + 1
    whole = len(parts)
    _append(parts, data[start:])
    return Elements(parts, False, b"", whole)


def _append(parts: list[bytes], element: bytes) -> None:
    if element := element.strip():
        parts.append(element)


def mend(element: str) -> bytes | None:
    """Rewrite one JSON value so that a strict decoder takes it; None when it cannot be read at all.

    Lone surrogates become U+FFFD, numbers out of range and NaN become null, raw control characters pass.
    """
    try:
        value = _lenient.decode(element)
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return None
    return _SURROGATE.sub("\ufffd", text).encode()


def _integer(digits: str) -> int | float | None:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else _real(digits)


def _real(digits: str) -> float | None:
    number = float(digits)
    return number if abs(number) != float("inf") else None


def _no_constant(_name: str) -> None:
    return None


_lenient = json.JSONDecoder(strict=False, parse_int=_integer, parse_float=_real, parse_constant=_no_constant)
