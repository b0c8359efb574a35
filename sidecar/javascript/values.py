"""The JavaScript value semantics that the `guide` rules rest on: pure functions over parsed JSON.

A JSON value is a Python one (dict, list, str, int, float, bool, None); `undefined` is `UNDEFINED`. A
string may hold lone surrogates, as in JavaScript. Source: ECMA-262 (2024), and Node 20 where it is silent.
"""

import math
import re
from decimal import ROUND_HALF_UP, Context, Decimal
from struct import iter_unpack
from typing import Final


class Undefined:
    """The type of `UNDEFINED`: a member that is not there."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "undefined"


UNDEFINED: Final = Undefined()

MAX_JOIN_DEPTH = 3_150
"""Nested arrays that Node 20 turns into a string before its stack overflows (measured: 3,152 to 3,156)."""

WHITE_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""What `trim` takes: WhiteSpace and LineTerminator of ECMA-262, so neither U+0085 nor U+001C to 1F."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
_RADIX = re.compile(r"0(?:[xX](?P<x>[0-9a-fA-F]+)|[oO](?P<o>[0-7]+)|[bB](?P<b>[01]+))", re.ASCII)
_LEADING_FLOAT = re.compile(r"[0-9]+\.?[0-9]*|\.[0-9]+", re.ASCII)
_EXACT = Context(prec=400)  # enough for every digit of the largest double and two decimals


class JavaScriptThrow(Exception):
    """JavaScript would throw here; the guide then drops the task."""


def decode(data: bytes) -> str:
    """Decode as `readFile(path, "utf-8")` does: bad bytes become U+FFFD and a byte order mark stays."""
    return data.decode("utf-8", "replace")


def trim(text: str) -> str:
    """Remove what JavaScript regards as white space from both ends."""
    return text.strip(WHITE_SPACE)


def utf16_length(text: str) -> int:
    """Count UTF-16 code units, which is what `.length` does."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf16_prefix(text: str, units: int) -> str:
    """Return the first `units` UTF-16 code units; half of a pair stays as a lone surrogate."""
    head = text[:units]
    if head.isascii():
        return head
    return head.encode("utf-16-le", "surrogatepass")[: units * 2].decode("utf-16-le", "surrogatepass")


def truncate(text: str, limit: int) -> str:
    """Cut a text that is longer than `limit` code units to that length, the last three of them dots."""
    return text if utf16_length(text) <= limit else utf16_prefix(text, limit - 3) + "..."


def well_formed(text: str) -> str:
    """Replace lone surrogates by U+FFFD, as Node does when it writes UTF-8."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def includes(text: str, part: str) -> bool:
    """Return whether `part` occurs in `text` by code units: half of an emoji occurs in the whole one."""
    if part in text:
        return True
    return bool(_SURROGATE.search(part)) and _units(part) in _units(text)


def _units(text: str) -> str:
    return "".join(chr(unit) for (unit,) in iter_unpack("<H", text.encode("utf-16-le", "surrogatepass")))


def to_lower(text: str) -> str:
    """Lower-case by the full Unicode mapping: KELVIN SIGN becomes k, U+0130 becomes i and a dot above.

    Letters that only the newer of Python's and Node's Unicode knows stay as they are.
    """
    return text.lower()


def number(value: float) -> int | float:
    """Return a double as an int if it is a whole number below 2^53, with the same value."""
    return int(value) if abs(value) < 2**53 and value == int(value) else value


def number_to_string(value: int | float) -> str:
    """Print a number as `String(n)`: shortest digits, exponents below 1e-6 and from 1e21 on."""
    if abs(value) < 2**53 and value == int(value):
        return str(int(value))
    double = _double(value)
    if math.isnan(double):
        return "NaN"
    if math.isinf(double):
        return "Infinity" if double > 0 else "-Infinity"
    sign, digits, point = _shortest(double)
    return sign + _place_point(digits, point)


def _place_point(digits: str, point: int) -> str:
    """Put the decimal point `point` digits behind the start, or write an exponent."""
    if len(digits) <= point <= 21:
        return digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    mantissa = digits if len(digits) == 1 else f"{digits[0]}.{digits[1:]}"
    return f"{mantissa}e{point - 1:+d}"


def _shortest(double: float) -> tuple[str, str, int]:
    """Split a finite double into sign, shortest significant digits, and the place of the point."""
    sign, digits, exponent = Decimal(repr(double)).as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    point = len(text) + int(exponent)
    return ("-" if sign else ""), text.rstrip("0"), point


def _double(value: int | float) -> float:
    """Make a double of a parsed number: JSON integers are doubles in JavaScript."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def to_string(value: object) -> str:
    """Convert as `String(v)`; raises JavaScriptThrow where that throws. Never recurses."""
    if isinstance(value, list):
        return ",".join(_leaves(value))
    return _scalar_to_string(value)


