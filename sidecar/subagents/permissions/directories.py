"""The directories that a command may run in, by the names that agents give them."""

from collections.abc import Iterator, Mapping
from typing import Any

_NAMES = frozenset({"cwd", "workdir", "workingdirectory", "directory", "dirpath"})
"""Compared without case, `_` and `-`."""


def directories(arguments: Mapping[str, Any]) -> Iterator[Any]:
    """Yield every directory that arguments name, in whatever form."""
    for name, value in arguments.items():
        if value and name.lower().replace("_", "").replace("-", "") in _NAMES:
            yield value
