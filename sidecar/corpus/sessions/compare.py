"""Compare listed rows with the truth of a generated store, field by field."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from sidecar.api.stored.tasks import TaskInfo

_NEAR = 1e-6


def differences(tasks: Iterable[TaskInfo], truth: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """List each field that is not true, and each row that is missing or should not be there."""
    rows = {row["id"]: row for row in json.loads(msgspec.json.encode(list(tasks)))}
    found = [f"{key}: {'missing' if key in truth else 'not a session'}" for key in truth.keys() ^ rows.keys()]
    for key in truth.keys() & rows.keys():
        found += _different(key, rows[key], truth[key])
        found += [f"{key}: {problem}" for problem in rows[key]["problems"]]
    return sorted(found)


def _different(path: str, row: Mapping[str, Any], truth: Mapping[str, Any]) -> list[str]:
    found: list[str] = []
    for name, value in truth.items():
        here, given = f"{path}.{name}", row.get(name)
        if isinstance(value, dict):
            found += _different(here, given or {}, value)
        elif not _same(given, value):
            found.append(f"{here}: {given!r} instead of {value!r}")
    return found


def _same(given: Any, value: Any) -> bool:
    if isinstance(value, list) and isinstance(given, list) and all(isinstance(each, dict) for each in value):
        pairs = zip(given, value, strict=False)
        return len(given) == len(value) and not any(_different("", *pair) for pair in pairs)
    if isinstance(given, float) or isinstance(value, float):
        return given is not None and value is not None and abs(given - value) < _NEAR
    return bool(given == value)
