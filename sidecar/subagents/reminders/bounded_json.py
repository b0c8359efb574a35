"""Builds JSON text for a model within a number of characters, with a hint where to get the rest.

The work is bounded like the text: a value that is too long is detected before it is printed or cut whole.
"""

from collections.abc import Collection, Mapping
from typing import Any

from sidecar.javascript.printing import MAX_DEPTH, TOO_DEEP, js_entries, json_stringify

SHORTEST = 64
"""Values are never cut below this many characters; members that still do not fit are left out."""
CHARACTERS_PER_ENTRY = 16
"""A list or object keeps at most one entry for every 16 characters allowed to its values."""


class _TooLong(Exception):
    """The cut values are already longer than the text may be."""


def remedy(task_id: str) -> str:
    """Return the hint for the model on how to get the cut values."""
    return f'Values are cut. Call check_async_tasks with task_id "{task_id}" for more.'


def text_within(payload: Mapping[str, Any], max_chars: int) -> str | None:
    """Return the JSON text of `payload`, or None if it is longer than `max_chars`."""
    if _room_after(payload, max_chars, 0) < 0:
        return None
    text = json_stringify(payload)
    return text if len(text) <= max_chars else None


def fit(payload: Mapping[str, Any], remedy: str, max_chars: int, whole: Collection[str]) -> dict[str, Any]:
    """Return `payload`, cut if its JSON text exceeds `max_chars`, then with `truncated` and `remedy`.

    The members named in `whole` are never cut; as a last resort only they are kept.
    """
    if text_within(payload, max_chars) is not None:
        return dict(payload)
    limit = max_chars // 2
    while limit >= SHORTEST:
        cut = _cut_within(payload, remedy, limit, max_chars, whole)
        if cut is not None:
            return cut
        limit //= 2
    return _marked({key: payload[key] for key in payload if key in whole}, remedy)


def summarize(payload: Mapping[str, Any], remedy: str, limit: int, whole: Collection[str]) -> dict[str, Any]:
    """Return `payload` with every value cut at `limit`; `truncated` and `remedy` only if something was."""
    cut = {key: item if key in whole else cut_value(item, limit) for key, item in payload.items()}
    return cut if cut == payload else _marked(cut, remedy)


def cut_value(value: Any, limit: int) -> Any:
    """Shorten strings to `limit` characters and containers in proportion, and note how much was cut."""
    return _Cutter(limit, None).cut(value, 0)


class _Cutter:
    """Cuts values; raises _TooLong once they exceed `room` characters in total, if there is a bound."""

    def __init__(self, limit: int, room: int | None) -> None:
        self._limit = limit
        self._entries = max(1, limit // CHARACTERS_PER_ENTRY)
        self._room = room

    def cut(self, value: Any, depth: int) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if not isinstance(value, Mapping | list | tuple):
            self._spend(1)
            return value
        if depth >= MAX_DEPTH:
            return TOO_DEEP
        self._spend(2)
        more = f"[{len(value) - self._entries} more]" if len(value) > self._entries else None
        if isinstance(value, Mapping):
            kept = js_entries(value, self._entries)
            cut = {self._text(key): self.cut(item, depth + 1) for key, item in kept}
            return cut if more is None else {**cut, "...": more}
        items = [self.cut(item, depth + 1) for item in value[: self._entries]]
        return items if more is None else [*items, more]

    def _text(self, text: str) -> str:
        limit = self._limit
        cut = text if len(text) <= limit else f"{text[:limit]}... [{len(text) - limit} more characters]"
        self._spend(len(cut) + 2)
        return cut

    def _spend(self, characters: int) -> None:
        if self._room is not None:
            self._room -= characters
            if self._room < 0:
                raise _TooLong


def _cut_within(
    payload: Mapping[str, Any], remedy: str, limit: int, max_chars: int, whole: Collection[str]
) -> dict[str, Any] | None:
    cutter = _Cutter(limit, max_chars)
    try:
        members = {key: item if key in whole else cutter.cut(item, 0) for key, item in payload.items()}
    except _TooLong:
        return None
    cut = _marked(members, remedy)
    return cut if text_within(cut, max_chars) is not None else None


def _room_after(value: Any, room: int, depth: int) -> int:
    """Return an upper bound of the characters left of `room` after the JSON text of a value.

    Stops below 0, so the work is proportional to `room`, whatever the value.
    """
    if isinstance(value, str):
        return room - len(value) - 2
    if not isinstance(value, Mapping | list | tuple):
        return room - 1
    room -= 2 + 2 * len(value)
    if depth >= MAX_DEPTH:
        return room
    for item in value.values() if isinstance(value, Mapping) else value:
        if room < 0:
            break
        room = _room_after(item, room, depth + 1)
    return room


def _marked(payload: Mapping[str, Any], remedy: str) -> dict[str, Any]:
    return {**payload, "truncated": True, "remedy": remedy}
