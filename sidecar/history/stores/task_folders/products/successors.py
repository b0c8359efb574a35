"""Recognize stores of newer versions whose formats are not supported yet."""

import os
from pathlib import Path
from typing import Final

import msgspec

from sidecar.api.stored.tasks import Product

MOST: Final = 5_000
"""Directory entries counted at most; the report shows it with a plus sign."""


class UnsupportedStore(msgspec.Struct, frozen=True):
    """A store of sessions in an unknown format; `sessions` is None if it would have to be opened."""

    path: str
    product: Product
    writer: str
    sessions: int | None

    def __str__(self) -> str:
        """Describe what is there, as `3 sessions of WRITER`."""
        if self.sessions is None:
            return f"sessions of {self.writer}"
        more = "+" if self.sessions >= MOST else ""
        return f"{self.sessions}{more} session{'s' * (self.sessions != 1)} of {self.writer}"


def names(path: Path) -> list[str]:
    """List the entries of a folder, at most `MOST`; none when it cannot be read."""
    try:
        with os.scandir(path) as entries:
            return [entry.name for entry, _ in zip(entries, range(MOST), strict=False)]
    except OSError:
        return []
