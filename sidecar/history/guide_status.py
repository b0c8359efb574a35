"""The guide's status: words anywhere in a task's messages, else the age of its last activity.

The guide searches the lower-cased `JSON.stringify` of all messages. Words are looked for in the bytes as
they are, which tells the same but for three things: an escape by number may print as something else, its
last digit may begin a word, and of a key that occurs twice in one object the loser is not printed. So a
word that is there is looked up in the printed form, mostly of the message that holds it, and one that is
not there in that of all messages, if an escape might print as a part of it.
"""

import math
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Final

import orjson

from sidecar.api.tasks import TaskStatus
from sidecar.history.guide_messages import Block, MessageFile, split
from sidecar.history.javascript_json import parse, stringify

COMPLETED = (b"attempt_completion", b"task completed", b"successfully completed")
FAILED = (b"error", b"failed", b"exception")

_HOUR_MS = 3_600_000
_KELVIN: Final = "\N{KELVIN SIGN}".encode()
_TELLING_ESCAPE: Final = re.compile(rb"\\u(?:00[2-7]|0009|000[cC]|212[aA])")
"""Escapes that print as a character of a word, as `\\t` or `\\f` in front of the rest, or as KELVIN SIGN."""


class Haystack:
    """One file's messages, to be searched for words."""

    def __init__(self, file: MessageFile) -> None:
        self._file = file

    def contains(self, words: Sequence[bytes]) -> bool:
        """Tell whether the printed, lower-cased messages hold one of the words."""
        if self._shows(words) or any(word in self._lower and self._is_printed(word) for word in words):
            return True
        return not is_plain(self._file.data) and any(word in self._printed for word in words)

    def _shows(self, words: Sequence[bytes]) -> bool:
        """Tell whether what was skimmed holds one of the words as it is spelt, which needs no look at all."""
        if self._file.parsed is not None or not self._file.messages:
            return False
        spelt = [word for word in words if word in self._file.data]
        contents = (message.content for message in reversed(self._file.messages)) if spelt else ()
        return any(_content_shows(content, spelt) for content in contents if content)

    @cached_property
    def _lower(self) -> bytes:
        return self._file.data.lower()

    @cached_property
    def _printed(self) -> bytes:
        return _printed(self._parsed)

    @cached_property
    def _parsed(self) -> list[Any]:
        if self._file.parsed is not None:
            return self._file.parsed
        parsed: list[Any] = parse(self._file.data)
        return parsed

    def _is_printed(self, word: bytes) -> bool:
        """Look a hit up message by message, from the end: what says how a task ended stands there."""
        return any(word in _printed(message) for message in self._messages_with(word))

    def _messages_with(self, word: bytes) -> Iterator[Any]:
        """Iterate, from the end, over the messages that may hold a word."""
        parts = split(self._file.data) if self._file.parsed is None else None
        if parts is None:
            yield from reversed(self._parsed)
            return
        for part in reversed(parts):
            data = bytes(part)
            if word in data.lower():
                yield parse(data)


def is_plain(data: bytes) -> bool:
    """Tell whether every word that the printed messages hold stands in the lower-cased bytes, too."""
    if b"\\u" in data and _TELLING_ESCAPE.search(data):
        return False
    return data.isascii() or _KELVIN not in data


def _content_shows(content: list[Block] | str, words: list[bytes]) -> bool:
    texts = [word.decode() for word in words]
    if isinstance(content, str):
        return any(text in content for text in texts)
    for block in content:
        if block.text and any(text in block.text for text in texts):
            return True
        if block.content and _raw_shows(bytes(block.content), words):
            return True
    return False


def _raw_shows(data: bytes, words: list[bytes]) -> bool:
    found = [word for word in words if word in data]
    printed = _printed(parse(data)) if found else b""
    return any(word in printed for word in found)


def _printed(value: object) -> bytes:
    """Print a value's strings as JSON.stringify does and lower-case what can turn into ASCII letters."""
    try:
        text = orjson.dumps(value)
    except orjson.JSONEncodeError:  # lone surrogates, or nested deeper than orjson goes
        text = stringify(value)
    lower = text.lower()
    # One byte is looked for at twenty times the speed of three, and this one is rare.
    return lower.replace(_KELVIN, b"k") if _KELVIN[-1:] in lower else lower


def status(files: Sequence[MessageFile], age_ms: float) -> TaskStatus:
    """Decide as the guide does; `age_ms` counts from the last activity and may be NaN."""
    haystacks = [Haystack(file) for file in files]
    if any(haystack.contains(COMPLETED) for haystack in haystacks):
        return "completed"
    if any(haystack.contains(FAILED) for haystack in haystacks):
        return "failed"
    hours = age_ms / _HOUR_MS
    if math.isnan(hours):
        return "unknown"
    return "active" if hours < 24 else "abandoned" if hours > 168 else "unknown"
