"""Keep the variables that a run emits, within a size limit."""

from collections.abc import Iterator
from typing import Any

EMITTED_BYTES = 16 * 1024 * 1024
"""The most bytes that all emitted variables of one run may have, as the run wrote them."""


class EmittedVars:
    """Map names to their latest values."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self._sizes: dict[str, int] = {}
        self._total = 0

    def keep(self, name: str, value: Any, size: int) -> Iterator[dict[str, Any]]:
        """Keep a variable that was written in `size` bytes; yield a `log` event if it does not fit."""
        self.values.pop(name, None)
        self._total -= self._sizes.pop(name, 0)
        if self._total + size > EMITTED_BYTES:
            text = (
                f"variable {name!r} is left out of the result: all variables exceed {EMITTED_BYTES:,} bytes\n"
            )
            yield {"type": "log", "stream": "stderr", "text": text}
            return
        self._total += size
        self._sizes[name] = size
        self.values[name] = value