def _scalar_to_string(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number_to_string(value)
    if isinstance(value, dict):
        if "toString" in value:  # an own member that is not a function prevents conversion to a primitive
            raise JavaScriptThrow("cannot convert object to primitive value")
        return "[object Object]"
    return "null" if value is None else "undefined"


def _leaves(items: list[object]) -> list[str]:
    """Flatten nested arrays into the parts that their joins print: an empty array is one empty text."""
    found: list[str] = []
    stack: list[tuple[object, int]] = [(items, 1)]
    while stack:
        value, depth = stack.pop()
        if not isinstance(value, list):
            found.append("" if value is None or value is UNDEFINED else _scalar_to_string(value))
        elif depth > MAX_JOIN_DEPTH:
            raise JavaScriptThrow("maximum call stack size exceeded")
        elif value:
            stack.extend((item, depth + 1) for item in reversed(value))
        else:
            found.append("")
    return found


def join(values: list[object], separator: str) -> str:
    """Join as `Array.prototype.join`: null and undefined are empty."""
    return separator.join(
        value if isinstance(value, str) else "" if value is None or value is UNDEFINED else to_string(value)
        for value in values
    )


def to_number(value: object) -> float:
    """Convert as `Number(v)`; raises JavaScriptThrow where that throws."""
    if type(value) is int or type(value) is float:
        return _double(value)
    if value is None or value is False:
        return 0.0
    if value is True:
        return 1.0
    if value is UNDEFINED:
        return math.nan
    return string_to_number(to_string(value))


def string_to_number(text: str) -> float:
    """Read a number as `Number("...")`: NaN for any other text, 0 for a blank one."""
    text = trim(text)
    if not text:
        return 0.0
    if _DECIMAL.fullmatch(text):
        return float(text)
    if text.lstrip("+-") == "Infinity" and len(text) <= 9:
        return -math.inf if text[0] == "-" else math.inf
    match = _RADIX.fullmatch(text)
    if not match:
        return math.nan
    base = {"x": 16, "o": 8, "b": 2}[match.lastgroup or "x"]
    return _double(int(match[match.lastgroup or "x"], base))


def parse_float(digits: str) -> float:
    """Read the number that a text of digits and dots starts with; NaN without one."""
    match = _LEADING_FLOAT.match(digits)
    return float(match[0]) if match else math.nan


def maximum(*values: object) -> float:
    """Compare as `Math.max`: one value that is not a number makes it NaN."""
    numbers = [to_number(value) for value in values]
    return math.nan if any(map(math.isnan, numbers)) else max(numbers)


def round_half_up(value: float) -> float:
    """Round as `Math.round`: halves go up, toward positive infinity."""
    if not math.isfinite(value) or abs(value) >= 2**52:
        return value
    floor = math.floor(value)
    return float(floor + (value - floor >= 0.5))


def to_fixed(value: int | float, places: int) -> str:
    """Print as `toFixed`: exact, ties rounded up; from 1e21 on as `String(n)`."""
    if not math.isfinite(value) or abs(value) >= 1e21:
        return number_to_string(value)
    exact = Decimal(_double(value)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, _EXACT)
    return f"{exact:f}"


def group_digits(value: int | float) -> str:
    """Print a whole number as `toLocaleString()` in en-US: commas every three digits."""
    double = _double(value)
    if not math.isfinite(double):
        return "NaN" if math.isnan(double) else "∞" if double > 0 else "-∞"
    return f"{int(Decimal(repr(double))):,}"
