"""The variables a run has emitted, bounded."""

from collections.abc import Iterator
from typing import Any

EMITTED_BYTES = 16 * 1024 * 1024
"""What the emitted variables of one run may take together, as they were written."""


class EmittedVars:
    """Name to value; the newest value of a name counts."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self._sizes: dict[str, int] = {}
        self._total = 0

    def keep(self, name: str, value: Any, size: int) -> Iterator[dict[str, Any]]:
        """Keep a variable that was written in `size` bytes; yield a `log` event if there is no room."""
        self.values.pop(name, None)
        self._total -= self._sizes.pop(name, 0)
        if self._total + size > EMITTED_BYTES:
            text = (
                f"variable {name!r} is left out of the result: together they exceed {EMITTED_BYTES:,} bytes\n"
            )
            yield {"type": "log", "stream": "stderr", "text": text}
            return
        self._total += size
        self._sizes[name] = size
        self.values[name] = value
