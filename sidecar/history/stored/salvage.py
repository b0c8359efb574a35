"""Split a damaged JSON array into its elements, in linear time and without recursion."""

import itertools
import json
import re
from typing import Any, Final, NamedTuple

import msgspec

from sidecar.patterns import compiled

_STRING: Final = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+'
_NO_MARK: Final = rb'[^"\[\]{}]*+'
_FLAT: Final = rb"[\[{]" + _NO_MARK + rb"(?:" + _STRING + rb'"' + _NO_MARK + rb")*+[\]}]"
_NESTED: Final = (
    rb"[\[{]" + _NO_MARK + rb"(?:(?:" + _STRING + rb'"|' + _FLAT + rb")" + _NO_MARK + rb")*+[\]}]"
)
_PLAIN: Final = rb'[^"\[\]{},]*+(?:(?:' + _STRING + rb'"|' + _NESTED + rb')[^"\[\]{},]*+)*+'
"""Strings, containers two levels deep at most, and what is between them. Nothing here backtracks."""
_COMMAS: Final = rb",[\s,]*+"
_PLAIN_ELEMENT: Final = compiled(rb"(" + _PLAIN + rb")" + _COMMAS, re.DOTALL)
_PLAIN_ELEMENTS: Final = compiled(rb"(?:" + _PLAIN + _COMMAS + rb")*+", re.DOTALL)
_PLAIN_ELEMENT_OR_REST: Final = compiled(rb"(" + _PLAIN + rb"),|.++", re.DOTALL)
_FEW_BYTES: Final = 4
"""For each comma; where they are fewer, there are too many empty elements to check each."""
_MARK: Final = compiled(
    _PLAIN + rb"(?:(" + _COMMAS + rb")|([\[{]++)|([\]}]++)|" + _STRING + rb"\\?\Z|\Z)", re.DOTALL
)
"""What ends a plain stretch: commas, opening or closing brackets, an unfinished string, or the end."""
_AT_END, _AT_COMMAS, _AT_OPENING, _AT_CLOSING = 0, 1, 2, 3
_MARKS: Final = 64
"""After this many marks of an element, and this deep in it, whole stretches may be skipped."""
_STRETCH: Final = compiled(rb'(?:[^"]{1,256}+|' + _STRING + rb'"){1,32}+', re.DOTALL)
_STRINGS: Final = compiled(_STRING + rb'"', re.DOTALL)
_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))
_array: Final = msgspec.json.Decoder(list[msgspec.Raw])
_BRACKET: Final = compiled(_STRING + rb'"|([\[{])|([\]}])', re.DOTALL)
_DEEPEST: Final = 200
"""How many levels are kept of a value that is nested too deeply: no writer nests a tenth of that."""
_SURROGATE: Final = compiled("[\ud800-\udfff]")
_LONGEST_INTEGER = 18
"""Digits that surely fit 64 bits; a longer number is read as a float, as JavaScript does."""


class Elements(NamedTuple):
    """The elements of an array as bytes; `closed` is whether its end was found, `tail` what follows it."""

    parts: list[bytes]
    closed: bool
    tail: bytes
    whole: int
    """Number of leading `parts` that were ended by a comma or the closing bracket."""


def split(data: bytes) -> Elements | None:
    """Split the array that `data` starts with; None when it starts with none. Elements are not checked."""
    if not data.startswith(b"["):
        return None
    try:
        whole = [bytes(part) for part in _array.decode(data)]
    except (msgspec.MsgspecError, RecursionError):
        return _scan(data)
    return Elements(whole, True, b"", len(whole))


def _scan(data: bytes) -> Elements:
    """Split an array that no decoder takes as one."""
    parts: list[bytes] = []
    plain_elements = _compact_elements if data.count(b",") * _FEW_BYTES <= len(data) else _plain_elements
    start = 1
    while True:
        found, end = plain_elements(data, start)
        parts += filter(None, map(bytes.strip, found))
        element, after, mark = _skip(data, end)
        whole = len(parts)
        if element := element.strip():
            parts.append(element)
        if mark == _AT_CLOSING:
            return Elements(parts, True, data[after:].strip(), len(parts))
        if mark == _AT_END:
            return Elements(parts, False, b"", whole)
        start = after


