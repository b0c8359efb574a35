"""Integers that JSON parsers turn into floats because they do not fit into 64 bits."""

from collections.abc import Iterator
from typing import Any

MAX_INTEGER = 2**53 - 1
"""The largest integer that every JSON implementation reads exactly, JavaScript's included."""
_FLOAT_IS_WHOLE = 2**53


def with_integers(value: Any) -> Any:
    """Return a copy of a JSON value in which floats too large for a fraction are integers again."""
    if isinstance(value, dict):
        return {key: with_integers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [with_integers(item) for item in value]
    is_huge = isinstance(value, float) and _FLOAT_IS_WHOLE <= abs(value) < float("inf")
    return int(value) if is_huge else value


def too_large(value: Any, path: str = "") -> Iterator[tuple[str, int]]:
    """Yield the path, such as `.a.b`, and the value of each integer beyond `MAX_INTEGER` in a JSON object."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from too_large(item, f"{path}.{key}")
    elif isinstance(value, int) and abs(value) > MAX_INTEGER:
        yield path, value
