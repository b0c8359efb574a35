"""The names of copied files. Pure."""

from typing import Final

SUFFIX: Final = ".kept"
_DIGITS: Final = 40


def blob_name(digest: str, size: int) -> str:
    """Return the name of the copy of a file with this SHA-256 and size."""
    return f"{digest[:_DIGITS]}-{size}{SUFFIX}"


def is_blob(path: str) -> bool:
    """Return whether a path is that of a copy, judged by its name."""
    return path.endswith(SUFFIX)


def raw_size(name: str) -> int:
    """Return the size in bytes of the file that a copy was made of; its name holds it. Raises ValueError."""
    return int(name.removesuffix(SUFFIX).rpartition("-")[2])
