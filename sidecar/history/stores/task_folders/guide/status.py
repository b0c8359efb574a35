"""The guide's status: by words anywhere in a task's messages, else by the age of its last activity.

The guide searches the lower-cased `JSON.stringify` of all messages. This module searches the stored bytes
first, which gives the same result except in three cases: a numeric escape may print as another character, its
last digit may begin a word, and of a key that occurs twice in an object only the last value is printed. So a
word that was found is confirmed in the printed form, usually only of the message that contains it. A word
that was not found is searched for in the printed form of all messages if an escape could print as part of it.
"""

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

import orjson

from sidecar.api.stored.tasks import TaskStatus
from sidecar.history.stores.task_folders.guide.messages import Block, MessageFile, split
from sidecar.javascript.json_text import parse, stringify

Words = tuple[str, ...]
COMPLETED: Final[Words] = ("attempt_completion", "task completed", "successfully completed")
FAILED: Final[Words] = ("error", "failed", "exception")

_COMMON: Final = {COMPLETED: b"complet", FAILED: b""}
"""A part of each word: a text without it contains none of them."""
_BYTES: Final = {word: word.encode() for word in COMPLETED + FAILED}
_HOUR_MS = 3_600_000
_KELVIN: Final = "\N{KELVIN SIGN}".encode()
_TELLING_ESCAPE: Final = re.compile(rb"\\u(?:00[2-7]|0009|000[cC]|212[aA])")
"""Escapes that print as a character of a word, as `\\t` or `\\f` in front of the rest, or as KELVIN SIGN."""


def status(ui: MessageFile, api: MessageFile, age_ms: float) -> TaskStatus:
    """Decide as the guide does; `age_ms` counts from the last activity and may be NaN."""
    if shows(api, COMPLETED):
        return "completed"
    haystacks = Haystack(api), Haystack(ui)
    if any(haystack.holds(COMPLETED) for haystack in haystacks):
        return "completed"
    if shows(api, FAILED) or any(haystack.holds(FAILED) for haystack in haystacks):
        return "failed"
    hours = age_ms / _HOUR_MS
    if math.isnan(hours):
        return "unknown"
    return "active" if hours < 24 else "abandoned" if hours > 168 else "unknown"


def shows(file: MessageFile, words: Words) -> bool:
    """Return whether skimmed contents contain one of the words literally, as they usually do.

    Skimmed contents are always printed, so True is certain; False may be wrong.
    """
    if file.parsed is not None or _COMMON[words] not in file.data:
        return False
    for word in words:
        if _BYTES[word] in file.data:
            for message in reversed(file.messages):
                if message.content and (shown := _content_shows(message.content, word)) is not None:
                    return shown
    return False


def _content_shows(content: list[Block] | str, word: str) -> bool | None:
    """Return whether the first part that contains the word also prints it; None if no part contains it."""
    if isinstance(content, str):
        return word in content or None
    for block in content:
        if block.text and word in block.text:
            return True
        if block.content and _BYTES[word] in (value := bytes(block.content)):
            return _BYTES[word] in _printed(parse(value))
    return None


class Haystack:
    """One file's messages, searched for words in any place and spelling."""

    def __init__(self, file: MessageFile) -> None:
        self._file = file
        self._lower = file.data.lower()
        self._printed = None if is_plain(file.data) else _printed(self._parsed())

    def holds(self, words: Words) -> bool:
        """Return whether the printed, lower-cased messages hold one of the words."""
        if self._printed is None and _COMMON[words] not in self._lower:
            return False
        sought = [_BYTES[word] for word in words]
        if self._printed is not None:
            return _holds_any(self._printed, sought)
        sought = [word for word in sought if word in self._lower]
        return bool(sought) and any(_holds_any(_printed(it), sought) for it in self._messages_with(sought))

    def _messages_with(self, words: Sequence[bytes]) -> Iterator[Any]:
        """Iterate over the messages that may hold a word, from the end, which shows how a task ended."""
        parts = split(self._file.data) if self._file.parsed is None else None
        if parts is None:
            yield from reversed(self._parsed())
            return
        for part in reversed(parts):
            data = bytes(part)
            if _holds_any(data.lower(), words):
                yield parse(data)

    def _parsed(self) -> list[Any]:
        parsed = self._file.parsed
        return parsed if parsed is not None else parse(self._file.data)


def _holds_any(text: bytes, words: Sequence[bytes]) -> bool:
    return any(word in text for word in words)


def is_plain(data: bytes) -> bool:
    """Return whether every word that the printed messages hold is in the lower-cased bytes, too."""
    return _TELLING_ESCAPE.search(data) is None and not _has_kelvin(data)


def _has_kelvin(data: bytes) -> bool:
    """Search for one rare byte first, which is twenty times as fast as a search for all three."""
    return not data.isascii() and _KELVIN[-1:] in data and _KELVIN in data


def _printed(value: object) -> bytes:
    """Print a value's strings as JSON.stringify does and lower-case what can turn into ASCII letters."""
    try:
        text = orjson.dumps(value)
    except orjson.JSONEncodeError:  # lone surrogates, or nested deeper than orjson goes
        text = stringify(value)
    lower = text.lower()
    return lower.replace(_KELVIN, b"k") if _has_kelvin(lower) else lower
