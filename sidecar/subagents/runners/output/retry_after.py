"""Read how long a server asks to wait from an agent's error. Pure."""

import re
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

MAX_SECONDS = 24 * 3_600.0
"""A longer wait counts as this long: the number may be a mistake."""
_DEPTH = 4
_READ_CHARS = 4_000
_MILLISECONDS = frozenset({"retryafterms"})
_SECONDS = frozenset({"retryafter", "retryafterseconds", "retrydelay"})
_UNITS: Mapping[str, float] = {"ms": 0.001, "mil": 0.001, "s": 1, "m": 60, "h": 3_600, "d": 86_400}
_UNIT = r"(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)"
_PART = re.compile(rf"(\d{{1,9}}(?:\.\d{{1,9}})?)\s?({_UNIT})(?![a-z])", re.IGNORECASE)
_PARTS = rf"(?:\d{{1,9}}(?:\.\d{{1,9}})?\s?{_UNIT}(?![a-z])(?:,|\sand)?\s?){{1,4}}"
_IN_WORDS = re.compile(
    rf"\b(?:try again|retry|resets?|reset|wait)\s(?:in|after|for)\s({_PARTS})", re.IGNORECASE
)
_DATE = r"[a-z]{3}, \d{1,2} [a-z]{3} \d{4} \d\d:\d\d:\d\d GMT"
_NUMBER = r"\d{1,9}(?:\.\d{1,9})?\b(?!-)"
_HEADER = re.compile(
    rf"retry[-_ ]?after(?:[-_ ]?seconds)?[\"']?\s?[:=]?\s?[\"']?({_PARTS}|{_DATE}|{_NUMBER})", re.IGNORECASE
)
_RESET_AT = re.compile(r"limit reached\|(\d{10})\b")
"""How claude ends the text about a used up limit: with the time of its reset, in s since the epoch."""


def retry_after(text: str, data: Any, now: float) -> float | None:
    """Return the seconds to wait that an error's data or text names; None if neither does.

    `now` is in seconds since the epoch; dates are relative to it. The result is at least 0.
    """
    found = _in_data(data, now, _DEPTH)
    found = _in_text(text[:_READ_CHARS], now) if found is None else found
    return None if found is None else max(0.0, min(found, MAX_SECONDS))


def _in_data(data: Any, now: float, depth: int) -> float | None:
    if not isinstance(data, Mapping) or depth == 0:
        return None
    for name, value in data.items():
        plain = str(name).lower().replace("-", "").replace("_", "")
        if plain in _MILLISECONDS and (found := _value(value, now)) is not None:
            return found / 1_000
        if plain in _SECONDS and (found := _value(value, now)) is not None:
            return found
    nested = (_in_data(value, now, depth - 1) for value in data.values())
    return next((found for found in nested if found is not None), None)


def _value(value: Any, now: float) -> float | None:
    """Return the seconds of a number, of a duration such as `1m 5s`, or until an HTTP-date."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if not isinstance(value, str):
        return float(min(value, MAX_SECONDS)) if value >= 0 else None
    words = value.strip()[:_READ_CHARS]
    if re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", words):
        return float(words)
    if re.fullmatch(_PARTS, words, re.IGNORECASE):
        return _duration(words)
    return _until(words, now)


def _in_text(text: str, now: float) -> float | None:
    if found := _HEADER.search(text):
        return _value(found[1], now)
    if found := _IN_WORDS.search(text):
        return _duration(found[1])
    if found := _RESET_AT.search(text):
        return int(found[1]) - now
    return None


def _duration(words: str) -> float:
    return sum(float(number) * _unit(unit.lower()) for number, unit in _PART.findall(words))


def _unit(word: str) -> float:
    return next(seconds for name, seconds in _UNITS.items() if word.startswith(name))


def _until(words: str, now: float) -> float | None:
    try:
        at = parsedate_to_datetime(words)
    except (ValueError, OverflowError):
        return None
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() - now
