"""The guide's status: words anywhere in a task's messages, else the age of its last activity.

The guide searches the lower-cased `JSON.stringify` of all messages. Searching the raw bytes gives the
same answer for a file whose strings are printed as they are written, except for a key that occurs
twice in one object, where the loser is not printed; so a hit is looked up again in the printed form.
"""

import math
from collections.abc import Sequence
from typing import Any

import orjson

from sidecar.api.tasks import TaskStatus
from sidecar.history.javascript_json import is_plain, stringify

COMPLETED = (b"attempt_completion", b"task completed", b"successfully completed")
FAILED = (b"error", b"failed", b"exception")

_HOUR_MS = 3_600_000
_KELVIN = "\N{KELVIN SIGN}".encode()


class Haystack:
    """One file's messages, ready to be searched for words."""

    def __init__(self, data: bytes, messages: Sequence[Any]) -> None:
        self._messages = messages
        self._plain = is_plain(data)
        self._lower = data.lower() if self._plain else _printed(messages)

    def contains(self, words: Sequence[bytes]) -> bool:
        """Tell whether the printed, lower-cased messages hold one of the words."""
        return any(word in self._lower and (not self._plain or self._is_printed(word)) for word in words)

    def _is_printed(self, word: bytes) -> bool:
        """Look a hit up message by message, from the end: what says how a task ended stands there."""
        return any(word in _printed(message) for message in reversed(self._messages))


def _printed(value: object) -> bytes:
    """Print a value's strings as JSON.stringify does and lower-case what can turn into ASCII letters."""
    try:
        text = orjson.dumps(value)
    except orjson.JSONEncodeError:  # lone surrogates, or nested deeper than orjson goes
        text = stringify(value)
    lower = text.lower()
    # One byte is looked for at twenty times the speed of three, and this one is rare.
    return lower.replace(_KELVIN, b"k") if _KELVIN[-1:] in lower else lower


def status(files: Sequence[Haystack], age_ms: float) -> TaskStatus:
    """Decide as the guide does; `age_ms` counts from the last activity and may be NaN."""
    if any(file.contains(COMPLETED) for file in files):
        return "completed"
    if any(file.contains(FAILED) for file in files):
        return "failed"
    hours = age_ms / _HOUR_MS
    if math.isnan(hours):
        return "unknown"
    return "active" if hours < 24 else "abandoned" if hours > 168 else "unknown"
