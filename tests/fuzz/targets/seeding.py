"""Seeds that are written in the code, and streams in pieces."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

PIECE = 7
"""A length in bytes that cuts lines, characters and header fields."""


def written(seeds: Mapping[str, bytes]) -> dict[str, Callable[[Path], Iterable[bytes]]]:
    """Return seeds that need no folder."""
    return {name: lambda _, data=data: [data] for name, data in seeds.items()}  # type: ignore[misc]


def in_pieces(data: bytes) -> Iterator[bytes]:
    """Yield a stream as a pipe may deliver it."""
    return (data[start : start + PIECE] for start in range(0, len(data), PIECE))
