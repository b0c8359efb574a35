"""The variables that a run emitted, within a limit."""

import json
from typing import Any

import orjson

EMITTED_BYTES = 16 * 1024 * 1024
"""The most bytes that all emitted variables of one run may have in memory, about."""
_ENTRY_BYTES = 200
"""What a variable takes besides its name and its value."""
_NOTED = 1_000
"""For how many variables that do not fit the size is remembered."""
_NOTED_CHARS = 200
"""The longest name that is remembered of those."""


class Variables:
    """Map names to their latest values. What does not fit is left out; the events of the run have it.

    `left_out` has the bytes of the first values that did not fit, by name.
    """

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.left_out: dict[str, int] = {}
        self._sizes: dict[str, int] = {}
        self._total = 0

    def keep(self, name: str, value: Any) -> bool:
        """Keep a variable instead of its earlier value; return whether it fits."""
        self.values.pop(name, None)
        self.left_out.pop(name, None)
        self._total -= self._sizes.pop(name, 0)
        size = _ENTRY_BYTES + len(name) + _size(value)
        if self._total + size > EMITTED_BYTES:
            self._note(name, size)
            return False
        self._total += size
        self._sizes[name] = size
        self.values[name] = value
        return True

    def _note(self, name: str, size: int) -> None:
        if len(self.left_out) < _NOTED and len(name) <= _NOTED_CHARS:
            self.left_out[name] = size


def _size(value: Any) -> int:
    try:
        return len(orjson.dumps(value))
    except TypeError:  # Lone surrogates, and integers beyond 64 bits.
        return len(json.dumps(value))
