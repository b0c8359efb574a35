"""Parse the event lines of a command: one JSON object per line, mixed with plain text."""

import sys
from collections.abc import Callable
from typing import Any

from sidecar.subagents.runners.output.text import load_value

Event = dict[str, Any]

_TOOL_STATUSES = ("started", "completed", "failed")
_MOST_TOKENS = 2**53 - 1
"""The largest integer that every JSON implementation reads exactly."""
_MOST_DOLLARS = sys.float_info.max


def parse_event(line: bytes) -> Event | None:
    """Return the event in `line`, or None for plain text. A malformed event counts as plain text.

    Drop members that the sidecar assigns (`seq`, `ts`, `messageId`) and unknown ones, but keep the unknown
    members of a `tool`, because clients show them.
    """
    if b'"type"' not in line:
        return None
    value = load_value(line)
    if not isinstance(value, dict):
        return None
    kind = value.get("type")
    shape = _SHAPES.get(kind) if isinstance(kind, str) else None
    members = shape(value) if shape else None
    return None if members is None else {"type": kind, **members}


def _message(value: Event) -> Event | None:
    text = value.get("text")
    return {"text": text} if isinstance(text, str) else None


def _tool(value: Event) -> Event | None:
    name, status = value.get("name"), value.get("status")
    if not isinstance(name, str) or not name or status not in _TOOL_STATUSES:
        return None
    if not isinstance(value.get("toolCallId", ""), str):
        return None
    return {key: item for key, item in value.items() if key not in ("type", "seq", "ts")}


def _emit(value: Event) -> Event | None:
    name = value.get("name")
    if not isinstance(name, str) or not name or "value" not in value:
        return None
    return {"name": name, "value": value["value"]}


def _usage(value: Event) -> Event | None:
    members = {
        key: value[key] for key in ("inputTokens", "outputTokens", "cost") if value.get(key) is not None
    }
    fits = all(_is_cost(item) if key == "cost" else _is_count(item) for key, item in members.items())
    return members if members and fits else None


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS


def _is_cost(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _MOST_DOLLARS


_SHAPES: dict[str, Callable[[Event], Event | None]] = {
    "message": _message,
    "tool": _tool,
    "emit": _emit,
    "usage": _usage,
    "result": _message,
}
