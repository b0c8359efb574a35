"""The records of a chat of Gemini CLI.

Until April 2026 a chat was one JSON document, which is saved as a whole. Since then it is lines of JSON: the
first holds the metadata, the others are messages or change what came before. Scalars are decoded as they
come, since every release adds kinds; bulky members stay undecoded.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from sidecar.api.stored.tasks import Problem
from sidecar.history.stored.parsing import Parser, clean, decode_leniently
from sidecar.history.stored.problems import problem

_RAW: Final = msgspec.Raw()


class Message(msgspec.Struct, rename="camel", gc=False):
    """One message; `type` is `user`, `gemini`, `info`, `error` or `warning`."""

    id: Any = None
    timestamp: Any = None
    type: Any = None
    content: msgspec.Raw = _RAW
    display_content: msgspec.Raw = _RAW
    tool_calls: msgspec.Raw = _RAW
    thoughts: msgspec.Raw = _RAW
    model: Any = None
    tokens: Any = None


class Patch(msgspec.Struct, rename="camel", gc=False):
    """Metadata of a chat; `messages`, if present, replaces all messages."""

    session_id: Any = None
    start_time: Any = None
    last_updated: Any = None
    summary: Any = None
    kind: Any = None
    directories: Any = None
    messages: msgspec.Raw = _RAW


class Line(Message):
    """One line: a message if it has an `id`, else metadata, or a change of what came before."""

    set: msgspec.Raw = msgspec.field(default=_RAW, name="$set")
    rewind_to: Any = msgspec.field(default=msgspec.UNSET, name="$rewindTo")
    session_id: Any = None
    start_time: Any = None
    last_updated: Any = None
    summary: Any = None
    kind: Any = None
    directories: Any = None
    messages: msgspec.Raw = _RAW


MESSAGES: Final = Parser(Message)
_lines: Final = msgspec.json.Decoder(Line)
_patches: Final = msgspec.json.Decoder(Patch)
_MESSAGES_KEY: Final = re.compile(rb'"messages"\s*+:\s*+(?=\[)')


def decode_line(data: bytes) -> Line | None:
    """Decode one line; None if it is not an object, even after a repair."""
    return decode_leniently(_lines.decode, data)


def decode_patch(data: bytes | msgspec.Raw) -> Patch | None:
    """Decode metadata, strictly or after a repair."""
    return decode_leniently(_patches.decode, data)


def is_document(data: bytes) -> bool:
    """Return whether the bytes of a chat are one JSON document, not lines."""
    first, _, rest = data.lstrip(b"\xef\xbb\xbf \t\r\n\0").partition(b"\n")
    if not rest.strip():
        return _MESSAGES_KEY.search(first) is not None
    return decode_line(first) is None


def is_whole(data: bytes) -> bool:
    """Return whether a chat is complete: lines always are, a document if it is JSON."""
    if not data or not is_document(data):
        return bool(data)
    return decode_patch(data) is not None


def parse_document(data: bytes, name: str) -> tuple[Patch, list[Message], list[Problem]]:
    """Parse a chat in one document; of a damaged one, everything that can be read."""
    data, problems = clean(data, name)
    patch = decode_patch(data)
    if patch is None:
        return _parse_damaged(data, name, problems)
    parsed = MESSAGES.parse(bytes(patch.messages) or b"[]", name)
    return patch, parsed.records, problems + parsed.problems


def _parse_damaged(
    data: bytes, name: str, problems: list[Problem]
) -> tuple[Patch, list[Message], list[Problem]]:
    """Read the metadata before the messages, and then the messages one by one."""
    found = _MESSAGES_KEY.search(data)
    head = data[: found.start()] if found else data
    patch = decode_patch(head.rstrip(b" \t\r\n,") + b"}") or Patch()
    if not found:
        problems.append(problem("notMessages", f"{name} holds no array of messages"))
        return patch, [], problems
    parsed = MESSAGES.parse(data[found.end() :], name)
    found_problems = [each for each in parsed.problems if each.code != "strayTail"]
    if len(found_problems) < len(parsed.problems):
        message = f"{name} is not valid JSON; what could be read of it was kept"
        found_problems.append(problem("malformed", message))
    return patch, parsed.records, problems + found_problems


def split_lines(data: bytes) -> Iterator[bytes]:
    """Yield the lines that are not blank, without the white space around them."""
    for each in data.split(b"\n"):
        if stripped := each.strip():
            yield stripped
