"""JSON as V8 reads and prints it: what `JSON.parse` accepts, and the output of `JSON.stringify`."""

import json
import re
from collections.abc import Iterator
from typing import Any

import orjson

from sidecar.javascript.json_grammar import is_json
from sidecar.javascript.values import JavaScriptThrow, decode

MAX_STRINGIFY_DEPTH = 4_100
"""Levels of one message that `JSON.stringify` prints before V8's stack overflows.

Measured in Node 20 with its default stack: 4,101 to 4,104 for arrays and objects. `JSON.parse` itself
has no such limit, so a deeper file parses and is dropped a step later, which is the same to a reader.
"""

MAX_DEEP_CHARACTERS = 2_000_000
"""Longest text to read if it is too deep for Python's readers; a million characters take about a second."""

_TOKEN = re.compile(
    r'[ \t\n\r]*(?:(?P<mark>[\[\]{},:])|(?P<string>"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*")'
    r"|(?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|(?P<word>true|false|null)|(?P<end>\Z))",
    re.ASCII,
)
_WORDS = {"true": True, "false": False, "null": None}
_SURROGATE = re.compile("[\ud800-\udfff]")
_quote = json.encoder.encode_basestring


def parse(data: bytes) -> Any:
    """Parse a file's bytes as `JSON.parse(readFile(path, "utf-8"))`; raises JavaScriptThrow.

    orjson reads every plain file; it refuses bad UTF-8, lone surrogates, infinities and deep nesting, which
    JavaScript takes, so a refusal is judged again by slower readers. All of them are linear.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return _parse_slowly(decode(data))


def is_accepted(data: bytes) -> bool:
    """Return whether `JSON.parse(readFile(path, "utf-8"))` accepts a file's bytes, at any depth."""
    try:
        orjson.loads(data)
        return True
    except orjson.JSONDecodeError:
        text = decode(data)
    try:
        json.loads(text, parse_int=float, parse_constant=_refuse)
    except RecursionError:
        return is_json(text)
    except (ValueError, JavaScriptThrow):
        return False
    return True


def _parse_slowly(text: str) -> Any:
    try:
        value = json.loads(text, parse_int=float, parse_constant=_refuse)
    except RecursionError:
        return _read_deep(text)
    except ValueError as error:
        raise JavaScriptThrow(str(error)) from None
    # How deep Python's reader goes differs between its versions.
    if text.count("[") + text.count("{") > MAX_STRINGIFY_DEPTH and _is_too_deep(value):
        raise JavaScriptThrow("nested too deeply")
    return value


def _is_too_deep(value: object) -> bool:
    """Return whether anything is nested deeper than the levels of a message below the file's own array."""
    level = [value]
    for _ in range(MAX_STRINGIFY_DEPTH + 1):
        level = [
            child
            for item in level
            for child in (item.values() if type(item) is dict else item if type(item) is list else ())
            if type(child) is dict or type(child) is list
        ]
        if not level:
            return False
    return True


def _read_deep(text: str) -> Any:
    if len(text) > MAX_DEEP_CHARACTERS:
        raise JavaScriptThrow("too long for its depth")
    return _DeepReader(text).read()


def _refuse(constant: str) -> None:
    raise JavaScriptThrow(f"{constant} is not JSON")


def stringify(value: object) -> bytes:
    """Print a value with every string and key as `JSON.stringify` prints it."""
    try:
        return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")
    except (RecursionError, ValueError):
        return "\n".join(stringified_texts(value)).encode()


def stringified_texts(value: object) -> Iterator[str]:
    """Yield every string and key of a value as `JSON.stringify` prints it, in no order. Never recurses."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield _SURROGATE.sub(_escape, _quote(item))
        elif isinstance(item, dict):
            stack.extend(item)
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


class _DeepReader:
    """A JSON reader with its own stack, for files nested deeper than Python's readers go."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._open: list[list[Any] | dict[str, Any]] = []
        self._keys: list[str] = []  # the pending key of every open object

    def read(self) -> Any:
        """Return the whole text's value; raises JavaScriptThrow on bad JSON or too deep nesting."""
        done, value = self._value(*self._next())
        while self._open or not done:
            done, value = self._after(value) if done else self._value(*self._next())
        if self._next()[0] != "end":
            raise self._bad()
        return value

    def _value(self, kind: str, text: str) -> tuple[bool, Any]:
        """Read a whole scalar or empty container; enter any other container."""
        if kind == "string":
            return True, self._string(text)
        if kind == "number":
            return True, float(text)
        if kind == "word":
            return True, _WORDS[text]
        if text == "[":
            return self._enter([], "]")
        if text == "{":
            return self._enter({}, "}")
        raise self._bad()

    def _enter(self, container: list[Any] | dict[str, Any], closing: str) -> tuple[bool, Any]:
        if len(self._open) > MAX_STRINGIFY_DEPTH:
            raise JavaScriptThrow("nested too deeply")
        before = self._at
        kind, text = self._next()
        if text == closing:
            return True, container
        self._open.append(container)
        if isinstance(container, dict):
            self._key(kind, text)
        else:
            self._at = before
        return False, None

    def _after(self, value: Any) -> tuple[bool, Any]:
        """Put a value into the innermost container and continue after it."""
        container = self._open[-1]
        closing = self._put(container, value)
        _, text = self._next()
        if text == closing:
            return True, self._open.pop()
        if text != ",":
            raise self._bad()
        if isinstance(container, dict):
            self._key(*self._next())
        return False, None

    def _put(self, container: list[Any] | dict[str, Any], value: Any) -> str:
        if isinstance(container, list):
            container.append(value)
            return "]"
        container[self._keys.pop()] = value
        return "}"

    def _key(self, kind: str, text: str) -> None:
        if kind != "string":
            raise self._bad()
        self._keys.append(self._string(text))
        if self._next()[1] != ":":
            raise self._bad()

    def _string(self, text: str) -> Any:
        try:
            return json.loads(text)
        except ValueError as error:
            raise JavaScriptThrow(str(error)) from None

    def _next(self) -> tuple[str, str]:
        match = _TOKEN.match(self._text, self._at)
        if not match or not match.lastgroup:
            raise self._bad()
        self._at = match.end()
        return match.lastgroup, match[match.lastgroup]

    def _bad(self) -> JavaScriptThrow:
        return JavaScriptThrow(f"unexpected text at {self._at}")
