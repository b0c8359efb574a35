"""The supported formats of sessions, one line per family."""

import contextlib
import os
from collections.abc import Container
from pathlib import Path

from sidecar.api.errors import InvalidParams
from sidecar.history.stores.contract import Root, Store, StoreFamily
from sidecar.history.stores.task_folders.family import TASK_FOLDERS

FAMILIES: list[StoreFamily] = [TASK_FOLDERS]
"""The first family that recognizes a root opens it; the first in the list opens empty roots."""


def open_store(root: Root) -> Store:
    """Open the store of a root."""
    family = next((family for family in FAMILIES[1:] if family.recognizes(root.path)), FAMILIES[0])
    return family.open(root)


def is_root(path: Path) -> bool:
    """Return whether a folder holds sessions in any format."""
    return any(family.recognizes(str(path)) for family in FAMILIES)


def describe_root(path: str | os.PathLike[str], read_only: bool = True) -> Root:
    """Create the root of `path`: absolute, but with links kept, since users know that name."""
    absolute = str(Path(path).expanduser().absolute())
    products = (family.product_of_path(absolute) for family in FAMILIES)
    return Root(absolute, read_only, next(filter(None, products), None))


def known_path(path: str, known: Container[str], member: str) -> str:
    """Return the path in `known` that a client means by `path`; InvalidParams naming the member if none."""
    with contextlib.suppress(RuntimeError):  # the home of a user who does not exist
        path = describe_root(path).path
    if path not in known:
        raise InvalidParams(f"{member}: {path} is not a root of this server; name it at initialize")
    return path
