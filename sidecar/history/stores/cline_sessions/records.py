"""What Cline 4 writes of a session: its manifest and its messages, read tolerantly."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from sidecar.api.stored.tasks import Problem
from sidecar.history.stored.parsing import UNREADABLE, clean, decode_leniently
from sidecar.history.stored.problems import problem
from sidecar.history.stored.reading import StoredFile

Json = dict[str, Any]
_MESSAGES: Final = re.compile(rb'"messages"\s*+:\s*+(?=\[)')
_HEAD_BYTES: Final = 1 << 20
"""How far into a damaged file the messages may begin."""
_decode: Final = msgspec.json.Decoder().decode


class Transcript(msgspec.Struct):
    """The messages of one file, those that are objects, with what is wrong with the file.

    `exists` is False for a missing file; `updated` is the file's own time, unchecked.
    """

    messages: Sequence[Json] = ()
    updated: object = None
    exists: bool = True
    problems: Sequence[Problem] = ()


def read_object(file: StoredFile) -> tuple[Json, list[Problem]]:
    """Return the object in a file, an empty one if there is none, and what is wrong with the file."""
    problems = list(file.problems)
    if file.data is None:
        return {}, problems
    data, found = clean(file.data, file.name)
    value = decode_leniently(_decode, data) if data.strip() else None
    if not isinstance(value, dict):
        return {}, [*problems, *found, problem("malformed", f"{file.name} holds no JSON object")]
    return value, problems + found


def read_transcript(file: StoredFile) -> Transcript:
    """Read a file of messages; of a damaged one, each message that can be read."""
    if file.data is None:
        return Transcript(exists=not file.absent, problems=file.problems)
    data, problems = clean(file.data, file.name)
    try:
        whole = _decode(data)
    except UNREADABLE:
        return _salvaged(data, file.name, problems)
    listed = whole.get("messages") if isinstance(whole, dict) else None
    if not isinstance(listed, list):
        problems.append(problem("notMessages", f"{file.name} does not hold an array of messages"))
        return Transcript(problems=problems)
    return Transcript(_objects(listed, file.name, problems), whole.get("updated_at"), problems=problems)


def _salvaged(data: bytes, name: str, problems: list[Problem]) -> Transcript:
    from sidecar.history.stored.salvage import split

    start = _MESSAGES.search(data, 0, _HEAD_BYTES)
    found = split(data[start.end() :]) if start is not None else None
    if found is None:
        problems.append(problem("notMessages", f"{name} does not hold an array of messages"))
        return Transcript(problems=problems)
    values = [decode_leniently(_decode, part) for part in found.parts]
    if not found.closed:
        if values and not isinstance(values[-1], dict):
            values.pop()
        problems.append(problem("cut", f"{name} is cut after message {len(values)}"))
    return Transcript(_objects(values, name, problems, damaged=True), problems=problems)


def _objects(values: Sequence[Any], name: str, problems: list[Problem], damaged: bool = False) -> list[Json]:
    objects = [value for value in values if isinstance(value, dict)]
    if skipped := len(values) - len(objects):
        message = f"{name}: {skipped} of {len(values)} messages are unreadable"
        problems.append(problem("malformed", message))
    elif damaged and not problems:
        problems.append(problem("malformed", f"{name} is not valid JSON; what could be read of it was kept"))
    return objects


def blocks(message: Mapping[str, Any]) -> list[Json]:
    """Return the blocks of a message's content; a text is one block."""
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def member(data: Mapping[str, Any], name: str) -> Json:
    """Return a member that is an object; an empty one otherwise."""
    value = data.get(name)
    return value if isinstance(value, dict) else {}


def text(data: Mapping[str, Any], name: str) -> str | None:
    """Return a member that is a text with content."""
    value = data.get(name)
    return value if isinstance(value, str) and value else None
