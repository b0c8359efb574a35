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


def fit(payload: Mapping[str, Any], remedy: str, max_chars: int, whole: Collection[str]) -> dict[str, Any]:
    """Return `payload` as it is, or cut so that its JSON text has `max_chars`, with `truncated` and `remedy`.

    The members named in `whole` are never cut; when nothing else helps, only they are left.
    """
    if len(json_stringify(payload)) <= max_chars:
        return dict(payload)
    limit = max_chars // 2
    while limit >= SHORTEST:
        cut = _marked(_cut_members(payload, limit, whole), remedy)
        if len(json_stringify(cut)) <= max_chars:
            return cut
        limit //= 2
    return _marked({key: payload[key] for key in payload if key in whole}, remedy)


def summarize(payload: Mapping[str, Any], remedy: str, limit: int, whole: Collection[str]) -> dict[str, Any]:
    """Return `payload` with every value cut at `limit`; `truncated` and `remedy` only if something was."""
    cut = _cut_members(payload, limit, whole)
    return cut if cut == payload else _marked(cut, remedy)


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


def _cut_members(payload: Mapping[str, Any], limit: int, whole: Collection[str]) -> dict[str, Any]:
    return {key: item if key in whole else cut_value(item, limit) for key, item in payload.items()}


def _cut_text(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}... [{len(text) - limit} more characters]"


def _marked(payload: Mapping[str, Any], remedy: str) -> dict[str, Any]:
    return {**payload, "truncated": True, "remedy": remedy}
