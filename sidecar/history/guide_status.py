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

import msgspec
import orjson

from sidecar.api.tasks import TaskStatus
from sidecar.history.guide_messages import Block, MessageFile
from sidecar.history.javascript_json import parse, stringify

COMPLETED = (b"attempt_completion", b"task completed", b"successfully completed")
FAILED = (b"error", b"failed", b"exception")

_HOUR_MS = 3_600_000
_KELVIN: Final = "\N{KELVIN SIGN}".encode()
_TELLING_ESCAPE: Final = re.compile(rb"\\u(?:00[2-7]|0009|000[cC]|212[aA])")
"""Escapes that print as a character of a word, as `\\t` or `\\f` before the rest of one, or as KELVIN SIGN."""
_raws: Final = msgspec.json.Decoder(list[msgspec.Raw])


class Haystack:
    """One file's messages, to be searched for words."""

    def __init__(self, file: MessageFile) -> None:
        self._file = file

    def shows(self, words: Sequence[bytes]) -> bool:
        """Tell whether a skimmed content holds one of the words as it is spelt; False may be wrong."""
        spelt = [word for word in words if word in self._file.data] if self._file.parsed is None else []
        texts = [word.decode() for word in spelt]
        return bool(spelt) and any(
            any(text in message.content for text in texts)
            if isinstance(message.content, str)
            else any(_block_shows(block, spelt, texts) for block in message.content or ())
            for message in reversed(self._file.messages)
        )

    def contains(self, words: Sequence[bytes]) -> bool:
        """Tell whether the printed, lower-cased messages hold one of the words."""
        if any(word in self._lower and self._is_printed(word) for word in words):
            return True
        return not is_plain(self._file.data) and any(word in self._printed for word in words)

    @cached_property
    def _lower(self) -> bytes:
        return self._file.data.lower()

    @cached_property
    def _printed(self) -> bytes:
        parsed = self._file.parsed
        return _printed(parsed if parsed is not None else parse(self._file.data))

    def _is_printed(self, word: bytes) -> bool:
        """Look a hit up message by message, from the end: what says how a task ended stands there."""
        return any(word in _printed(message) for message in self._messages_with(word))

    def _messages_with(self, word: bytes) -> Iterator[Any]:
        """Iterate, from the end, over the messages that may hold a word."""
        if self._file.parsed is not None:
            yield from reversed(self._file.parsed)
            return
        for raw in reversed(_raws.decode(self._file.data)):
            data = bytes(raw)
            if word in data.lower():
                yield parse(data)


def is_plain(data: bytes) -> bool:
    """Tell whether every word that the printed messages hold stands in the lower-cased bytes, too."""
    if b"\\u" in data and _TELLING_ESCAPE.search(data):
        return False
    return data.isascii() or _KELVIN not in data


def _block_shows(block: Block, words: list[bytes], texts: list[str]) -> bool:
    if block.text and any(text in block.text for text in texts):
        return True
    if not block.content:
        return False
    data = bytes(block.content)
    found = [word for word in words if word in data]
    return bool(found) and any(map(_printed(parse(data)).__contains__, found))


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
    for words, word in ((COMPLETED, "completed"), (FAILED, "failed")):
        if any(it.shows(words) for it in haystacks) or any(it.contains(words) for it in haystacks):
            return word
    hours = age_ms / _HOUR_MS
    if math.isnan(hours):
        return "unknown"
    return "active" if hours < 24 else "abandoned" if hours > 168 else "unknown"
