"""JSON text for a model that stays within a number of characters and says where the rest is."""

from collections.abc import Collection, Mapping
from typing import Any

from sidecar.subagents.js_text import js_entries, json_stringify

SHORTEST = 64
"""Characters below which a value is not cut; what still does not fit then is left out."""
CHARACTERS_PER_ENTRY = 16
"""A list or object may keep one entry for so many characters of the limit on its values."""


def remedy(task_id: str) -> str:
    """Tell the model how to get what was cut."""
    return f'Values are cut. Call check_async_tasks with task_id "{task_id}" for more.'


def fit_json(payload: Mapping[str, Any], remedy: str, max_chars: int, whole: Collection[str]) -> str:
    """Print `payload`; beyond `max_chars` cut its values, add `truncated` and name the remedy.

    The members named in `whole` are never cut; when nothing else helps, only they are printed.
    """
    text = json_stringify(payload)
    if len(text) <= max_chars:
        return text
    limit = max_chars // 2
    while limit >= SHORTEST:
        text = _print_cut(payload, remedy, limit, whole)
        if len(text) <= max_chars:
            return text
        limit //= 2
    return json_stringify(_marked({key: payload[key] for key in payload if key in whole}, remedy))


def cut_json(payload: Mapping[str, Any], remedy: str, limit: int, whole: Collection[str]) -> str:
    """Print `payload` with every value cut at `limit`; say so only if something was."""
    text = json_stringify(payload)
    cut = _cut_members(payload, limit, whole)
    return text if json_stringify(cut) == text else json_stringify(_marked(cut, remedy))


def cut_value(value: Any, limit: int) -> Any:
    """Shorten every string to `limit` characters and every container in proportion, saying how much."""
    if isinstance(value, str):
        return _cut_text(value, limit)
    entries = max(1, limit // CHARACTERS_PER_ENTRY)
    if isinstance(value, Mapping):
        members = js_entries(value)
        cut = {_cut_text(key, limit): cut_value(item, limit) for key, item in members[:entries]}
        return cut if len(members) <= entries else {**cut, "...": f"[{len(members) - entries} more]"}
    if isinstance(value, list | tuple):
        items = [cut_value(item, limit) for item in value[:entries]]
        return items if len(value) <= entries else [*items, f"[{len(value) - entries} more]"]
    return value


def _print_cut(payload: Mapping[str, Any], remedy: str, limit: int, whole: Collection[str]) -> str:
    return json_stringify(_marked(_cut_members(payload, limit, whole), remedy))


def _cut_members(payload: Mapping[str, Any], limit: int, whole: Collection[str]) -> dict[str, Any]:
    return {key: item if key in whole else cut_value(item, limit) for key, item in payload.items()}


def _cut_text(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}... [{len(text) - limit} more characters]"


def _marked(payload: Mapping[str, Any], remedy: str) -> dict[str, Any]:
    return {**payload, "truncated": True, "remedy": remedy}
