"""Finds the members of a JSON object with their lines, which the library does not report."""

import json
import re
from collections.abc import Iterator

from sidecar.subagents.definitions.model import Document, Malformed, Member, given

_SPACE = re.compile(r"[ \t\r\n]*")
_COLON = re.compile(r"[ \t\r\n]*:[ \t\r\n]*")
_COMMA = re.compile(r"[ \t\r\n]*,?[ \t\r\n]*")


def split_json(text: str) -> Document:
    """Parse a JSON object. Raises Malformed."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise Malformed(error.lineno, f"not JSON: {error.msg}") from None
    except (RecursionError, ValueError):
        raise Malformed(None, "unreadable JSON: nested too deeply, or a malformed value") from None
    if not isinstance(value, dict):
        raise Malformed(1, "the file is not a single JSON object")
    return Document(list(_members(text)))


def _members(text: str) -> Iterator[Member]:
    """Parse again member by member to find the line of each; `text` is known to be an object."""
    decoder = json.JSONDecoder()
    at = _end(_SPACE, text, text.index("{") + 1)
    line, counted = 1, 0
    while text[at] != "}":
        line, counted = line + text.count("\n", counted, at), at
        key, end = decoder.raw_decode(text, at)
        value, end = decoder.raw_decode(text, _end(_COLON, text, end))
        yield Member(key[:64], line, given(value))
        at = _end(_COMMA, text, end)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    assert match is not None  # the text was parsed before
    return match.end()
