"""Text as JavaScript prints it: `JSON.stringify`, `String(v)`, numbers, and UTF-16 cuts.

The texts that models read were specified by what a JavaScript program prints, so these are their format.
"""

import math
import re
from collections.abc import Mapping, Sequence
from itertools import islice
from json.encoder import encode_basestring
from typing import Any

MAX_DEPTH = 200
"""Containers nested deeper are named, not printed: the recursion stays clear of the interpreter's limit."""
TOO_DEEP = "[nested too deeply]"

_SURROGATE = re.compile("[\ud800-\udfff]")
_MAYBE_INDEX = re.compile(r"(?:\A|\x00)[0-9]", re.ASCII)
_ARRAY_INDEX = re.compile(r"(?:0|[1-9]\d{0,9})\Z", re.ASCII)
_MAX_ARRAY_INDEX = 2**32 - 2
_DIGITS_BEFORE_EXPONENT = 21
_SMALLEST_PLAIN_EXPONENT = -6


def json_stringify(value: Any, indent: int = 2) -> str:
    """Print a value as `JSON.stringify(value, null, indent)` does; `indent` in spaces, 0 for one line.

    A value without a form in JSON is printed as the string that it converts to.
    """
    out: list[str] = []
    _write(value, " " * indent, "", out, 0)
    return "".join(out)


def js_string(value: Any) -> str:
    """Convert a value as `String(value)` does: lists joined by commas, objects as their tag."""
    return _string(value, 0)


def js_number(value: int | float) -> str:
    """Print a number as JavaScript does; whole numbers beyond 2**53 lose their last digits."""
    number = _double(value)
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number == 0:
        return "0"
    sign = "-" if number < 0 else ""
    return sign + _place_point(*_shortest_digits(abs(number)))


def js_entries(value: Mapping[Any, Any], most: int | None = None) -> list[tuple[str, Any]]:
    """Return the members in JavaScript's order: array indices ascending, then the others as inserted.

    `most` limits their number.
    """
    if _is_in_order(value):
        return list(islice(value.items(), most))
    members = {_string(key, 0): item for key, item in value.items()}
    indices = {key for key in members if _ARRAY_INDEX.match(key) and int(key) <= _MAX_ARRAY_INDEX}
    rest = [key for key in members if key not in indices]
    return [(key, members[key]) for key in [*sorted(indices, key=int), *rest][:most]]


def _is_in_order(value: Mapping[Any, Any]) -> bool:
    """Return whether the members are certainly in JavaScript's order, by a quick check."""
    try:
        return _MAYBE_INDEX.search("\0".join(value)) is None
    except TypeError:  # a key that is not a string
        return False


def utf16_length(text: str) -> int:
    """Return the length in UTF-16 units, which is `text.length` in JavaScript."""
    return len(text) + sum(character > "\uffff" for character in text)


def utf16_cut(text: str, units: int) -> str:
    """Return the first UTF-16 units, as `text.substring(0, units)`; a cut pair leaves a lone surrogate."""
    head = text[:units]
    if head.isascii() or max(head) <= "\uffff":
        return head
    return head.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "surrogatepass")


def _write(value: Any, step: str, pad: str, out: list[str], depth: int) -> None:
    if isinstance(value, str):
        out.append(_quote(value))
    elif isinstance(value, Mapping):
        entries = js_entries(value)
        labels = [f"{_quote(key)}:{' ' if step else ''}" for key, _ in entries]
        _write_container("{}", labels, [item for _, item in entries], step, pad, out, depth)
    elif isinstance(value, list | tuple):
        _write_container("[]", [""] * len(value), value, step, pad, out, depth)
    else:
        out.append(_scalar(value))


def _write_container(
    brackets: str, labels: list[str], values: Sequence[Any], step: str, pad: str, out: list[str], depth: int
) -> None:
    if not labels:
        out.append(brackets)
        return
    if depth >= MAX_DEPTH:
        out.append(_quote(TOO_DEEP))
        return
    inner = f"\n{pad}{step}" if step else ""
    out.append(brackets[0])
    for position, (label, value) in enumerate(zip(labels, values, strict=True)):
        out.append(f"{',' if position else ''}{inner}{label}")
        _write(value, step, pad + step, out, depth + 1)
    out.append(f"\n{pad}{brackets[1]}" if step else brackets[1])


def _scalar(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return js_number(value) if math.isfinite(_double(value)) else "null"
    return _quote(str(value))


def _quote(text: str) -> str:
    quoted = encode_basestring(text)  # what `json.dumps` calls, without the encoder it makes each time
    if quoted.isascii() or not _SURROGATE.search(quoted):
        return quoted
    paired = quoted.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", paired)


def _string(value: Any, depth: int) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return js_number(value)
    if isinstance(value, Mapping):
        return "[object Object]"
    if isinstance(value, list | tuple):
        if depth >= MAX_DEPTH:
            return TOO_DEEP
        return ",".join("" if item is None else _string(item, depth + 1) for item in value)
    return str(value)


def _double(value: int | float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _shortest_digits(number: float) -> tuple[str, int]:
    """Split a positive number into its shortest digits and the place of the point behind the first."""
    mantissa, _, exponent = repr(number).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    return digits.rstrip("0"), point


def _place_point(digits: str, point: int) -> str:
    """Arrange digits as ECMAScript's Number::toString does; the value is 0.digits times 10**point."""
    if len(digits) <= point <= _DIGITS_BEFORE_EXPONENT:
        return digits + "0" * (point - len(digits))
    if 0 < point <= _DIGITS_BEFORE_EXPONENT:
        return f"{digits[:point]}.{digits[point:]}"
    if _SMALLEST_PLAIN_EXPONENT < point <= 0:
        return f"0.{'0' * -point}{digits}"
    mantissa = digits[0] + (f".{digits[1:]}" if len(digits) > 1 else "")
    return f"{mantissa}e{point - 1:+d}"