def _plain_elements(data: bytes, start: int) -> tuple[list[bytes], int]:
    """Return the plain elements from `start`, and the offset of the first that is not plain."""
    found = _PLAIN_ELEMENTS.match(data, start)
    assert found is not None  # it also matches nothing
    return _PLAIN_ELEMENT.findall(data, start, found.end()), found.end()


def _compact_elements(data: bytes, start: int) -> tuple[list[bytes], int]:
    """Return the same in two thirds of the time, but with an empty element between two commas."""
    found = _PLAIN_ELEMENT_OR_REST.findall(data, start)
    end = start + sum(map(len, found)) + len(found)
    if not found or (end == len(data) and data.endswith(b",")):
        return found, end
    return found[:-1], end - 1  # the last one is the rest, without its content


def _skip(data: bytes, start: int) -> tuple[bytes, int, int]:
    """Return one element of any depth: its bytes, the offset after the mark that ended it, and the mark."""
    depth, after = 1, start
    for marks in itertools.count(1):
        if marks % _MARKS == 0 and depth > _MARKS:
            after, depth = _skip_stretches(data, after, depth)
        match = _MARK.match(data, after)
        mark = match.lastindex or _AT_END if match is not None else _AT_END
        if match is None or mark == _AT_END:
            return data[start:], len(data), _AT_END
        at, after = match.span(mark)
        if mark == _AT_OPENING:
            depth += after - at
        elif mark == _AT_COMMAS and depth == 1:
            return data[start:at], after, mark
        elif mark == _AT_CLOSING:
            depth -= after - at
            if depth <= 0:
                return data[start : after + depth - 1], after + depth, mark
    raise AssertionError("unreachable: the end of the text counts as a mark")


def _skip_stretches(data: bytes, start: int, depth: int) -> tuple[int, int]:
    """Skip stretches that close too few brackets to end the element; return the new offset and depth."""
    while (stretch := _STRETCH.match(data, start)) is not None:
        brackets = _STRINGS.sub(b"", stretch[0]).translate(None, _NO_BRACKETS)
        opened = brackets.count(b"[") + brackets.count(b"{")
        closed = len(brackets) - opened
        if closed >= depth - 1:
            break
        start, depth = stretch.end(), depth + opened - closed
    return start, depth


def repair(element: str) -> bytes | None:
    """Rewrite one JSON value so that a strict decoder takes it; None when it cannot be read at all.

    Lone surrogates become U+FFFD; numbers out of range, NaN and what is nested too deep for a decoder become
    null; raw control characters pass.
    """
    try:
        value = _decode(element)
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return None
    return _SURROGATE.sub("\ufffd", text).encode()


def _decode(element: str) -> Any:
    try:
        return _lenient.decode(element)
    except RecursionError:
        return _lenient.decode(flatten(element))


def flatten(element: str) -> str:
    """Replace every container that is deeper than `_DEEPEST` by null."""
    text = element.encode("utf-8", "surrogatepass")
    parts: list[bytes] = []
    at = depth = kept = 0
    while (token := _BRACKET.search(text, at)) is not None:
        at = token.end()
        if token[1]:
            depth += 1
            if depth == _DEEPEST + 1:
                parts += (text[kept : token.start()], b"null")
                at, levels = _skip_stretches(text, at, 2)
                depth = _DEEPEST + levels - 1
        elif token[2]:
            depth -= 1
            if depth == _DEEPEST:
                kept = at
    if depth > _DEEPEST:
        return element
    return b"".join([*parts, text[kept:]]).decode("utf-8", "surrogatepass")


def _integer(digits: str) -> int | float | None:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else _real(digits)


def _real(digits: str) -> float | None:
    number = float(digits)
    return number if abs(number) != float("inf") else None


def _no_constant(_name: str) -> None:
    return None


_lenient = json.JSONDecoder(strict=False, parse_int=_integer, parse_float=_real, parse_constant=_no_constant)
